package bif

import (
	"math"

	"github.com/beamrd/beamrd/io/packet"
	"github.com/beamrd/beamrd/vm/bits"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var packetRows = []native.Row{
	{Module: "erlang", Name: "decode_packet", Arity: 3, Fn: erlangDecodePacket},
}

var packetTypes = map[term.Term]packet.Type{
	term.Small(0): packet.Raw, term.Intern("raw"): packet.Raw,
	term.Small(1): packet.Len1, term.Small(2): packet.Len2, term.Small(4): packet.Len4,
	term.Intern("asn1"): packet.ASN1, term.Intern("sunrm"): packet.SunRM, term.Intern("cdr"): packet.CDR,
	term.Intern("fcgi"): packet.FCGI, term.AmLine: packet.Line, term.Intern("tpkt"): packet.TPKT,
	term.Intern("http"): packet.HTTP, term.Intern("httph"): packet.HTTPHeader,
	term.Intern("http_bin"): packet.HTTPBin, term.Intern("httph_bin"): packet.HTTPHeaderBin,
	term.Intern("ssl_tls"): packet.SSL,
}

var (
	amPacketMore      = term.Intern("more")
	amPacketInvalid   = term.Intern("invalid")
	amPacketBadopt    = term.Intern("badopt")
	amPacketSize      = term.Intern("packet_size")
	amPacketLine      = term.Intern("line_length")
	amPacketDelimiter = term.Intern("line_delimiter")
	amPacketSSL       = term.Intern("ssl_tls")
)

// packetOptions decodes [{packet_size | line_length | line_delimiter, N}].
func packetOptions(t packet.Type, l term.Term) (o packet.Options, ok bool) {
	o.Delimiter = '\n'
	for ; l.IsList(); l = l.Tail() {
		p := l.Head()
		if !p.IsTuple() || p.Arity() != 2 {
			return o, false
		}
		v, ok := uint64Of(p.El(2))
		switch {
		case !ok || v > math.MaxUint32:
			return o, false
		case p.El(1) == amPacketSize:
			o.Max = uint32(v)
		case p.El(1) == amPacketLine:
			o.Line = uint32(v)
		case p.El(1) == amPacketDelimiter && t == packet.Line && v <= 255:
			o.Delimiter = byte(v)
		default:
			return o, false
		}
	}
	return o, l.IsNil()
}

// erlangDecodePacket is decode_packet(Type, Bin, Options): {ok, Packet, Rest},
// {more, Length | undefined} or {error, invalid}.
func erlangDecodePacket(c *native.Call) term.Term {
	t, ok := packetTypes[c.Arg(0)]
	if !ok {
		return c.BadargCause(amPacketBadopt)
	}
	bin := c.Arg(1)
	if !bin.IsBitstring() {
		return c.Badarg()
	}
	o, ok := packetOptions(t, c.Arg(2))
	if !ok {
		return c.Badarg()
	}
	h := &c.P.Heap
	base, start, end := heap.Bits(bin)
	size := int((end - start) / 8) // bits left over go into the rest
	b := make([]byte, 0)
	if whole, ok := heap.AlignedBytes(bin); ok {
		b = whole
	} else {
		b = make([]byte, size)
		heap.CopyBits(b, base, start, uint64(size)*8)
	}
	header := false
	n := packet.Length(t, b, &o, &header)
	switch {
	case n < 0:
		return c.ErrorTuple(amPacketInvalid)
	case n == 0:
		return h.Tuple(amPacketMore, term.AmUndefined)
	case n > size:
		return h.Tuple(amPacketMore, h.Int(int64(n)))
	}
	c.Bump(n / 256)
	var r term.Term
	switch {
	case t.IsHTTP():
		r = PacketHTTP(h, t, b[:n], &header)
	case t == packet.SSL:
		r = PacketSSL(h, b[:n])
	default:
		body := packet.Body(t, b[:n])
		lead := n - len(body)
		if t == packet.FCGI {
			lead = 0
		}
		r = bits.Sub(h, bin, uint64(lead)*8, uint64(len(body))*8)
	}
	return h.Tuple(term.AmOk, r, bits.Sub(h, bin, uint64(n)*8, end-start-uint64(n)*8))
}

// Terms of parsed packets, as sockets deliver them too.

var httpAtoms = makeHTTPAtoms()

func makeHTTPAtoms() map[string]term.Term {
	m := map[string]term.Term{}
	for _, l := range [][]string{packet.HeaderNames, packet.Methods} {
		for _, s := range l {
			m[s] = term.Intern(s)
		}
	}
	return m
}

var httpNumbers = makeHTTPNumbers()

func makeHTTPNumbers() map[string]int {
	m := map[string]int{}
	for i, s := range packet.HeaderNames {
		m[s] = i + 1
	}
	return m
}

var httpMethods = makeHTTPMethods()

func makeHTTPMethods() map[string]bool {
	m := map[string]bool{}
	for _, s := range packet.Methods {
		m[s] = true
	}
	return m
}

// PacketHTTP parses a line of HTTP and builds its term: {http_request, …},
// {http_response, …}, {http_header, …}, http_eoh or {http_error, Line}.
func PacketHTTP(h *heap.Heap, t packet.Type, line []byte, header *bool) term.Term {
	str := h.Latin1
	if t.AsBinary() {
		str = h.Binary
	}
	m := packet.ParseHTTP(line, header)
	version := func() term.Term { return h.Tuple(term.Small(int64(m.Major)), term.Small(int64(m.Minor))) }
	switch m.Kind {
	case packet.Request:
		method := term.None
		if httpMethods[string(m.Method)] {
			method = httpAtoms[string(m.Method)]
		} else {
			method = str(m.Method)
		}
		return h.Tuple(term.Intern("http_request"), method, packetURI(h, &m.URI, str), version())
	case packet.Response:
		return h.Tuple(term.Intern("http_response"), version(), term.Small(int64(m.Status)), str(m.Phrase))
	case packet.Header:
		n := httpNumbers[string(m.Name)]
		name := httpAtoms[string(m.Name)]
		if n == 0 {
			name = str(m.Name)
		}
		return h.Tuple(term.Intern("http_header"), term.Small(int64(n)), name, str(m.RawName), str(m.Value))
	case packet.EndOfHeaders:
		return term.Intern("http_eoh")
	}
	return h.Tuple(term.Intern("http_error"), str(line))
}

func packetURI(h *heap.Heap, u *packet.URI, str func([]byte) term.Term) term.Term {
	switch u.Kind {
	case packet.Star:
		return term.Intern("*")
	case packet.AbsPath:
		return h.Tuple(term.Intern("abs_path"), str(u.Host))
	case packet.Scheme:
		return h.Tuple(term.Intern("scheme"), str(u.Host), str(u.Path))
	case packet.Other:
		return str(u.Host)
	}
	scheme, port := term.Intern("http"), term.AmUndefined
	if u.Kind == packet.AbsHTTPS {
		scheme = term.Intern("https")
	}
	if u.Port != 0 {
		port = term.Small(int64(u.Port))
	}
	return h.Tuple(term.Intern("absoluteURI"), scheme, str(u.Host), port, str(u.Path))
}

// PacketSSL builds {ssl_tls, [], ContentType, {Major, Minor}, Data} of a record.
func PacketSSL(h *heap.Heap, b []byte) term.Term {
	typ, major, minor, data := b[0], b[1], b[2], b[5:]
	if b[0]&0x80 != 0 && b[2] == 1 { // a client hello of version 2, dressed up
		n := len(b) - 3
		typ, major, minor = 22, b[3], b[4]
		data = append([]byte{1, byte(n >> 16), byte(n >> 8), byte(n)}, b[3:]...)
	}
	return h.Tuple(amPacketSSL, term.Nil, term.Small(int64(typ)),
		h.Tuple(term.Small(int64(major)), term.Small(int64(minor))), h.Binary(data))
}
