package bif

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// optCodec is the form of an option's value. set makes the bytes that the system
// takes, nil for an option that cannot be set; get makes the term of the bytes
// that it gave for a buffer of size, nil for one that cannot be got.
type optCodec struct {
	set  func(t term.Term) ([]byte, bool)
	size int
	get  func(h *heap.Heap, b []byte) term.Term
}

func getInt(f func(v int) term.Term) func(*heap.Heap, []byte) term.Term {
	return func(_ *heap.Heap, b []byte) term.Term {
		var v [4]byte
		copy(v[:], b)
		return f(native32(v[:]))
	}
}

func boolBytes(t term.Term) ([]byte, bool) {
	return binary.NativeEndian.AppendUint32(nil, uint32(b2i(t == term.True))), t.IsBool()
}

func smallTerm(v int) term.Term { return term.Small(int64(v)) }

var (
	boolOpt   = &optCodec{boolBytes, 4, getInt(func(v int) term.Term { return term.Bool(v != 0) })}
	intOpt    = &optCodec{intBytes, 4, getInt(smallTerm)}
	intGetOpt = &optCodec{nil, 4, getInt(smallTerm)}
	domainOpt = &optCodec{nil, 4, getInt(domainTerm)}
	typeOpt   = &optCodec{nil, 4, getInt(sockTypeTerm)}
	// protocolOpt and pktOptionsOpt depend on the socket: see psGetOpt.
	protocolOpt   = &optCodec{nil, 4, getInt(smallTerm)}
	pktOptionsOpt = &optCodec{nil, 0, cmsgsTerm}
	// The name of a device comes back with its zero byte.
	deviceOpt     = &optCodec{strBytes(unix.IFNAMSIZ), unix.IFNAMSIZ + 1, strTerm}
	congestionOpt = &optCodec{strBytes(caNameMax + 1), caNameMax + 1, func(h *heap.Heap, b []byte) term.Term {
		return h.Latin1(bytes.TrimSuffix(b, []byte{0}))
	}}
	lingerOpt      = &optCodec{lingerBytes, 8, lingerTerm}
	memberOpt      = &optCodec{set: addrFields(amMultiAddr, amInterface)}
	sourceOpt      = &optCodec{set: addrFields(amMultiAddr, amInterface, amSourceAddr)}
	member6Opt     = &optCodec{set: member6Bytes}
	filterOpt      = &optCodec{set: filterBytes}
	addr4Opt       = &optCodec{addr4Bytes, 4, func(h *heap.Heap, b []byte) term.Term { return ip4Term(h, append(b, 0, 0, 0, 0)) }}
	tosOpt         = &optCodec{tosBytes, 4, getInt(tosTerm)}
	hopsOpt        = &optCodec{hopsBytes, 4, getInt(smallTerm)}
	mtuDiscoverOpt = &optCodec{mtuDiscoverBytes, 4, getInt(mtuDiscoverTerm)}
	addrFormOpt    = &optCodec{set: func(t term.Term) ([]byte, bool) {
		d, ok := openDomain(t)
		return binary.NativeEndian.AppendUint32(nil, uint32(d)), ok
	}}
)

// caNameMax is TCP_CA_NAME_MAX.
const caNameMax = 16

var (
	amOnOff      = term.Intern("onoff")
	amLinger     = term.Intern("linger")
	amSockAbort  = term.Intern("abort")
	amMultiAddr  = term.Intern("multiaddr")
	amInterface  = term.Intern("interface")
	amSourceAddr = term.Intern("sourceaddr")
)

// sockTypeTerm names those types that socket names.
func sockTypeTerm(v int) term.Term {
	if v == unix.SOCK_RDM {
		return smallTerm(v)
	}
	return typeTerm(v)
}

// strBytes reads a string of fewer than max bytes.
func strBytes(max int) func(t term.Term) ([]byte, bool) {
	return func(t term.Term) ([]byte, bool) {
		b, ok := listBytes(t)
		return b, ok && len(b) < max
	}
}

func strTerm(h *heap.Heap, b []byte) term.Term { return h.Latin1(b) }

// mapFields returns the values of keys that must all be there.
func mapFields(m term.Term, keys ...term.Term) (vals []term.Term, ok bool) {
	if !m.IsMap() {
		return nil, false
	}
	for _, k := range keys {
		v, ok := maps.Get(m, k)
		if !ok {
			return nil, false
		}
		vals = append(vals, v)
	}
	return vals, true
}

func lingerBytes(t term.Term) ([]byte, bool) {
	b := make([]byte, 8)
	if t == amSockAbort {
		binary.NativeEndian.PutUint32(b, 1)
		return b, true
	}
	v, ok := mapFields(t, amOnOff, amLinger)
	if !ok || !v[0].IsBool() {
		return nil, false
	}
	secs, ok := int32Arg(v[1])
	binary.NativeEndian.PutUint32(b, uint32(b2i(v[0] == term.True)))
	binary.NativeEndian.PutUint32(b[4:], uint32(secs))
	return b, ok && secs >= 0
}

func lingerTerm(h *heap.Heap, b []byte) term.Term {
	return mapOf(h, amOnOff, term.Bool(native32(b) != 0), amLinger, smallTerm(native32(b[4:])))
}

func addr4Bytes(t term.Term) ([]byte, bool) {
	b := make([]byte, 4)
	return b, ip4Arg(t, b)
}

// addrFields reads a map of IPv4 addresses.
func addrFields(keys ...term.Term) func(t term.Term) ([]byte, bool) {
	return func(t term.Term) (b []byte, ok bool) {
		vals, ok := mapFields(t, keys...)
		if !ok {
			return nil, false
		}
		for _, v := range vals {
			a, ok := addr4Bytes(v)
			if !ok {
				return nil, false
			}
			b = append(b, a...)
		}
		return b, true
	}
}

func member6Bytes(t term.Term) ([]byte, bool) {
	v, ok := mapFields(t, amMultiAddr, amInterface)
	if !ok {
		return nil, false
	}
	b := make([]byte, 16)
	i, ok := uint32Arg(v[1])
	return binary.NativeEndian.AppendUint32(b, i), ok && ip6Arg(v[0], b)
}

// filterBytes makes struct ip_msfilter; null makes nothing.
func filterBytes(t term.Term) ([]byte, bool) {
	if t == term.Intern("null") {
		return nil, true
	}
	v, ok := mapFields(t, amMultiAddr, amInterface, term.Intern("mode"), term.Intern("slist"))
	if !ok {
		return nil, false
	}
	b, ok := addrFields(amMultiAddr, amInterface)(t)
	modes := map[term.Term]uint32{term.Intern("include"): 1, term.Intern("exclude"): 0}
	mode, known := modes[v[2]]
	if !ok || !known {
		return nil, false
	}
	b = binary.NativeEndian.AppendUint32(b, mode)
	b = append(b, 0, 0, 0, 0)
	n := uint32(0)
	l := v[3]
	for ; l.IsList(); l = l.Tail() {
		a, ok := addr4Bytes(l.Head())
		if !ok {
			return nil, false
		}
		b = append(b, a...)
		n++
	}
	binary.NativeEndian.PutUint32(b[12:], n)
	return b, l.IsNil()
}

// The kinds of service of IP_TOS.
var tosNames = map[term.Term]int{
	term.Intern("lowdelay"): 0x10, term.Intern("throughput"): 0x08, term.Intern("reliability"): 0x04, term.Intern("mincost"): 0x02,
}

const tosMask = 0x1E

func tosArg(t term.Term) (int, bool) {
	if v, ok := tosNames[t]; ok {
		return v, true
	}
	return int32Arg(t)
}

func tosTerm(v int) term.Term {
	for a, n := range tosNames {
		if v&tosMask == n {
			return a
		}
	}
	return smallTerm(v)
}

// hopsBytes reads a number of hops, or default.
func hopsBytes(t term.Term) ([]byte, bool) {
	if t == term.Intern("default") {
		t = term.Small(-1)
	} else if n, ok := int32Arg(t); !ok || n < 0 || n > 255 {
		return nil, false
	}
	return intBytes(t)
}

var mtuDiscoverNames = map[term.Term]int{
	term.Intern("want"): unix.IP_PMTUDISC_WANT, term.Intern("dont"): unix.IP_PMTUDISC_DONT,
	term.Intern("do"): unix.IP_PMTUDISC_DO, term.Intern("probe"): unix.IP_PMTUDISC_PROBE,
}

func mtuDiscoverBytes(t term.Term) ([]byte, bool) {
	if v, ok := mtuDiscoverNames[t]; ok {
		t = smallTerm(v)
	}
	return intBytes(t)
}

func mtuDiscoverTerm(v int) term.Term {
	for a, n := range mtuDiscoverNames {
		if v == n {
			return a
		}
	}
	return smallTerm(v)
}
