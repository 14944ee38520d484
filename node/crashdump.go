package node

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func versionText() string { return sysconf.C.ErtsVersion }

// crashDump writes erl_crash.dump (ERL_CRASH_DUMP names another file), in the
// format of ERTS 0.5 as far as it goes: header, memory, processes, ports, atoms.
// ERL_CRASH_DUMP_SECONDS of 0 means none, and so does a heart when it is not set;
// a positive number bounds the time.
func crashDump(slogan string) {
	secs := -1
	v, set := os.LookupEnv("ERL_CRASH_DUMP_SECONDS")
	if set {
		secs, _ = strconv.Atoi(v)
	}
	if secs == 0 {
		return
	}
	if secs > 0 {
		time.AfterFunc(time.Duration(secs)*time.Second, func() { os.Exit(1) })
	}
	if port.WarnHeart() && !set {
		return // the heart would not wait for it
	}
	name := os.Getenv("ERL_CRASH_DUMP")
	if name == "" {
		name = "erl_crash.dump"
	}
	fmt.Fprintf(os.Stderr, "\nCrash dump is being written to: %s...", name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		fmt.Fprintf(os.Stderr, "failed: %v\n", err)
		return
	}
	w := bufio.NewWriter(f)
	writeDump(w, slogan)
	w.Flush()
	f.Close()
	fmt.Fprint(os.Stderr, "done\n")
}

func writeDump(w *bufio.Writer, slogan string) {
	fmt.Fprintf(w, "=erl_crash_dump:0.5\n%s\n", time.Now().Format(time.ANSIC))
	fmt.Fprintf(w, "Slogan: %s\n", strings.TrimSuffix(slogan, "\n"))
	fmt.Fprintf(w, "System version: %s", systemVersionText())
	fmt.Fprintf(w, "Taints: (none)\nAtoms: %d\n", atom.Count())
	mem := func(ps ...offheap.Purpose) (n int64) {
		for _, p := range ps {
			b, _ := offheap.Usage(p)
			n += b
		}
		return n
	}
	procs := mem(offheap.Heap, offheap.Fragment, offheap.Proc)
	fmt.Fprintf(w, "=memory\ntotal: %d\nprocesses: %d\nprocesses_used: %d\nsystem: %d\natom: %d\natom_used: %d\nbinary: %d\ncode: %d\nets: %d\n",
		offheap.TotalUsage(), procs, procs, offheap.TotalUsage()-procs, atom.Count()*40, atom.Count()*40,
		mem(offheap.Binary), mem(offheap.Code, offheap.Literal), mem(offheap.Ets))
	t := epoch.Pin()
	proc.Each(func(p *proc.Process) bool {
		writeProc(w, p)
		return true
	})
	t.Unpin()
	for _, id := range port.IDs() {
		if p := port.Lookup(id); p != nil {
			if i := p.Info(); i != nil {
				fmt.Fprintf(w, "=port:#Port<0.%d>\nSlot: %d\nConnected: %s\nPort controls external process: %s\n", id.ID(), id.ID(), pidText(i.Owner), i.Name)
			}
		}
	}
	fmt.Fprint(w, "=atoms\n")
	for i := atom.Count() - 1; i >= 0; i-- {
		fmt.Fprintf(w, "%s\n", atom.Atom(i).String())
	}
	fmt.Fprint(w, "=end\n")
}

func pidText(t term.Term) string {
	if t.IsInternalPid() {
		return fmt.Sprintf("<0.%d.%d>", t.ID()&0x7FFF, t.ID()>>15)
	}
	return "[]"
}

// writeProc describes a process. Others may be running: what is read here is
// approximate.
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
