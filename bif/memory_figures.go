package bif

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/atom"
)

// Memory is what erlang:memory/0 tells, in bytes. System is all that is not of
// processes; Atom, Binary, Code and Ets are parts of it.
type Memory struct {
	Total, Processes, ProcessesUsed, System   int64
	Atom, AtomUsed, Binary, Code, Ets, Blocks int64
}

// atomBytes is what an atom counts for: its entry in the table, and as much
// again as an average text.
const (
	atomEntryBytes = 24
	atomTextBytes  = 16
)

// ReadMemory adds up the counters that erlang:memory/0 adds up, without a
// process: it may be called from any thread and takes no locks.
func ReadMemory() (m Memory) {
	of := func(p offheap.Purpose) int64 { n, _ := offheap.Usage(p); return n }
	for i := range allocators {
		bytes, blocks := allocBytes(i)
		m.Total += bytes
		m.Blocks += blocks
	}
	atoms := int64(atom.Count())
	m.Atom = atoms * (atomEntryBytes + atomTextBytes)
	m.AtomUsed = m.Atom
	m.Code = of(offheap.Code)
	m.Binary, m.Ets = of(offheap.Binary), of(offheap.Ets)
	m.Total += m.Code + m.Atom
	m.Processes = of(offheap.Heap) + of(offheap.Fragment) + of(offheap.Proc)
	m.ProcessesUsed = m.Processes
	m.System = m.Total - m.Processes
	return m
}

// Allocator is an allocator of ERTS and what of this node stands for it.
type Allocator struct {
	Name          string
	Bytes, Blocks int64
}

// ReadAllocators lists the allocators as system_info({allocator,_}) shows them.
func ReadAllocators() []Allocator {
	as := make([]Allocator, len(allocators))
	for i, a := range allocators {
		as[i].Name = a.name
		as[i].Bytes, as[i].Blocks = allocBytes(i)
	}
	return as
}
