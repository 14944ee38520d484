package dist

import (
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// signal is what goes to another node, before it is known in which words: that
// depends on the peer.
type signal struct {
	op   int // opLink, opSend …, of each family the plain one
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
	payload := flags&FlagExitPayload != 0
	switch s.op {
	case opLink, opGroupLeader:
		return h.Tuple(op(s.op), s.a, s.b), term.None, false
	case opUnlinkID:
		if flags&FlagUnlinkID == 0 {
			return h.Tuple(op(opUnlink), s.a, s.b), term.None, false
		}
		return h.Tuple(op(opUnlinkID), h.Uint(s.id), s.a, s.b), term.None, false
	case opUnlinkIDAck:
		return h.Tuple(op(opUnlinkIDAck), h.Uint(s.id), s.a, s.b), term.None, flags&FlagUnlinkID == 0
	case opSend:
		if flags&FlagSendSender != 0 {
			return h.Tuple(op(opSendSender), s.a, s.b), s.msg, false
		}
		return h.Tuple(op(opSend), amEmpty, s.b), s.msg, false
	case opRegSend:
		return h.Tuple(op(opRegSend), s.a, amEmpty, s.b), s.msg, false
	case opAliasSend:
		return h.Tuple(op(opAliasSend), s.a, s.b), s.msg, flags&FlagAlias == 0
	case opExit, opExit2:
		if payload {
			return h.Tuple(op(payloadOps[s.op]), s.a, s.b), s.msg, false
		}
		return h.Tuple(op(s.op), s.a, s.b, s.msg), term.None, false
	case opMonitorP, opDemonitorP:
		return h.Tuple(op(s.op), s.a, s.b, s.c), term.None, ^flags&flagsMonitor != 0
	case opMonitorPExit:
		if payload {
			return h.Tuple(op(opPayloadMonPExit), s.a, s.b, s.c), s.msg, ^flags&flagsMonitor != 0
		}
		return h.Tuple(op(opMonitorPExit), s.a, s.b, s.c, s.msg), term.None, ^flags&flagsMonitor != 0
	case opSpawnRequest:
		return h.Tuple(op(opSpawnRequest), s.c, s.a, s.b, s.d, s.e), s.msg, flags&FlagSpawn == 0
	case opSpawnReply:
		return h.Tuple(op(opSpawnReply), s.c, s.a, s.d, s.e), term.None, flags&FlagSpawn == 0
	}
	panic("dist: signal without a form")
}

var amEmpty = term.Intern("")

// payloadOps are the control messages whose reason goes as a payload.
var payloadOps = map[int]int{opExit: opPayloadExit, opExit2: opPayloadExit2}
