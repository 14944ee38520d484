package observe

import (
	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/vm/term"
)

// amDetsRegistry is the table in which OTP's dets_server keeps the open tables.
var amDetsRegistry = term.Intern("dets_registry")

// memoryFigures are those of prometheus_vm_memory_collector: erlang:memory/0,
// in bytes, and tables.
func memoryFigures() []figure {
	return []figure{
		{"atom_bytes", "Memory allocated for atoms. It is part of the system memory.", gauge, []string{"usage"}, func(e emit) {
			m := bif.ReadMemory()
			e(float64(m.AtomUsed), "used")
			e(float64(m.Atom-m.AtomUsed), "free")
		}},
		{"bytes", "Memory allocated in all: of processes and of the system.", gauge, []string{"kind"}, func(e emit) {
			m := bif.ReadMemory()
			e(float64(m.System), "system")
			e(float64(m.Processes), "processes")
		}},
		{"dets_tables", "Open DETS tables.", gauge, nil, value(detsTables)},
		{"ets_tables", "ETS tables.", gauge, nil, value(ets.Tables)},
		{"processes_bytes", "Memory allocated for Erlang processes.", gauge, []string{"usage"}, func(e emit) {
			m := bif.ReadMemory()
			e(float64(m.ProcessesUsed), "used")
			e(float64(m.Processes-m.ProcessesUsed), "free")
		}},
		{"system_bytes", "Memory allocated for what is not of a process.", gauge, []string{"usage"}, func(e emit) {
			m := bif.ReadMemory()
			e(float64(m.Atom), "atom")
			e(float64(m.Binary), "binary")
			e(float64(m.Code), "code")
			e(float64(m.Ets), "ets")
			e(float64(m.System-m.Atom-m.Binary-m.Code-m.Ets), "other")
		}},
	}
}

// detsTables counts the open tables without asking dets_server.
func detsTables() int64 {
	if t, _ := ets.Lookup(amDetsRegistry); t != nil {
		return t.Items()
	}
	return 0
}
