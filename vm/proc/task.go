package proc

import (
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

var amCopyLiterals = term.Intern("copy_literals")

// System tasks run in a process but are not its own work: collections, checks
// for old code, literal copies. They run for suspended processes too. A task is
// a Signal whose Term is {Requester, Type, ReqId, Args…}; the answer is
// {Type, ReqId, Result}.

// TaskFunc does a task of a type. h is where to build the result. A done of
// false means that the task must be tried again.
type TaskFunc func(p *Process, args []term.Term) (result term.Term, done bool)

// Tasks are the known types of tasks, by atom.
var Tasks = map[term.Term]TaskFunc{term.Intern("garbage_collect"): CollectTask}

// TheEngine runs the processes; set before the first one.
var TheEngine Engine

// RequestTask asks p's process to to do a task. requester gets the answer.
// found is false when the process is gone: the caller answers itself.
func RequestTask(ctx *Ctx, requester, to, typ, reqID term.Term, args []term.Term) (found bool) {
	q := Lookup(to)
	if q == nil {
		return false
	}
	n := sizeOf(requester, false) + sizeOf(reqID, false) + 4 + len(args)
	for _, a := range args {
		n += sizeOf(a, false)
	}
	s := newSignal(sigMessage, n)
	els := []term.Term{s.copyIn(requester, false), typ, s.copyIn(reqID, false)}
	for _, a := range args {
		els = append(els, s.copyIn(a, false))
	}
	s.Term = s.tuple(els...)
	for {
		old := atomic.LoadUintptr(&q.tasks)
		if old == inqClosed {
			s.free()
			return false
		}
		s.Next = (*heap.Fragment)(unsafe.Add(nil, old))
		if atomic.CompareAndSwapUintptr(&q.tasks, old, offheap.Addr(s)) {
			break
		}
	}
	q.wake(ctx, stSys)
	return true
}

// takeTasks returns the tasks asked for, oldest first.
func (p *Process) takeTasks(close bool) *Signal {
	var repl uintptr
	if close {
		repl = inqClosed
	}
	a := atomic.SwapUintptr(&p.tasks, repl)
	if a == inqClosed {
		return nil
	}
	var head *Signal
	for s := offheap.At[Signal](a); s != nil; {
		n := s.next()
		s.setNext(head)
		head = s
		s = n
	}
	return head
}

// runTasks does the system tasks. It holds p's token between slices.
func (p *Process) runTasks() {
	p.clearBits(stSys)
	for s := p.takeTasks(false); s != nil; {
		n := s.next()
		p.runTask(s)
		s = n
	}
}

func (p *Process) runTask(s *Signal) {
	t := s.Term
	args := make([]term.Term, 0, 4)
	for i := 4; i <= t.Arity(); i++ {
		args = append(args, t.El(i))
	}
	r := term.False
	if f := Tasks[t.El(2)]; f != nil && !p.ExitBegun() {
		r, _ = f(p, args)
	}
	p.answerTask(t, r)
	s.free()
}

func (p *Process) answerTask(t, r term.Term) {
	AnswerTask(p.Ctx, t.El(1), t.El(2), t.El(3), r)
}

// AnswerTask sends {Type, ReqId, Result}.
func AnswerTask(ctx *Ctx, requester, typ, reqID, r term.Term) {
	m := newSignal(sigMessage, 4+sizeOf(reqID, false)+sizeOf(r, false))
	id := m.copyIn(reqID, false)
	v := m.copyIn(r, false)
	m.Term = m.tuple(typ, id, v)
	sendTo(ctx, requester, m)
}

// closeTasks answers the tasks of a process that exits; none are accepted
// afterwards.
func (p *Process) closeTasks() {
	for s := p.takeTasks(true); s != nil; {
		n := s.next()
		r := term.False
		if s.Term.El(2) == amCopyLiterals {
			r = term.AmOk
		}
		p.answerTask(s.Term, r)
		s.free()
		s = n
	}
}

// CollectTask is the task garbage_collect; its argument is major or minor.
func CollectTask(p *Process, args []term.Term) (term.Term, bool) {
	p.setBits(stGC)
	TheEngine.Collect(p, len(args) == 0 || args[0] != amMinor)
	p.clearBits(stGC)
	return term.True, true
}

var amMinor = term.Intern("minor")
