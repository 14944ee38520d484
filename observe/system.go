package observe

import (
	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
)

// systemFigures are those of prometheus_vm_system_info_collector:
// erlang:system_info/1.
func systemFigures() []figure {
	c := &sysconf.C
	num := func(n *int) func(emit) { return func(e emit) { e(float64(*n)) } }
	return []figure{
		{"allocators", "What the allocators hold (carriers_size) and have given out (blocks_size), in bytes, and how many.", gauge,
			[]string{"alloc", "instance_no", "kind", "usage"}, allocatorFigures},
		{"atoms", "Atoms.", gauge, nil, value(atom.Count)},
		{"atom_limit", "Most atoms that there may be.", gauge, nil, value(atom.Limit)},
		{"dirty_cpu_schedulers", "Dirty CPU scheduler threads.", gauge, nil, num(&c.DirtyCPU)},
		{"dirty_cpu_schedulers_online", "Dirty CPU scheduler threads online.", gauge, nil, num(&c.DirtyCPUOnline)},
		{"dirty_io_schedulers", "Dirty I/O scheduler threads.", gauge, nil, num(&c.DirtyIO)},
		{"ets_limit", "Most ETS tables, as +e says.", gauge, nil, num(&c.MaxEts)},
		{"logical_processors", "Logical processors of the machine.", gauge, nil, num(&c.Logical)},
		{"logical_processors_available", "Logical processors available to the node.", gauge, nil, num(&c.Logical)},
		{"logical_processors_online", "Logical processors online.", gauge, nil, num(&c.Logical)},
		{"ports", "Ports.", gauge, nil, value(port.Count)},
		{"port_limit", "Most ports that there may be.", gauge, nil, num(&c.MaxPorts)},
		{"processes", "Processes.", gauge, nil, value(proc.Count)},
		{"process_limit", "Most processes that there may be.", gauge, nil, value(proc.Max)},
		{"schedulers", "Scheduler threads.", gauge, nil, num(&c.Schedulers)},
		{"schedulers_online", "Schedulers online.", gauge, nil, num(&c.Online)},
		{"smp_support", "1 if there may be more than one scheduler.", gauge, nil, func(e emit) { e(1) }},
		{"threads", "1 if there are threads.", gauge, nil, func(e emit) { e(1) }},
		{"thread_pool_size", "Threads for asynchronous calls of drivers.", gauge, nil, num(&c.AsyncThreads)},
		{"time_correction", "1 if time correction is on.", gauge, nil, func(e emit) { e(oneIf(c.TimeCorrection)) }},
		{"wordsize_bytes", "Bytes of a word of Erlang terms.", gauge, nil, func(e emit) { e(wordBytes) }},
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// allocatorFigures shows each allocator as one instance with one carrier, as
// system_info({allocator, _}) does.
func allocatorFigures(e emit) {
	for _, a := range bif.ReadAllocators() {
		v := func(usage string, n int64) { e(float64(n), a.Name, "0", "mbcs", usage) }
		v("carriers", 1)
		v("carriers_size", a.Bytes)
		v("blocks", a.Blocks)
		v("blocks_size", a.Bytes)
	}
}
