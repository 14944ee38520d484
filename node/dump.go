package node

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// writeDump writes what a crash dump has, in ERTS's format.
func writeDump(w *bufio.Writer, slogan string) {
	fmt.Fprintf(w, "=erl_crash_dump:0.5\n%s\n", time.Now().Format(time.ANSIC))
	fmt.Fprintf(w, "Slogan: %s\n", strings.TrimSuffix(slogan, "\n"))
	fmt.Fprintf(w, "System version: %s", systemVersionText())
	fmt.Fprintf(w, "Taints: \nAtoms: %d\n", atom.Count())
	writeMemory(w)
	writeProcs(w)
	writeNode(w)
	fmt.Fprint(w, "=loaded_modules\n")
	writeModules(w, true)
	fmt.Fprint(w, "=atoms\n")
	for i := atom.Count() - 1; i >= 0; i-- {
		fmt.Fprintf(w, "%s\n", atom.Atom(i).String())
	}
	fmt.Fprint(w, "=end\n")
}

// stateText is system_info(info | procs | loaded | dist).
func stateText(what string) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	switch what {
	case "info":
		writeMemory(w)
	case "procs":
		writeProcs(w)
	case "loaded":
		writeModules(w, false)
	case "dist":
		writeNode(w)
	}
	w.Flush()
	return b.Bytes()
}

func writeMemory(w *bufio.Writer) {
	mem := func(ps ...offheap.Purpose) (n int64) {
		for _, p := range ps {
			b, _ := offheap.Usage(p)
			n += b
		}
		return n
	}
	total, procs := offheap.TotalUsage(), mem(offheap.Heap, offheap.Fragment, offheap.Proc)
	atoms := atom.Count() * 40
	fmt.Fprintf(w, "=memory\ntotal: %d\nprocesses: %d\nprocesses_used: %d\nsystem: %d\n", total, procs, procs, total-procs)
	fmt.Fprintf(w, "atom: %d\natom_used: %d\nbinary: %d\ncode: %d\nets: %d\n",
		atoms, atoms, mem(offheap.Binary), mem(offheap.Code, offheap.Literal), mem(offheap.Ets))
	fmt.Fprintf(w, "=index_table:atom_tab\nsize: %d\nlimit: %d\nentries: %d\n", atom.Count(), atom.Limit(), atom.Count())
}

func writeNode(w *bufio.Writer) {
	n := term.ThisNode()
	fmt.Fprintf(w, "=node:%s\n", n.Name.String())
	if n.Name == atom.NonodeNohost {
		fmt.Fprint(w, "=no_distribution\n")
	}
}

// writeModules lists the modules with the bytes of their code; detailed is the
// form of crash dumps.
func writeModules(w *bufio.Writer, detailed bool) {
	type row struct {
		name     string
		cur, old int
	}
	var rows []row
	curAll, oldAll := 0, 0
	size := func(m *code.Module) int {
		if m == nil {
			return 0
		}
		return int(m.CodeEnd - m.Code)
	}
	t := epoch.Pin()
	defer t.Unpin()
	for _, name := range code.LoadedModules() {
		r := row{name: name.Atom().String(), cur: size(code.Current(name)), old: size(code.Old(name))}
		curAll, oldAll = curAll+r.cur, oldAll+r.old
		rows = append(rows, r)
	}
	fmt.Fprintf(w, "Current code: %d\nOld code: %d\n", curAll, oldAll)
	for _, r := range rows {
		switch {
		case detailed:
			fmt.Fprintf(w, "=mod:%s\nCurrent size: %d\n", r.name, r.cur)
			if r.old > 0 {
				fmt.Fprintf(w, "Old size: %d\n", r.old)
			}
		case r.old > 0:
			fmt.Fprintf(w, "%s %d (%d old)\n", r.name, r.cur, r.old)
		default:
			fmt.Fprintf(w, "%s %d\n", r.name, r.cur)
		}
	}
}

// writeProcs describes the processes and the ports. Others may be running: what
// is read here is approximate, and what only a process itself can read without
// harm, stack and messages, is left out.
func writeProcs(w *bufio.Writer) {
	t := epoch.Pin()
	proc.Each(func(p *proc.Process) bool {
		writeProc(w, p)
		return true
	})
	t.Unpin()
	writePorts(w)
}

func writePorts(w *bufio.Writer) {
	for _, id := range port.IDs() {
		p := port.Lookup(id)
		if p == nil {
			continue
		}
		if i := p.Info(); i != nil {
			writePort(w, i, p.DriverName())
		}
	}
}

func pidText(t term.Term) string {
	if t.IsInternalPid() {
		return fmt.Sprintf("<0.%d.%d>", t.ID()&0x7FFF, t.ID()>>15)
	}
	return "[]"
}

func writeProc(w *bufio.Writer, p *proc.Process) {
	fmt.Fprintf(w, "=proc:%s\nState: %s\n", pidText(p.ID), p.StatusText())
	if n := p.Name(); n != term.None {
		fmt.Fprintf(w, "Name: %s\n", n.Atom().String())
	}
	fmt.Fprintf(w, "Spawned as: %s\nSpawned by: %s\n", p.Initial.String(), pidText(p.Parent))
	fmt.Fprintf(w, "Message queue length: %d\nReductions: %d\nStack+heap: %d\nOldHeap: %d\nHeap unused: %d\n",
		p.NumMessages(), p.Reds, (p.End-p.Start)/8, (p.OldEnd-p.OldStart)/8, (p.E-p.HP)/8)
	if m, f := code.Find(p.IP); m != nil && f != nil {
		fmt.Fprintf(w, "Program counter: %#016x (%s + %d)\n", p.IP, f.MFA.String(), p.IP-f.Info)
	}
}

func writePort(w *bufio.Writer, i *port.Info, driver string) {
	fmt.Fprintf(w, "=port:%s\nState: CONNECTED\nSlot: %d\nConnected: %s\n", i.ID.String(), i.ID.ID(), pidText(i.Owner))
	if i.RegName != term.None {
		fmt.Fprintf(w, "Registered as: %s\n", i.RegName.Atom().String())
	}
	if len(i.Links) > 0 {
		fmt.Fprint(w, "Links:")
		for _, l := range i.Links {
			fmt.Fprintf(w, " %s", pidText(l))
		}
		fmt.Fprintln(w)
	}
	switch driver {
	case "fd":
		fmt.Fprintf(w, "Port is UNIX fd not opened by emulator: %s\n", i.Name)
	case "vanilla":
		fmt.Fprintf(w, "Port is a file: %s\n", i.Name)
	case "spawn":
		fmt.Fprintf(w, "Port controls external process: %s\n", i.Name)
	case "forker":
		fmt.Fprintf(w, "Port controls forker process: %s\n", i.Name)
	default:
		fmt.Fprintf(w, "Port controls linked-in driver: %s\n", i.Name)
	}
	fmt.Fprintf(w, "Input: %d\nOutput: %d\nQueue: %d\n", i.In, i.Out, i.Queue)
}
