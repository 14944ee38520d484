// Package packet finds and parses packets in a stream of bytes: the packet
// types of erlang:decode_packet/3, of sockets and of ports.
package packet

import (
	"bytes"
	"encoding/binary"
)

// Type is a type of packets.
type Type uint8

// The types.
const (
	Raw  Type = iota
	Len1      // header of 1, 2 or 4 bytes with the length, big endian
	Len2
	Len4
	ASN1
	SunRM // 4 bytes, the top bit marking the last fragment
	CDR   // CORBA (GIOP)
	FCGI
	Line // ends with a delimiter
	TPKT
	HTTP // request or response line
	HTTPBin
	HTTPHeader // header line
	HTTPHeaderBin
	SSL
)

// Options bound packets.
type Options struct {
	Max       uint32 // largest body accepted; 0: no limit
	Line      uint32 // lines longer than this are cut; 0: no limit
	Delimiter byte   // of Line
}

// IsHTTP tells whether packets of a type are parsed by ParseHTTP.
func (t Type) IsHTTP() bool { return t >= HTTP && t <= HTTPHeaderBin }

// AsBinary tells whether strings of parsed packets are binaries.
func (t Type) AsBinary() bool { return t == HTTPBin || t == HTTPHeaderBin }

// invalid is the length of what cannot be a packet.
const invalid = -1

// Length returns the total length of the packet at the start of b: 0 when it
// cannot be told yet, negative when b does not start with a packet. It may be
// more than there is of b. header tells, for HTTP types, that a header line is
// expected; the header types set it.
func Length(t Type, b []byte, o *Options, header *bool) int {
	switch t {
	case Raw:
		return len(b)
	case Len1, Len2, Len4, SunRM:
		return fixedLength(t, b, o)
	case Line:
		return lineLength(b, o)
	case ASN1:
		return asn1Length(b, o)
	case CDR:
		if len(b) < 12 {
			return 0
		}
		if string(b[:4]) != "GIOP" {
			return invalid
		}
		if b[6]&1 != 0 {
			return total(12, binary.LittleEndian.Uint32(b[8:]), o)
		}
		return total(12, binary.BigEndian.Uint32(b[8:]), o)
	case FCGI:
		if len(b) < 8 {
			return 0
		}
		if b[0] != 1 {
			return invalid
		}
		return total(8, uint32(binary.BigEndian.Uint16(b[4:]))+uint32(b[6]), o)
	case TPKT:
		if len(b) < 4 {
			return 0
		}
		if b[0] != 3 {
			return invalid
		}
		return total(4, uint32(binary.BigEndian.Uint16(b[2:]))-4, o)
	case SSL:
		if len(b) < 5 {
			return 0
		}
		if b[0]&0x80 != 0 && b[2] == 1 { // client hello of version 2
			return total(5, uint32(binary.BigEndian.Uint16(b)&0x7fff)-3, o)
		}
		return total(5, uint32(binary.BigEndian.Uint16(b[3:])), o)
	case HTTPHeader, HTTPHeaderBin:
		*header = true
	}
	return httpLength(b, o, *header)
}

// total adds header and body. Sums wrap as in ERTS's 32 bits, and what comes
// out below the header is invalid.
func total(header int32, body uint32, o *Options) int {
	n := header + int32(body)
	if o.Max != 0 && body > o.Max || n < header {
		return invalid
	}
	return int(n)
}

func fixedLength(t Type, b []byte, o *Options) int {
	switch {
	case t == Len1 && len(b) >= 1:
		return total(1, uint32(b[0]), o)
	case t == Len2 && len(b) >= 2:
		return total(2, uint32(binary.BigEndian.Uint16(b)), o)
	case t == Len4 && len(b) >= 4:
		return total(4, binary.BigEndian.Uint32(b), o)
	case t == SunRM && len(b) >= 4:
		return total(4, binary.BigEndian.Uint32(b)&0x7fffffff, o)
	}
	return 0
}

func lineLength(b []byte, o *Options) int {
	i := bytes.IndexByte(b, o.Delimiter)
	n := uint32(i + 1)
	if i < 0 {
		n = uint32(len(b))
	}
	switch {
	case o.Max != 0 && n > o.Max:
		return invalid
	case o.Line != 0 && (n > o.Line || i < 0 && n >= o.Line):
		return int(o.Line)
	case i < 0:
		return 0
	}
	return int(n)
}

func asn1Length(b []byte, o *Options) int {
	if len(b) < 2 {
		return 0
	}
	p := 1
	if b[0]&0x1f == 0x1f { // long tag
		for p < len(b) && b[p]&0x80 != 0 {
			p++
		}
		if len(b)-p < 2 {
			return 0
		}
		p++
	}
	n := int(b[p] & 0x7f)
	if b[p]&0x80 == 0 {
		return total(int32(p+1), uint32(n), o)
	}
	p++
	if len(b)-p < n {
		return 0
	}
	if n > 4 {
		return invalid
	}
	body := uint32(0)
	for _, c := range b[p : p+n] {
		body = body<<8 | uint32(c)
	}
	return total(int32(p+n), body, o)
}

// httpLength finds the end of a line; a header line goes on in the next one
// when that begins with white space, so the byte after it must be there.
func httpLength(b []byte, o *Options, header bool) int {
	if len(b) == 1 && b[0] == '\n' || len(b) == 2 && b[0] == '\r' && b[1] == '\n' {
		return len(b)
	}
	limit := int64(o.Max)
	if limit == 0 {
		limit = int64(o.Line)
	}
	from := 0
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			if limit != 0 && int64(len(b)) >= limit {
				return invalid
			}
			return 0
		}
		n := from + i + 1
		if header && n < len(b) && isSpace(b[n]) && n > 2 {
			from = n
			continue
		}
		if limit != 0 && int64(n) > limit {
			return invalid
		}
		if header && n == len(b) {
			return 0
		}
		return n
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// Body returns the part of a packet that is handed over.
func Body(t Type, b []byte) []byte {
	switch t {
	case Len1:
		return b[1:]
	case Len2:
		return b[2:]
	case Len4:
		return b[4:]
	case FCGI:
		return b[:len(b)-int(b[6])]
	}
	return b
}
