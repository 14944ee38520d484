package bif

// Search for many patterns at once (Aho and Corasick, CACM 18, 1975).

// acNode is a state: the pattern prefix of a length. best is the length of the
// longest pattern that ends there, 0 for none.
type acNode struct {
	fail, depth, best int32
}

// acMachine finds patterns. Small machines have a full table of transitions;
// larger ones keep only those of the trie.
type acMachine struct {
	nodes []acNode
	next  []int32          // 256 for each state; nil for a large machine
	trie  map[uint64]int32 // of a large one: by state<<8 | byte
}

// acTableMax is the number of states up to which there is a full table.
const acTableMax = 4096

func newAC(patterns [][]byte) *acMachine {
	total := 1
	for _, p := range patterns {
		total += len(p)
	}
	m := &acMachine{nodes: make([]acNode, 1, min(total, acTableMax))}
	if total <= acTableMax {
		m.dense(patterns, total)
		return m
	}
	m.trie = map[uint64]int32{}
	for _, p := range patterns {
		s := int32(0)
		for i, b := range p {
			k := uint64(s)<<8 | uint64(b)
			t, ok := m.trie[k]
			if !ok {
				t = int32(len(m.nodes))
				m.nodes = append(m.nodes, acNode{depth: int32(i + 1)})
				m.trie[k] = t
			}
			s = t
		}
		m.nodes[s].best = int32(len(p))
	}
	m.link()
	return m
}

// dense builds a machine with a full table of at most so many states. In a
// row that is not finished 0 is no transition: nothing leads back to state 0.
func (m *acMachine) dense(patterns [][]byte, states int) {
	next := make([]int32, 256*states)
	for _, p := range patterns {
		s := 0
		for i, b := range p {
			t := &next[s<<8|int(b)]
			if *t == 0 {
				*t = int32(len(m.nodes))
				m.nodes = append(m.nodes, acNode{depth: int32(i + 1)})
			}
			s = int(*t)
		}
		m.nodes[s].best = int32(len(p))
	}
	queue := make([]int32, 1, len(m.nodes))
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		row := next[s<<8 : s<<8+256]
		back := next[m.nodes[s].fail<<8:][:256]
		for b, t := range row {
			switch {
			case t == 0:
				row[b] = back[b]
			case s == 0:
				queue = append(queue, t)
			default:
				queue = append(queue, t)
				f := back[b]
				m.nodes[t].fail = f
				if m.nodes[t].best == 0 {
					m.nodes[t].best = m.nodes[f].best
				}
			}
		}
	}
	m.next = next
}

// link sets what each state falls back to, shorter states first.
func (m *acMachine) link() {
	kids := make([][]uint64, len(m.nodes))
	for k := range m.trie {
		kids[k>>8] = append(kids[k>>8], k)
	}
	queue := []int32{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, k := range kids[s] {
			t := m.trie[k]
			queue = append(queue, t)
			if s == 0 {
				continue
			}
			f := m.step(m.nodes[s].fail, byte(k))
			m.nodes[t].fail = f
			if m.nodes[t].best == 0 {
				m.nodes[t].best = m.nodes[f].best
			}
		}
	}
}

// step follows a byte from a state.
func (m *acMachine) step(s int32, b byte) int32 {
	for {
		if t, ok := m.trie[uint64(s)<<8|uint64(b)]; ok {
			return t
		}
		if s == 0 {
			return 0
		}
		s = m.nodes[s].fail
	}
}

// acSearch is a search in progress.
type acSearch struct {
	state     int32
	pos       int
	found     bool
	from, len int // the best match so far
}

// run goes on to limit or the end of s, whichever comes first. It returns true
// when the search is over: found tells its outcome, the match that begins
// first and, of those, is longest.
func (a *acSearch) run(m *acMachine, s []byte, limit int) bool {
	end := min(limit, len(s))
	for a.pos < end {
		b := s[a.pos]
		if m.next != nil {
			a.state = m.next[int(a.state)<<8|int(b)]
		} else {
			a.state = m.step(a.state, b)
		}
		a.pos++
		n := &m.nodes[a.state]
		if a.found && a.pos-int(n.depth) > a.from {
			return true
		}
		if n.best == 0 {
			continue
		}
		from := a.pos - int(n.best)
		if !a.found || from < a.from || from == a.from && int(n.best) > a.len {
			a.found, a.from, a.len = true, from, int(n.best)
		}
	}
	return a.pos == len(s)
}
