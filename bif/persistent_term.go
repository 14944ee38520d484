package bif

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var persistentTermRows = []native.Row{
	{Module: "persistent_term", Name: "get", Arity: 0, Fn: persistentGetAll},
	{Module: "persistent_term", Name: "get", Arity: 1, Fn: persistentGet},
	{Module: "persistent_term", Name: "get", Arity: 2, Fn: persistentGetDefault},
	{Module: "persistent_term", Name: "put", Arity: 2, Fn: persistentPut},
	{Module: "persistent_term", Name: "erase", Arity: 1, Fn: persistentErase},
	{Module: "persistent_term", Name: "info", Arity: 0, Fn: persistentInfo},
	{Module: "erts_internal", Name: "erase_persistent_terms", Arity: 0, Fn: persistentEraseAll},
}

// Persistent terms are literals: readers get pointers to them. An entry is a
// tuple {Key, Value} in a literal area of its own. Shards are immutable slices
// that writers replace, so reading takes no lock.
//
// An area whose entry was erased or replaced may still be referred to by any
// process; the literal area collector releases it (code_literals.go).
const persistentShards = 1024

type persistentEntry struct {
	hash  uint64
	tuple term.Term
	area  *heap.LiteralArea
}

var persistent struct {
	shards [persistentShards]atomic.Pointer[[]persistentEntry]

	mu    sync.Mutex // held by writers
	count int
	bytes int64
}

func areaBytes(a *heap.LiteralArea) int64 { return int64(a.End - a.Start) }

func persistentShard(key term.Term) (shard *atomic.Pointer[[]persistentEntry], hash uint64) {
	if key.IsImmed() {
		hash = uint64(key) * 0x9E3779B97F4A7C15 >> 32
	} else {
		hash = term.InternalHash(key)
	}
	return &persistent.shards[hash%persistentShards], hash
}

// persistentFind returns the index of a key in a shard, or -1.
func persistentFind(entries []persistentEntry, key term.Term, hash uint64) int {
	for i := range entries {
		if e := &entries[i]; e.hash == hash {
			if k := e.tuple.El(1); k == key || !key.IsImmed() && term.Same(k, key) {
				return i
			}
		}
	}
	return -1
}

func persistentLookup(key term.Term) term.Term {
	shard, hash := persistentShard(key)
	p := shard.Load()
	if p == nil {
		return term.None
	}
	if i := persistentFind(*p, key, hash); i >= 0 {
		return (*p)[i].tuple.El(2)
	}
	return term.None
}

func persistentGet(c *native.Call) term.Term {
	if v := persistentLookup(c.Arg(0)); v != term.None {
		return v
	}
	return c.Badarg()
}

func persistentGetDefault(c *native.Call) term.Term {
	if v := persistentLookup(c.Arg(0)); v != term.None {
		return v
	}
	return c.Arg(1)
}

func persistentGetAll(c *native.Call) term.Term {
	l, n := term.Nil, 0
	for i := range persistent.shards {
		if p := persistent.shards[i].Load(); p != nil {
			for _, e := range *p {
				l = c.P.Heap.Cons(e.tuple, l)
				n++
			}
		}
	}
	c.Bump(n/scanPerRed + persistentShards/scanPerRed)
	return l
}

// persistentReplace sets entry i of a shard (i < 0: a new one), or removes it
// when e has no tuple. mu is held.
func persistentReplace(shard *atomic.Pointer[[]persistentEntry], i int, e persistentEntry) {
	var old []persistentEntry
	if p := shard.Load(); p != nil {
		old = *p
	}
	n := make([]persistentEntry, 0, len(old)+1)
	var retired *heap.LiteralArea
	for j, o := range old {
		if j != i {
			n = append(n, o)
			continue
		}
		persistent.count--
		persistent.bytes -= areaBytes(o.area)
		retired = o.area
	}
	if e.tuple != term.None {
		n = append(n, e)
		persistent.count++
		persistent.bytes += areaBytes(e.area)
	}
	shard.Store(&n)
	if retired != nil {
		queueLiterals(oldLiterals{retired.Start, retired.End, retired.Free})
	}
}

func persistentPut(c *native.Call) term.Term {
	key, val := c.Arg(0), c.Arg(1)
	shard, hash := persistentShard(key)
	persistent.mu.Lock()
	defer persistent.mu.Unlock()
	i := -1
	if p := shard.Load(); p != nil {
		if i = persistentFind(*p, key, hash); i >= 0 && term.Same((*p)[i].tuple.El(2), val) {
			return term.AmOk
		}
	}
	tuple, area := sharedLiteral(c.P.Heap.Tuple(key, val))
	persistentReplace(shard, i, persistentEntry{hash, tuple, area})
	c.Bump(int(areaBytes(area) / 64))
	return term.AmOk
}

// sharedLiteral copies a term, which is no immediate, to a literal area of its
// own; what is shared within the term stays shared. The first pass finds out how
// large that is.
func sharedLiteral(t term.Term) (term.Term, *heap.LiteralArea) {
	var tmp heap.Heap
	s := sharedCopy{h: &tmp, lits: true, done: map[uintptr]term.Term{}}
	t = s.move(t)
	s.run()
	n := uintptr(tmp.FragWords) * 8
	a := offheap.AllocLiteral(n)
	h := heap.Heap{Start: a, HP: a, E: a + n, End: a + n}
	s = sharedCopy{h: &h, lits: true, done: map[uintptr]term.Term{}}
	t = s.move(t)
	s.run()
	tmp.Release()
	return t, &heap.LiteralArea{Start: a, End: h.HP, Off: h.Off}
}

func persistentErase(c *native.Call) term.Term {
	key := c.Arg(0)
	shard, hash := persistentShard(key)
	persistent.mu.Lock()
	defer persistent.mu.Unlock()
	p := shard.Load()
	if p == nil {
		return term.False
	}
	i := persistentFind(*p, key, hash)
	if i < 0 {
		return term.False
	}
	persistentReplace(shard, i, persistentEntry{})
	return term.True
}

func persistentEraseAll(c *native.Call) term.Term {
	persistent.mu.Lock()
	defer persistent.mu.Unlock()
	for i := range persistent.shards {
		for s := &persistent.shards[i]; s.Load() != nil && len(*s.Load()) > 0; {
			persistentReplace(s, 0, persistentEntry{})
		}
	}
	return term.True
}

// persistentInfo is #{count, memory}; memory is bytes.
func persistentInfo(c *native.Call) term.Term {
	persistent.mu.Lock()
	count, bytes := persistent.count, persistent.bytes
	persistent.mu.Unlock()
	m, _ := maps.FromPairs(&c.P.Heap, []term.Term{
		term.Intern("count"), term.Small(int64(count)),
		term.AmMemory, term.Small(bytes + persistentShards*8 + int64(count)*24),
	})
	return m
}

// persistentState is what get_internal_state(persistent_term) answers: the
// size of the table.
func persistentState(c *native.Call, _ term.Term) term.Term {
	m, _ := maps.FromPairs(&c.P.Heap, []term.Term{amEtsTable, term.Small(persistentShards)})
	return m
}
