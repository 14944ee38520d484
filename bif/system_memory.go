package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// ERTS's allocators, and what of ours each stands for in its reports: OTP's
// erlang:memory/0 adds these up.
var allocators = []struct {
	name    string
	purpose []offheap.Purpose
}{
	{"temp_alloc", nil},
	{"sl_alloc", nil},
	{"std_alloc", []offheap.Purpose{offheap.Misc}},
	{"ll_alloc", []offheap.Purpose{offheap.Table}},
	{"eheap_alloc", []offheap.Purpose{offheap.Heap, offheap.Fragment}},
	{"ets_alloc", []offheap.Purpose{offheap.Ets}},
	{"fix_alloc", []offheap.Purpose{offheap.Proc}},
	{"literal_alloc", []offheap.Purpose{offheap.Literal}},
	{"binary_alloc", []offheap.Purpose{offheap.Binary}},
	{"driver_alloc", nil},
}

func allocUtilAllocators(c *native.Call) term.Term {
	l := term.Nil
	for i := len(allocators) - 1; i >= 0; i-- {
		l = c.P.Heap.Cons(term.Intern(allocators[i].name), l)
	}
	return l
}

// allocatorInfo says which allocators there are: no features are listed, since
// none of ERTS's settings applies.
func allocatorInfo(c *native.Call) term.Term {
	h := &c.P.Heap
	return h.Tuple(term.AmUndefined, term.Nil, allocUtilAllocators(c), term.Nil)
}

func allocBytes(i int) (bytes, blocks int64) {
	for _, p := range allocators[i].purpose {
		b, n := offheap.Usage(p)
		bytes += b
		blocks += n
	}
	return bytes, blocks
}

// allocatorIndex returns the index of an allocator, or less than none: absent
// when ERTS knows it and we have no such thing, -2 when it is none.
func allocatorIndex(name term.Term) int {
	for _, a := range absentAllocators {
		if name == a {
			return absent
		}
	}

	for i, a := range allocators {
		if term.Intern(a.name) == name {
			return i
		}
	}
	return -2
}

// absent allocators answer false, as those do that a flag turned off.
const absent = -1

var absentAllocators = []term.Term{term.Intern("alloc_util"), term.Intern("mseg_alloc"),
	term.Intern("sys_alloc"), term.Intern("test_alloc")}

// allocStats builds what one allocator reports: {mbcs,[{blocks,…},…]} and no
// single block carriers.
func allocStats(h *heap.Heap, i int) term.Term {
	name := term.Intern(allocators[i].name)
	bytes, blocks := allocBytes(i)
	am := term.Intern
	three := func(tag string, v int64) term.Term { n := h.Int(v); return h.Tuple(am(tag), n, n, n) }
	bl := h.List(h.Tuple(name, h.List(three("count", blocks), three("size", bytes))))
	mbcs := h.Tuple(am("mbcs"), h.List(h.Tuple(am("blocks"), bl), three("carriers", 1), three("carriers_size", bytes)))
	sbcs := h.Tuple(am("sbcs"), h.List(h.Tuple(am("blocks"), term.Nil), three("carriers", 0), three("carriers_size", 0)))
	l := h.List(mbcs, sbcs)
	if allocators[i].name == "fix_alloc" {
		timers := proc.BifTimerMemory()
		fixed := func(tag string, n int64) term.Term { v := h.Int(n); return h.Tuple(am(tag), v, v) }
		l = h.Cons(h.Tuple(am("fix_types"), h.List(fixed("proc", max(0, bytes-timers)), fixed("bif_timer", timers))), l)
	}
	return l
}

// allocatorList answers for a list of allocators: [{Allocator, Instances}], or
// [{Allocator, false}] for one that there is not.
func allocatorList(c *native.Call, l term.Term) term.Term {
	h := &c.P.Heap
	var els []term.Term
	for ; l.IsList(); l = l.Tail() {
		i := allocatorIndex(l.Head())
		if i < absent {
			return c.Badarg()
		}
		v := term.False
		if i >= 0 {
			v = h.List(h.Tuple(term.Intern("instance"), term.Small(0), allocStats(h, i)))
		}
		els = append(els, h.Tuple(l.Head(), v))
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	return h.List(els...)
}

// systemInfoTuple answers the keys that are tuples.
func systemInfoTuple(c *native.Call, k term.Term) term.Term {
	h := &c.P.Heap
	if k.Arity() == 0 {
		return c.Badarg()
	}
	switch k.El(1) {
	case term.Intern("wordsize"):
		if k.Arity() == 2 && (k.El(2) == term.Intern("internal") || k.El(2) == term.Intern("external")) {
			return term.Small(8)
		}
	case term.Intern("internal_cpu_topology"):
		if k.Arity() == 2 {
			return internalTopology(c, k.El(2))
		}
	case term.Intern("cpu_topology"):
		if k.Arity() == 2 {
			return cpuTopologyOf(c, k.El(2))
		}
	case term.Intern("memory_internal"), term.Intern("allocator"), term.Intern("allocator_sizes"):
		if k.Arity() == 3 && k.El(2).IsRef() {
			return allocRequest(c, k.El(1), k.El(2), k.El(3))
		}
		if k.Arity() == 2 && isListOrNil(k.El(2)) && k.El(1) != term.Intern("memory_internal") {
			return allocatorList(c, k.El(2))
		}
		if k.Arity() == 2 && k.El(2).IsAtom() && k.El(1) != term.Intern("memory_internal") {
			i := allocatorIndex(k.El(2))
			switch {
			case i == absent:
				return term.False
			case i < absent:
				return c.Badarg()
			}
			return h.List(h.Tuple(term.Intern("instance"), term.Small(0), allocStats(h, i)))
		}
	}
	return c.Badarg()
}

// allocRequest sends {Ref, 0, [{Allocator, 0, Stats}…]} to the caller.
func allocRequest(c *native.Call, kind, ref, list term.Term) term.Term {
	var idx []int
	var names []term.Term
	l := list
	for ; l.IsList(); l = l.Tail() {
		i := allocatorIndex(l.Head())
		if i < absent {
			return c.Badarg()
		}
		idx, names = append(idx, i), append(names, l.Head())
	}
	if !l.IsNil() {
		return c.Badarg()
	}
	var h heap.Heap
	res := term.Nil
	for n := len(idx) - 1; n >= 0; n-- {
		if idx[n] < 0 {
			res = h.Cons(h.Tuple(names[n], term.False), res)
			continue
		}
		res = h.Cons(h.Tuple(names[n], term.Small(0), allocStats(&h, idx[n])), res)
	}
	r := heap.CopyTo(&h, ref)
	proc.SendBuilt(term.None, c.P.ID, h.Tuple(r, term.Small(0), res), &h)
	return term.True
}

// allocatedAreas lists what the allocators do not hold.
func allocatedAreas(c *native.Call) term.Term {
	h := &c.P.Heap
	am := term.Intern
	code, _ := offheap.Usage(offheap.Code)
	atoms := int64(atom.Count())
	pair := func(tag string, v int64) term.Term { return h.Tuple(am(tag), h.Int(v)) }
	space := atoms * atomTextBytes
	return h.List(
		pair("sys_misc", 0), pair("static", 0),
		h.Tuple(am("atom_space"), h.Int(space), h.Int(space)), pair("atom_table", atoms*atomEntryBytes),
		pair("module_table", 0), pair("export_table", 0), pair("export_list", 0), pair("register_table", 0),
		pair("fun_table", 0), pair("module_refs", 0), pair("loaded_code", code), pair("dist_table", 0), pair("node_table", 0),
		pair("bits_bufs_size", 0), pair("bif_timer", 0), pair("process_table", 0), pair("port_table", 0), pair("ets_misc", 0),
		pair("external_alloc", code+atoms*(atomEntryBytes+atomTextBytes)))
}
