package proc

import (
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// The release of a literal area: it is made known while all schedulers are
// stopped (BeginRelease); from then on copies share no literals. Every process
// then moves its references to a copy of its own when asked by a system task,
// or when it exits. What exits already is waited for: such processes are
// counted by the generation in which they left the process table.
var release struct {
	span    heap.Span // Lo is 0 when nothing is being released
	gen     uint32
	leaving [2]atomic.Int64
}

// BeginRelease makes the area known that is to be released. The schedulers are
// stopped, and no other thread copies terms.
func BeginRelease(lo, hi uintptr) {
	release.span = heap.Span{Lo: lo, Hi: hi}
	release.gen++
	heap.CopyLiterals(true)
}

// EndRelease is called, with the schedulers stopped, when nobody refers to the
// area any more.
func EndRelease() {
	release.span = heap.Span{}
	heap.CopyLiterals(false)
}

// LeavingBefore returns how many processes that had left the process table
// before BeginRelease still exist.
func LeavingBefore() int64 { return release.leaving[(release.gen-1)&1].Load() }

// beginLeave is called by an exiting process before it leaves the table.
func (p *Process) beginLeave() {
	p.dropLiterals()
	p.leaveGen = uint8(release.gen&1) + 1
	release.leaving[release.gen&1].Add(1)
}

func (p *Process) endLeave() {
	if p.leaveGen > 0 {
		release.leaving[p.leaveGen-1].Add(-1)
		p.leaveGen = 0
	}
}

// DropLiterals makes p, whose token the caller holds, independent of the area
// that is being released.
func (p *Process) DropLiterals() {
	p.fetch()
	p.dropLiterals()
}

func (p *Process) dropLiterals() {
	s := release.span
	if s.Lo == 0 {
		return
	}
	waiting := []*Signal{p.msgHead, p.restHead}
	if a := atomic.LoadUintptr(&p.tasks); a > inqClosed {
		waiting = append(waiting, offheap.At[Signal](a))
	}
	for _, q := range waiting {
		for ; q != nil; q = q.next() {
			q.dropLiterals(s)
		}
	}
	if !p.refersTo(s) {
		return
	}
	var off heap.OffHeap
	f := heap.CopySpan(s, &off)
	to := f.Base()
	p.spans(func(a, end uintptr) { heap.Relocate(a, end, s, to) })
	p.slots(func(a uintptr, n int) { heap.RelocateSlots(a, n, s, to) })
	joinOffHeap(&p.Off, &off)
	f.Next = p.Frags
	p.Frags = f
	p.FragWords += uint64(f.Used())
	// Old terms refer to the fragment now, which is young: no minor collection
	// may come before a full one.
	p.Heap.Flags |= heap.NeedFullsweep | heap.ForceGC
}

func (p *Process) refersTo(s heap.Span) (yes bool) {
	p.spans(func(a, end uintptr) { yes = yes || heap.Refers(a, end, s) })
	p.slots(func(a uintptr, n int) { yes = yes || heap.SlotsRefer(a, n, s) })
	return yes
}

// spans calls f with the runs of objects of p's heap.
func (p *Process) spans(f func(a, end uintptr)) {
	f(p.Start, p.HP)
	f(p.OldStart, p.OldHP)
	for fr := p.Frags; fr != nil; fr = fr.Next {
		f(fr.Base(), fr.HP)
	}
}

// slots calls f with the runs of term slots outside the objects.
func (p *Process) slots(f func(a uintptr, n int)) {
	f(p.E, int(p.End-p.E)/8)
	p.VisitRoots(f)
}

// dropLiterals is the same for a message.
func (q *Signal) dropLiterals(s heap.Span) {
	terms := offheap.Addr(q) + sigSize
	refers := heap.Refers(terms, q.HP, s) || heap.SlotsRefer(offheap.Addr(&q.Term), 1, s)
	for f := q.more; f != nil; f = f.Next {
		refers = refers || heap.Refers(f.Base(), f.HP, s)
	}
	if !refers {
		return
	}
	f := heap.CopySpan(s, &q.off)
	to := f.Base()
	heap.Relocate(terms, q.HP, s, to)
	heap.RelocateSlots(offheap.Addr(&q.Term), 1, s, to)
	for g := q.more; g != nil; g = g.Next {
		heap.Relocate(g.Base(), g.HP, s, to)
	}
	f.Next = q.more
	q.more = f
}

var _ = addLiteralTask()

func addLiteralTask() bool {
	Tasks[amCopyLiterals] = func(p *Process, _ []term.Term) (term.Term, bool) {
		p.DropLiterals()
		return term.AmOk, true
	}
	return true
}
