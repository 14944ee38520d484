package port

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

var (
	amData       = term.Intern("data")
	amEof        = term.Intern("eof")
	amEol        = term.Intern("eol")
	amNoeol      = term.Intern("noeol")
	amExitStatus = term.Intern("exit_status")
	amClosed     = term.Intern("closed")
	amConnected  = term.Intern("connected")
	amConnect    = term.Intern("connect")
	amCommand    = term.Intern("command")
	amClose      = term.Intern("close")
	amBadsig     = term.Intern("badsig")
)

func connectedAtom(*heap.Heap) term.Term { return amConnected }

// send sends {Port, X} to a process; build makes X.
func (p *Port) send(to term.Term, build func(h *heap.Heap) term.Term) {
	var h heap.Heap
	x := build(&h)
	proc.SendBuilt(p.ID, to, h.Tuple(p.ID, x), &h)
}

// SendOwner sends {Port, X} to the owner. Call under the lock (in Do or in a
// method of the instance).
func (p *Port) SendOwner(build func(h *heap.Heap) term.Term) { p.send(p.owner, build) }

// SendRaw sends a message that is not of the form {Port, X}.
func (p *Port) SendRaw(to term.Term, build func(h *heap.Heap) term.Term) {
	var h heap.Heap
	m := build(&h)
	proc.SendBuilt(p.ID, to, m, &h)
}

// bytes builds data as the port's options want it.
func (p *Port) bytes(h *heap.Heap, b []byte) term.Term {
	if p.opts.Binary {
		return h.Binary(b)
	}
	return h.Latin1(b)
}

// Input delivers data that the driver read, cut into packets or lines as the
// options say. Call under the lock.
func (p *Port) Input(b []byte) {
	p.in.Add(uint64(len(b)))
	if p.opts.Packet == 0 && p.opts.Line == 0 {
		p.data1(b)
		return
	}
	p.line.buf = append(p.line.buf, b...)
	if p.opts.Line > 0 {
		p.lines()
		return
	}
	n := p.opts.Packet
	buf := p.line.buf
	for len(buf) >= n {
		var size int
		switch n {
		case 1:
			size = int(buf[0])
		case 2:
			size = int(binary.BigEndian.Uint16(buf))
		default:
			size = int(binary.BigEndian.Uint32(buf))
		}
		if len(buf)-n < size {
			break
		}
		p.data1(buf[n : n+size])
		buf = buf[n+size:]
	}
	p.line.buf = append(p.line.buf[:0], buf...)
}

// InputHeader delivers data with a header that is a list whatever the port's
// mode; nothing is cut. Without data, nil, the list ends with the header.
func (p *Port) InputHeader(header, b []byte) {
	p.in.Add(uint64(len(header) + len(b)))
	p.SendOwner(func(h *heap.Heap) term.Term {
		t := term.Nil
		if b != nil {
			t = p.bytes(h, b)
		}
		for i := len(header) - 1; i >= 0; i-- {
			t = h.Cons(term.Small(int64(header[i])), t)
		}
		return h.Tuple(amData, t)
	})
}

func (p *Port) data1(b []byte) {
	p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, p.bytes(h, b)) })
}

// lineBuf holds the beginning of a packet or line.
type lineBuf struct{ buf []byte }

func (p *Port) oneLine(tag term.Term, b []byte) {
	p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amData, h.Tuple(tag, p.bytes(h, b))) })
}

// lines delivers the complete lines in the buffer; a line longer than the limit
// goes out in pieces marked noeol.
func (p *Port) lines() {
	buf := p.line.buf
	start := 0
	for i := 0; i < len(buf); i++ {
		if buf[i] == '\n' {
			end := i
			if end > start && buf[end-1] == '\r' {
				end--
			}
			p.oneLine(amEol, buf[start:end])
			start = i + 1
		} else if i-start+1 >= p.opts.Line && (i+1 >= len(buf) || buf[i+1] != '\n') {
			if i+1 >= len(buf) {
				break // the next byte may be the end of the line
			}
			p.oneLine(amNoeol, buf[start:i+1])
			start = i + 1
		}
	}
	p.line.buf = append(buf[:0:0], buf[start:]...)
}

// flushLine delivers an unfinished last line.
func (p *Port) flushLine() {
	if p.opts.Line == 0 {
		return
	}
	if b := p.line.buf; len(b) > 0 {
		p.oneLine(amNoeol, b)
		p.line.buf = nil
	}
}

// ExitStatus reports the exit status of a program; an unfinished last line
// comes after it, with the end of input.
func (p *Port) ExitStatus(n int) {
	p.SendOwner(func(h *heap.Heap) term.Term { return h.Tuple(amExitStatus, term.Small(int64(n))) })
}

// Eof reports the end of input: {Port,eof} with the option eof, else the port
// closes normally.
func (p *Port) Eof() {
	p.flushLine()
	if p.opts.EOF {
		p.SendOwner(func(*heap.Heap) term.Term { return amEof })
		return
	}
	p.exit(p.ID, term.AmNormal, false)
}

// Fail closes the port with a reason.
func (p *Port) Fail(reason term.Term) { p.exit(p.ID, reason, false) }

// Exit closes the port with a reason that its owner is not told: drivers whose
// messages have said it already.
func (p *Port) Exit(reason term.Term) {
	if p.state == stOpen && p.links[p.owner] {
		delete(p.links, p.owner)
		proc.SendUnlink(p.ID, p.owner, proc.NewUnlinkID())
	}
	p.exit(p.ID, reason, false)
}

// frame puts the packet header before output.
func (p *Port) frame(data [][]byte) ([][]byte, bool) {
	if p.opts.Packet == 0 {
		return data, true
	}
	n := 0
	for _, d := range data {
		n += len(d)
	}
	var hdr []byte
	switch p.opts.Packet {
	case 1:
		if n > 0xFF {
			return nil, false
		}
		hdr = []byte{byte(n)}
	case 2:
		if n > 0xFFFF {
			return nil, false
		}
		hdr = binary.BigEndian.AppendUint16(nil, uint16(n))
	default:
		if n > 1<<32-1 {
			return nil, false
		}
		hdr = binary.BigEndian.AppendUint32(nil, uint32(n))
	}
	return append([][]byte{hdr}, data...), true
}
