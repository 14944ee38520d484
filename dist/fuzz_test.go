package dist

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

// duplex reads what a peer is to say and drops what is said to it.
type duplex struct{ io.Reader }

func (duplex) Write(b []byte) (int, error) { return len(b), nil }

func message(b string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
}

func hello(extra uint64) string {
	b := binary.BigEndian.AppendUint64([]byte{'N'}, flagsOurs|extra)
	b = append(b, 0, 0, 1, 0)
	return string(append(b, "\x00\x03a@h"...))
}

// FuzzHandshake has a peer that says anything, on either side. It must not get
// in: it knows no cookie, and the challenge is new each time.
func FuzzHandshake(f *testing.F) {
	f.Add(append(append(message("sok"), message(hello(0))...), message("a0123456789abcdef")...))
	f.Add(append(message(hello(0)), message("r\x00\x00\x00\x000123456789abcdef")...))
	f.Add(append(message("snamed:\x00\x03b@h\x00\x00\x00\x01"), message("N")...))
	f.Add(append(message("salive"), message("")...))
	f.Add(message(hello(wire.FlagNameMe)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, flags := range []uint64{flagsOurs, flagsOurs | wire.FlagNameMe} {
			s := self{name: "us@h", flags: flags, cookie: "c"}
			if p, err := connect(duplex{bytes.NewReader(b)}, &s); err == nil {
				t.Errorf("connected to %+v", p)
			}
		}
		s := self{name: "us@h", flags: flagsOurs, cookie: "c"}
		if p, err := accept(duplex{bytes.NewReader(b)}, &s, func(h string) (string, uint32) { return "x@" + h, 1 }); err == nil {
			t.Errorf("accepted %+v", p)
		}
	})
}

// FuzzPackets gives a connection packets; mailboxes, links and monitors are
// there for them to find.
func FuzzPackets(f *testing.F) {
	self := etf.Pid{Node: "us@h", ID: 1, Creation: 1}
	peerPid := etf.Pid{Node: "p@h", ID: 9, Creation: 2}
	ref := etf.Ref{Node: "p@h", Creation: 2, Len: 3}
	add := func(t ...etf.Term) {
		b := []byte{etf.Version, wire.TagHeader, 0}
		for _, t := range t {
			var err error
			if b, err = etf.Append(b, t); err != nil {
				f.Fatal(err)
			}
		}
		f.Add(b)
	}
	add(etf.Tuple{wire.OpSend, etf.Atom(""), self}, etf.Atom("hi"))
	add(etf.Tuple{wire.OpRegSend, peerPid, etf.Atom(""), etf.Atom("box")}, etf.Atom("hi"))
	add(etf.Tuple{wire.OpLink, peerPid, self})
	add(etf.Tuple{wire.OpUnlinkID, 1, peerPid, self})
	add(etf.Tuple{wire.OpPayloadExit, peerPid, self}, etf.Atom("why"))
	add(etf.Tuple{wire.OpMonitorP, peerPid, self, ref})
	add(etf.Tuple{wire.OpDemonitorP, peerPid, self, ref})
	add(etf.Tuple{wire.OpSpawnRequest, ref, peerPid, peerPid, etf.Tuple{etf.Atom("m"), etf.Atom("f"), 0}, etf.List{}}, etf.List{})
	add(etf.Tuple{wire.OpRegSend, peerPid, etf.Atom(""), etf.Atom("net_kernel")},
		etf.Tuple{etf.Atom("$gen_call"), etf.Tuple{peerPid, ref}, etf.Tuple{etf.Atom("is_auth"), etf.Atom("p@h")}})
	f.Add([]byte("\x83\x44\x01\x08\x05\x03abch\x01R\x00"))
	f.Add([]byte("\x83\x45\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00h"))
	f.Fuzz(func(t *testing.T, b []byte) {
		nc, other := net.Pipe()
		go io.Copy(io.Discard, other)
		o := Options{MaxMessage: 1 << 20}
		o.fill()
		c := newConn(nc, selfOf("us@h"), peer{"p@h", flagsOurs, 2}, o)
		m := c.Mailbox()
		m.Register("box")
		m.Link(peerPid)
		m.Monitor(peerPid)
		asm := assembler{max: 1 << 20}
		var dec etf.Decoder
		for len(b) > 0 {
			// Packets end where the input has a byte 0xFF.
			p, rest, _ := bytes.Cut(b, []byte{0xFF})
			if c.packet(&asm, &dec, p) != nil {
				break
			}
			b = rest
		}
		m.Close()
		c.Close()
		other.Close()
	})
}

func selfOf(name string) self { return self{name: name, flags: flagsOurs, creation: 1} }
