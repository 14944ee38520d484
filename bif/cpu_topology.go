package bif

import (
	"sync"

	"github.com/beamrd/beamrd/internal/cputopo"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// The topology of processors: as the system tells it, and as a flag or a
// program defines it. Threads of Go are not bound to processors, so that it
// informs and steers nothing.

var (
	amCPU               = term.Intern("cpu")
	amUsed              = term.Intern("used")
	amDetected          = term.Intern("detected")
	amDefined           = term.Intern("defined")
	amFormatCPUTopology = term.Intern("format_cpu_topology")
	amSetCPUTopology    = term.Intern("set_cpu_topology")
)

// detectedCPUs is what the system tells, read once.
var detectedCPUs = sync.OnceValue(func() []cputopo.CPU {
	if sysconf.C.SkipTopology {
		return nil
	}
	return cputopo.Detect("/sys/devices/system")
})

// definedCPUs is what a flag or a program said, which need not be true.
var definedCPUs struct {
	sync.Mutex
	cpus []cputopo.CPU
	set  bool
}

// topology returns the CPUs of a kind: used, detected or defined.
func topology(kind term.Term) (cpus []cputopo.CPU, ok bool) {
	d := &definedCPUs
	d.Lock()
	defer d.Unlock()
	if !d.set {
		d.cpus, d.set = sysconf.C.CPUTopology, true
	}
	switch kind {
	case amDefined:
		return d.cpus, true
	case amUsed:
		if len(d.cpus) > 0 {
			return d.cpus, true
		}
		return detectedCPUs(), true
	case amDetected:
		return detectedCPUs(), true
	}
	return nil, false
}

// internalTopology answers {internal_cpu_topology, Kind}: a list of
// {cpu, Node, Processor, ProcessorNode, Core, Thread, Logical}, or undefined.
func internalTopology(c *native.Call, kind term.Term) term.Term {
	cpus, ok := topology(kind)
	switch {
	case !ok:
		return c.Badarg()
	case len(cpus) == 0:
		return term.AmUndefined
	}
	h := &c.P.Heap
	els := make([]term.Term, len(cpus))
	for i, u := range cpus {
		els[i] = h.Tuple(amCPU, term.Small(int64(u.Node)), term.Small(int64(u.Processor)), term.Small(int64(u.ProcessorNode)),
			term.Small(int64(u.Core)), term.Small(int64(u.Thread)), term.Small(int64(u.Logical)))
	}
	return h.List(els...)
}

// cpuTopologyOf answers {cpu_topology, Kind}: a nested list, which erlang.erl makes.
func cpuTopologyOf(c *native.Call, kind term.Term) term.Term {
	t := internalTopology(c, kind)
	if t == term.None {
		return t
	}
	return c.Trap(code.GetExport(term.AmErlang, amFormatCPUTopology, 1), t)
}

func cpuTopology(c *native.Call) term.Term { return cpuTopologyOf(c, amUsed) }

// sysCPUTopology leaves it to erlang.erl to take the nested list apart.
func sysCPUTopology(c *native.Call, v term.Term) term.Term {
	c.P.LogWarning("A call to erlang:system_flag(cpu_topology, _) was made.\n" +
		"The cpu_topology argument is deprecated and scheduled\n" +
		"for removal in Erlang/OTP 18. For more information\n" +
		"see the erlang:system_flag/2 documentation.\n")
	return c.Trap(code.GetExport(term.AmErlang, amSetCPUTopology, 1), v)
}

// sysInternalTopology defines the topology by the list that internalTopology
// returns, or makes it undefined; it returns the one used before.
func sysInternalTopology(c *native.Call, v term.Term) term.Term {
	var cpus []cputopo.CPU
	if v != term.AmUndefined {
		els, ok := listArgs(v)
		if !ok {
			return c.Badarg()
		}
		for _, e := range els {
			u, ok := cpuOf(e)
			if !ok {
				return c.Badarg()
			}
			cpus = append(cpus, u)
		}
		if cputopo.Verify(cpus) != nil {
			return c.Badarg()
		}
	}
	old := internalTopology(c, amUsed)
	definedCPUs.Lock()
	definedCPUs.cpus = cpus
	definedCPUs.Unlock()
	return old
}

// cpuOf reads {cpu, Node, Processor, ProcessorNode, Core, Thread, Logical}.
func cpuOf(t term.Term) (u cputopo.CPU, ok bool) {
	if !t.IsTuple() || t.Arity() != 7 || t.El(1) != amCPU {
		return u, false
	}
	for i, to := range []*int{&u.Node, &u.Processor, &u.ProcessorNode, &u.Core, &u.Thread, &u.Logical} {
		e := t.El(i + 2)
		if !e.IsSmall() || e.Small() < -1 || e.Small() > cputopo.MaxID {
			return u, false
		}
		*to = int(e.Small())
	}
	return u, true
}
