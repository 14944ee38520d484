package bif

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Options of SCTP whose values are structures, of linux/sctp.h: maps of numbers.

// sctpField is a field of a structure: bytes wide, 4 for numbers of associations,
// which may be negative.
type sctpField struct {
	name  string
	bytes int
	assoc bool
}

func sctpStruct(fields ...sctpField) *optCodec {
	size := 0
	keys := make([]term.Term, len(fields))
	for i, f := range fields {
		size += f.bytes
		keys[i] = term.Intern(f.name)
	}
	set := func(t term.Term) (b []byte, ok bool) {
		vals, ok := mapFields(t, keys...)
		if !ok {
			return nil, false
		}
		for i, f := range fields {
			v, ok := uint32Arg(vals[i])
			if n, isInt := int32Arg(vals[i]); f.assoc && isInt {
				v, ok = uint32(n), true
			}
			if !ok {
				return nil, false
			}
			if f.bytes == 2 {
				b = binary.NativeEndian.AppendUint16(b, uint16(v))
			} else {
				b = binary.NativeEndian.AppendUint32(b, v)
			}
		}
		return b, true
	}
	get := func(h *heap.Heap, got []byte) term.Term {
		b := make([]byte, size)
		copy(b, got)
		var kvs []term.Term
		for i, f := range fields {
			v := uint32(binary.NativeEndian.Uint16(b))
			if f.bytes == 4 {
				v = binary.NativeEndian.Uint32(b)
			}
			kvs = append(kvs, keys[i], term.Small(int64(v)))
			b = b[f.bytes:]
		}
		return mapOf(h, kvs...)
	}
	return &optCodec{set, size, get}
}

var (
	assocOpt = sctpStruct(sctpField{"assoc_id", 4, true}, sctpField{"asocmaxrxt", 2, false},
		sctpField{"number_peer_destinations", 2, false}, sctpField{"peer_rwnd", 4, false},
		sctpField{"local_rwnd", 4, false}, sctpField{"cookie_life", 4, false})
	initMsgOpt = sctpStruct(sctpField{"num_outstreams", 2, false}, sctpField{"max_instreams", 2, false},
		sctpField{"max_attempts", 2, false}, sctpField{"max_init_timeo", 2, false})
	rtoOpt = sctpStruct(sctpField{"assoc_id", 4, true}, sctpField{"initial", 4, false},
		sctpField{"max", 4, false}, sctpField{"min", 4, false})
	eventsOpt = &optCodec{set: eventsBytes}
)

// sctpEvents are the fields of struct sctp_event_subscribe, a byte each.
var sctpEvents = []string{"data_io", "association", "address", "send_failure", "peer_error", "shutdown", "partial_delivery",
	"adaptation_layer", "authentication", "sender_dry"}

func eventsBytes(t term.Term) ([]byte, bool) {
	b := make([]byte, len(sctpEvents))
	for i, n := range sctpEvents {
		v, ok := mapFields(t, term.Intern(n))
		if !ok || !v[0].IsBool() {
			return nil, false
		}
		b[i] = byte(b2i(v[0] == term.True))
	}
	return b, true
}
