package dist

import (
	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// signal is what goes to another node, before it is known in which words: that
// depends on the peer.
type signal struct {
	op   int // wire.OpLink, wire.OpSend …, of each family the plain one
	id   uint64
	a, b term.Term // most often from and to
	c    term.Term // reference, or what the op needs
	d, e term.Term
	msg  term.Term // message, reason, argument list; None: no payload
}

func (s *signal) terms() []*term.Term {
	return []*term.Term{&s.a, &s.b, &s.c, &s.d, &s.e, &s.msg}
}

// control builds the control message and returns the payload, if any. skip: the
// peer does not know such a signal.
func (s *signal) control(h *heap.Heap, flags uint64) (ctl, msg term.Term, skip bool) {
	op := func(n int) term.Term { return term.Small(int64(n)) }
	payload := flags&wire.FlagExitPayload != 0
	switch s.op {
	case wire.OpLink, wire.OpGroupLeader:
		return h.Tuple(op(s.op), s.a, s.b), term.None, false
	case wire.OpUnlinkID:
		if flags&wire.FlagUnlinkID == 0 {
			return h.Tuple(op(wire.OpUnlink), s.a, s.b), term.None, false
		}
		return h.Tuple(op(wire.OpUnlinkID), h.Uint(s.id), s.a, s.b), term.None, false
	case wire.OpUnlinkIDAck:
		return h.Tuple(op(wire.OpUnlinkIDAck), h.Uint(s.id), s.a, s.b), term.None, flags&wire.FlagUnlinkID == 0
	case wire.OpSend:
		if flags&wire.FlagSendSender != 0 {
			return h.Tuple(op(wire.OpSendSender), s.a, s.b), s.msg, false
		}
		return h.Tuple(op(wire.OpSend), amEmpty, s.b), s.msg, false
	case wire.OpRegSend:
		return h.Tuple(op(wire.OpRegSend), s.a, amEmpty, s.b), s.msg, false
	case wire.OpAliasSend:
		return h.Tuple(op(wire.OpAliasSend), s.a, s.b), s.msg, flags&wire.FlagAlias == 0
	case wire.OpExit, wire.OpExit2:
		if payload {
			return h.Tuple(op(payloadOps[s.op]), s.a, s.b), s.msg, false
		}
		return h.Tuple(op(s.op), s.a, s.b, s.msg), term.None, false
	case wire.OpMonitorP, wire.OpDemonitorP:
		return h.Tuple(op(s.op), s.a, s.b, s.c), term.None, ^flags&flagsMonitor != 0
	case wire.OpMonitorPExit:
		if payload {
			return h.Tuple(op(wire.OpPayloadMonPExit), s.a, s.b, s.c), s.msg, ^flags&flagsMonitor != 0
		}
		return h.Tuple(op(wire.OpMonitorPExit), s.a, s.b, s.c, s.msg), term.None, ^flags&flagsMonitor != 0
	case wire.OpSpawnRequest:
		return h.Tuple(op(wire.OpSpawnRequest), s.c, s.a, s.b, s.d, s.e), s.msg, flags&wire.FlagSpawn == 0
	case wire.OpSpawnReply:
		return h.Tuple(op(wire.OpSpawnReply), s.c, s.a, s.d, s.e), term.None, flags&wire.FlagSpawn == 0
	}
	panic("dist: signal without a form")
}

var amEmpty = term.Intern("")

// payloadOps are the control messages whose reason goes as a payload.
var payloadOps = map[int]int{wire.OpExit: wire.OpPayloadExit, wire.OpExit2: wire.OpPayloadExit2}
