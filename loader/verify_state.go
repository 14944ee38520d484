package loader

// A vstate is what is known at a point of a function.
type vstate struct {
	x     []vtype // up to the highest X that may hold something
	y     []vtype // the frame's registers; frame tells whether there is one
	frame frameKind
	tags  int // try and catch tags among y
	heap  int // words reserved and not used yet
	bin   bool
}

// frameKind says what is known of the stack frame. Code that only raises may be
// shared by ways with different frames: there it is anyFrame, and y holds those
// registers that every one of them has.
type frameKind uint8

const (
	noFrame frameKind = iota
	oneFrame
	anyFrame
)

// stateMem is where the states at the labels of one function are.
type stateMem struct {
	regs   []vtype
	states []vstate
	save   vstate // for branchBack
}

func (m *stateMem) reset() { m.regs, m.states = m.regs[:0], m.states[:0] }

// clone copies s; the copy never grows.
func (m *stateMem) clone(s *vstate) *vstate {
	c := *s
	c.x, c.y = m.copyRegs(s.x), m.copyRegs(s.y)
	if len(m.states) == cap(m.states) {
		m.states = make([]vstate, 0, 256) // those before stay where they are
	}
	m.states = append(m.states, c)
	return &m.states[len(m.states)-1]
}

func (m *stateMem) copyRegs(r []vtype) []vtype {
	n := len(r)
	if cap(m.regs)-len(m.regs) < n {
		m.regs = make([]vtype, 0, max(n, 4096))
	}
	i := len(m.regs)
	m.regs = append(m.regs, r...)
	return m.regs[i : i+n : i+n]
}

// copyFrom makes s equal to t, keeping its storage.
func (s *vstate) copyFrom(t *vstate) {
	x, y := append(s.x[:0], t.x...), append(s.y[:0], t.y...)
	*s = *t
	s.x, s.y = x, y
}

// merge joins t into s and tells whether s changed. ok is false when a catch
// tag is in one of them only.
func (s *vstate) merge(t *vstate) (changed, ok bool) {
	if s.frame != t.frame || len(s.y) != len(t.y) {
		if s.tags+t.tags > 0 {
			return false, false
		}
		if s.frame != anyFrame || len(s.y) > len(t.y) {
			changed = true
		}
		s.frame, s.y = anyFrame, s.y[:min(len(s.y), len(t.y))]
	}
	if n := min(len(s.x), len(t.x)); n < len(s.x) {
		s.x, changed = s.x[:n], true
	}
	for i, a := range s.x {
		if b := join(a, t.x[i]); b != a {
			s.x[i], changed = b, true
		}
	}
	for i := range s.y {
		a := s.y[i]
		b := join(a, t.y[i])
		if b == a {
			continue
		}
		if a.isTag() || t.y[i].isTag() {
			// A tag on one path only would outlive its block on the other.
			return changed, false
		}
		s.y[i], changed = b, true
	}
	if t.heap < s.heap {
		s.heap, changed = t.heap, true
	}
	if s.bin && !t.bin {
		s.bin, changed = false, true
	}
	return changed, true
}

func (s *vstate) setX(i int, t vtype) {
	for len(s.x) <= i {
		s.x = append(s.x, vUninit)
	}
	s.x[i] = t
}

// settled tells whether all Y registers hold something.
func (s *vstate) settled() bool {
	for _, t := range s.y {
		if t == vUninit {
			return false
		}
	}
	return true
}

// keepX forgets X registers from n on.
func (s *vstate) keepX(n int) {
	if len(s.x) > n {
		s.x = s.x[:n]
	}
}

// stale forgets that tuples are fresh: a collection may have aged them.
func (s *vstate) stale() {
	for i := range s.x {
		s.x[i] &^= vFresh
	}
	for i := range s.y {
		s.y[i] &^= vFresh
	}
}

// removed notes that the message looked at belongs to the process now.
func (s *vstate) removed() {
	for i := range s.x {
		s.x[i] &^= vFragile
	}
	for i := range s.y {
		s.y[i] &^= vFragile
	}
}

// handler returns the label that an exception goes to, or 0.
func (s *vstate) handler() int {
	if s.tags == 0 {
		return 0
	}
	for _, t := range s.y {
		if t.isTag() {
			return int(t >> vShift)
		}
	}
	return 0
}
