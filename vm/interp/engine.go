package interp

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Engine is the interpreter as proc.Engine.
type Engine struct {
	// MaxBudget, when not 0, bounds the reductions of a slice: tests yield
	// at every call with 1.
	MaxBudget int
}

// New sets up the static code and the hooks of vm/code and vm/proc, once, and
// returns the engine. Call it before rows are installed and modules loaded.
func New() *Engine {
	en := &Engine{}
	for _, t := range strings.Split(os.Getenv("BEAMRD_DEBUG"), ",") {
		name, arg, _ := strings.Cut(t, "=")
		n, _ := strconv.Atoi(arg)
		switch name {
		case "gcstress":
			gc.Stress, gc.StressEvery = invariants.Enabled, max(n, 1)
		case "reds":
			en.MaxBudget = n
		}
	}
	setupOnce.Do(setup)
	return en
}

// stressed counts opportunities to collect under gc.Stress.
var stressed atomic.Uint64

// spared tells whether an opportunity to collect is passed by: under gc.Stress
// only every StressEvery-th one is taken, unless there is a need.
func spared(p *proc.Process, need int) bool {
	return gc.Stress && gc.StressEvery > 1 && p.E-p.HP >= uintptr(need)*8 && !needsGC(p) &&
		stressed.Add(1)%uint64(gc.StressEvery) != 0
}

var setupOnce sync.Once

// regs is what belongs to a register file but lives in the Go heap.
type regs struct {
	call  native.Call
	roots []gc.Roots
	add   func(addr uintptr, n int)
}

var (
	allRegs   atomic.Pointer[[]*regs]
	allRegsMu sync.Mutex
)

func regsOf(c *proc.Ctx) *regs { return (*allRegs.Load())[c.Index-1] }

func enter(c *proc.Ctx) {
	allRegsMu.Lock()
	defer allRegsMu.Unlock()
	var n []*regs
	if p := allRegs.Load(); p != nil {
		n = append(n, *p...)
	}
	r := &regs{}
	r.call.Ctx = c
	r.add = func(addr uintptr, n int) {
		if n > 0 {
			r.roots = append(r.roots, gc.Roots{Addr: addr, N: n})
		}
	}
	n = append(n, r)
	allRegs.Store(&n)
	c.Index = int64(len(n))
}

// Run executes p for about budget reductions. On the register file of a dirty
// thread it executes the one call that is pending.
func (en *Engine) Run(c *proc.Ctx, p *proc.Process, budget int) proc.Outcome {
	if c.Index == 0 {
		enter(c)
	}
	if en.MaxBudget > 0 && budget > en.MaxBudget && c.SchedID > 0 {
		budget = en.MaxBudget
	}
	c.P, p.Ctx = p, c
	c.Reds, p.FCalls = int64(budget), int64(budget)
	c.Exit = 0
	p.InNative = false
	restoreLive(c, p)
	out := proc.Outcome(loop(offheap.Addr(c)) - 1)
	if out != proc.Exited {
		p.Reds += uint64(max(c.Reds-p.FCalls, 0))
		p.Ctx = nil
	}
	c.P = nil
	return out
}

// Collect collects p's heap while it is not running: its registers are in
// SaveX, which VisitRoots shows.
func (*Engine) Collect(p *proc.Process, full bool) {
	var roots []gc.Roots
	p.VisitRoots(func(addr uintptr, n int) {
		if n > 0 {
			roots = append(roots, gc.Roots{Addr: addr, N: n})
		}
	})
	done := traceGC(p, 0, full)
	ok := gc.Collect(&p.Heap, roots, 0, full)
	done()
	if !ok {
		p.Raise(proc.ClassExit, term.AmKilled)
		p.Freason = proc.ClassExit
		p.Terminate(term.AmKilled)
	}
}

// saveLive keeps the first n X registers in the process.
func saveLive(c *proc.Ctx, p *proc.Process, n int) {
	if int64(n) > p.SaveCap {
		if p.SaveX != 0 {
			offheap.Free(p.SaveX, uintptr(p.SaveCap)*8, offheap.Proc)
		}
		p.SaveCap = int64(max(n, 6))
		p.SaveX = offheap.Alloc(uintptr(p.SaveCap)*8, offheap.Proc)
	}
	for i := range n {
		term.PutTerm(p.SaveX, i, c.X[i])
	}
	p.Live = int64(n)
}

func restoreLive(c *proc.Ctx, p *proc.Process) {
	for i := range int(p.Live) {
		c.X[i] = term.Term(term.Get(p.SaveX, i))
	}
	p.Live = 0
}

// leave ends the run with an outcome, keeping n X registers.
func leave(c *proc.Ctx, p *proc.Process, out proc.Outcome, n int) {
	saveLive(c, p, n)
	c.Exit = uint64(out) + 1
}

// collect makes room for need words, with live X registers and perhaps one
// more term that the caller still has to store. It returns false when the
// process had to be killed.
func collect(c *proc.Ctx, p *proc.Process, live, need int, extra *uint64) bool {
	if invariants.Enabled && spared(p, need) {
		return true
	}
	r := regsOf(c)
	r.roots = r.roots[:0]
	r.add(offheap.Addr(c), live)
	if extra != nil {
		st(offheap.Addr(c)+offArgs, *extra)
		r.add(offheap.Addr(c)+offArgs, 1)
	}
	p.VisitRoots(r.add)
	if invariants.Enabled {
		invariants.Assertf(p.HP <= p.E, "heap top %#x above the stack %#x", p.HP, p.E)
	}
	done := traceGC(p, need, false)
	ok := gc.Collect(&p.Heap, r.roots, need, false)
	done()
	p.FCalls -= int64(gc.Reductions(&p.Heap))
	if extra != nil {
		*extra = ld(offheap.Addr(c) + offArgs)
	}
	if !ok {
		exitNow(c, p, term.AmKilled)
	}
	return ok
}

// wantsGC tells whether fragments or binaries have grown so much that a
// collection is due.
func wantsGC(p *proc.Process) bool {
	return needsGC(p) || invariants.Enabled && gc.Stress
}

func needsGC(p *proc.Process) bool {
	return p.FragWords*8 > uint64(p.E-p.HP) || p.Off.Words > p.VHeap && p.VHeap != 0 ||
		p.Heap.Flags&heap.ForceGC != 0
}

// exitNow ends p with an exit reason that nothing can catch.
func exitNow(c *proc.Ctx, p *proc.Process, reason term.Term) {
	p.Raise(proc.ClassExit, reason)
	p.Freason = proc.ClassExit
	p.Terminate(reason)
	c.Exit = uint64(proc.Exited) + 1
}

// runCold executes an instruction outside the loop.
func runCold(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	f := coldOps[w&511]
	if f == nil {
		invariants.Failf("instruction %d at %#x does not exist", w&511, p.IP)
	}
	f(c, p, w)
}

// Slow paths of the frame instructions. Each does the whole instruction.

func allocSlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	makeFrame(c, p, uintptr(w>>16&0xffff), 0, int(w>>9&127), 1)
}

func allocMoveSlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	makeFrame(c, p, uintptr(w>>16&0xffff), 0, int(w>>9&127), 1)
	if c.Exit == 0 {
		st(p.E+uintptr(w>>48), ld(x+uintptr(w>>32&0xffff)))
	}
}

func allocHeapSlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	makeFrame(c, p, uintptr(w>>16&0xffff), uintptr(w>>32&0xffff), int(w>>9&127), 1)
}

func testHeapSlow(x uintptr) {
	c, p := at(x)
	w := ld(p.IP)
	if collect(c, p, int(w>>9&127), int(w>>16&0xffff)/8, nil) {
		p.IP += 8
	}
}

// opAllocateBig: frame words (0: none, else with the continuation pointer),
// heap words, live.
func opAllocateBig(c *proc.Ctx, p *proc.Process, w uint64) {
	makeFrame(c, p, uintptr(opw(p, 1))*8, uintptr(opw(p, 2))*8, int(opw(p, 3)), uintptr(w>>16&0xffff))
}

func makeFrame(c *proc.Ctx, p *proc.Process, frame, room uintptr, live int, words uintptr) {
	if p.E-p.HP < frame+room || invariants.Enabled && gc.Stress {
		if !collect(c, p, live, int(frame+room)/8, nil) {
			return
		}
	}
	if frame > 0 {
		p.E -= frame
		st(p.E, uint64(term.Nil))
	}
	p.IP += words * 8
}

// yieldAtEntry ends the slice at a function's entry, whose header tells the
// number of live registers.
func yieldAtEntry(x uintptr) {
	c, p := at(x)
	if isStatic(p.IP) { // no header to trust: the stub's helper runs first
		runCold(x)
		return
	}
	leave(c, p, proc.Yielded, int(ld(p.IP-16)))
}

func yieldAtReturn(x uintptr) {
	c, p := at(x)
	leave(c, p, proc.Yielded, 1)
}

// opCostlyJump: branch, live. It closes loops that have no calls.
func opCostlyJump(c *proc.Ctx, p *proc.Process, _ uint64) {
	n := int(opw(p, 2))
	branch(p, 1)
	if p.FCalls--; p.FCalls <= 0 {
		leave(c, p, proc.Yielded, n)
	}
}

func opNormalExit(c *proc.Ctx, p *proc.Process, _ uint64) {
	exitNow(c, p, term.AmNormal)
}
