package trace

import (
	"sync"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Sequential tracing. A token is a tuple {Flags, Label, Serial, From, LastCnt}
// on the heap of its process; messages carry copies.

// Bits of the flags of a token.
const (
	SeqSendFlag = 1 << iota
	SeqReceiveFlag
	SeqPrintFlag
	seqNow
	seqStrict
	seqMono

	seqStampShift = 3
)

var seqFlags = map[term.Term]int64{
	term.Intern("send"): SeqSendFlag, term.Intern("receive"): SeqReceiveFlag, term.Intern("print"): SeqPrintFlag,
	term.Intern("timestamp"): seqNow, term.Intern("strict_monotonic_timestamp"): seqStrict,
	term.Intern("monotonic_timestamp"): seqMono,
}

var (
	amLabel    = term.Intern("label")
	amSerial   = term.Intern("serial")
	amSeqToken = term.Intern("sequential_trace_token")
	amSeqTrace = term.Intern("seq_trace")
	amPrint    = term.Intern("print")
)

// seqTracer gets the messages of sequential tracing.
var seqTracer struct {
	sync.Mutex
	to term.Term // pid or port, or None
}

// SeqTracer returns the system's sequential tracer, or None.
func SeqTracer() term.Term {
	seqTracer.Lock()
	defer seqTracer.Unlock()
	if seqTracer.to != term.None && !Alive(seqTracer.to) {
		seqTracer.to = term.None
	}
	return seqTracer.to
}

// SetSeqTracer sets it and returns the old one.
func SetSeqTracer(to term.Term) (old term.Term) {
	old = SeqTracer()
	seqTracer.Lock()
	defer seqTracer.Unlock()
	seqTracer.to = to
	return old
}

// newToken gives p a token of its own that may be changed.
func newToken(p *proc.Process) term.Term {
	h := &p.Heap
	if p.SeqToken == term.None {
		p.SeqToken = h.Tuple(term.Small(0), term.Small(0), term.Small(0), p.ID, h.Uint(p.SeqLast))
		return p.SeqToken
	}
	t := p.SeqToken
	p.SeqToken = h.Tuple(t.El(1), t.El(2), t.El(3), t.El(4), t.El(5))
	return p.SeqToken
}

// setEl changes an element of p's token, which newToken made.
func setEl(t term.Term, i int, v term.Term) { t.SetW(i, uint64(v)) }

// SeqSet is seq_trace(What, Value): it returns the old value, or None when the
// arguments are wrong.
func SeqSet(p *proc.Process, what, v term.Term) term.Term {
	if !what.IsAtom() {
		return term.None
	}
	if bit := seqFlags[what]; bit != 0 && v.IsBool() {
		t := newToken(p)
		flags := t.El(1).Small()
		old := term.Bool(flags&bit != 0)
		if v == term.True {
			setEl(t, 1, term.Small(flags|bit))
		} else {
			setEl(t, 1, term.Small(flags&^bit))
		}
		return old
	}
	switch what {
	case amLabel:
		t := newToken(p)
		old := t.El(2)
		setEl(t, 2, v)
		return old
	case amSerial:
		if !v.IsTuple() || v.Arity() != 2 || !v.El(1).IsSmall() || !v.El(2).IsSmall() {
			return term.None
		}
		t := newToken(p)
		old := p.Heap.Tuple(t.El(5), t.El(3))
		setEl(t, 5, v.El(1))
		setEl(t, 3, v.El(2))
		p.SeqClock, p.SeqLast = uint64(v.El(2).Small()), uint64(v.El(1).Small())
		return old
	case amSeqToken:
		if v != term.Nil {
			return term.None
		}
		old := p.SeqToken
		if old == term.None {
			old = term.Nil
		}
		p.SeqToken = term.None
		return old
	}
	return term.None
}

// SeqInfo is seq_trace_info(What); None when the argument is wrong.
func SeqInfo(p *proc.Process, what term.Term) term.Term {
	h, t := &p.Heap, p.SeqToken
	bit := seqFlags[what]
	if t == term.None {
		switch {
		case bit != 0 || what == amSpawn:
			return h.Tuple(what, term.False)
		case what == amLabel || what == amSerial:
			return term.Nil
		}
		return term.None
	}
	switch {
	case bit != 0:
		return h.Tuple(what, term.Bool(t.El(1).Small()&bit != 0))
	case what == amLabel:
		return h.Tuple(what, t.El(2))
	case what == amSerial:
		return h.Tuple(what, h.Tuple(t.El(5), t.El(3)))
	}
	return term.None
}

// step counts p's token on for a message that leaves it.
func step(p *proc.Process) {
	if SeqTracer() == p.ID { // nobody hears of itself
		return
	}
	t := newToken(p)
	p.SeqClock++
	setEl(t, 4, p.ID)
	setEl(t, 3, p.Heap.Uint(p.SeqClock))
	setEl(t, 5, p.Heap.Uint(p.SeqLast))
}

// output tells the sequential tracer {seq_trace, Label, {What, Serial, From,
// To, Msg}}.
func output(p *proc.Process, token, what term.Term, bit int64, to, msg term.Term) {
	tracer := SeqTracer()
	flags := token.El(1).Small()
	if tracer == term.None || tracer == p.ID || flags&bit == 0 || p.Flags&proc.FlagSensitive != 0 {
		return
	}
	var h heap.Heap
	info := h.Tuple(what, h.Tuple(copyTo(&h, token.El(5)), copyTo(&h, token.El(3))), copyTo(&h, token.El(4)),
		copyTo(&h, to), copyTo(&h, msg))
	els := []term.Term{amSeqTrace, copyTo(&h, token.El(2)), info}
	if st := uint64(flags) >> seqStampShift & proc.TraceStamps; st != 0 {
		els = append(els, Stamp(&h, st))
	}
	m := h.Tuple(els...)
	if tracer.IsInternalPort() {
		sendPort(tracer, &h, m)
		return
	}
	proc.DeliverFrom(p.Ctx, tracer, &h, m)
}

// SeqSend implements proc.TraceOps.
func (ops) SeqSend(p *proc.Process, to, msg term.Term) {
	step(p)
	output(p, p.SeqToken, amSend, SeqSendFlag, to, msg)
}

// seqSpawn gives a new process the token of its parent, as a message would. The
// request itself is not reported.
func seqSpawn(parent, child *proc.Process) {
	step(parent)
	child.SeqToken = heap.CopyTo(&child.Heap, parent.SeqToken)
	n := uint64(parent.SeqToken.El(3).Small())
	child.SeqClock, child.SeqLast = n, n
}

// SeqReceive implements proc.TraceOps.
func (ops) SeqReceive(p *proc.Process, token, msg term.Term) {
	n := uint64(token.El(3).Small())
	p.SeqLast = n
	p.SeqClock = max(p.SeqClock, n)
	output(p, token, amReceive, SeqReceiveFlag, p.ID, msg)
}

// SeqPrint is seq_trace_print: false when p has no token, or one of another
// label (None: any).
func SeqPrint(p *proc.Process, label, msg term.Term) bool {
	if p.SeqToken == term.None || label != term.None && !term.Same(label, p.SeqToken.El(2)) {
		return false
	}
	step(p)
	output(p, p.SeqToken, amPrint, SeqPrintFlag, term.Nil, msg)
	return true
}
