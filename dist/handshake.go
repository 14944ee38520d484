package dist

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/beamrd/beamrd/internal/wire"
)

// The handshake: messages of two bytes of length and a first byte that says
// what they are. N: flags (8 bytes), creation (4), and name; the answer s; then
// N: flags, challenge (4), creation, name; r: challenge and digest; a: digest.

// The reasons for which a connection is refused.
var (
	// ErrCookie says that the cookies differ. A node that refuses ours only
	// closes the connection, which may have other causes.
	ErrCookie = errors.New("dist: the cookies differ")
	// ErrRefused says that the peer does not let us in.
	ErrRefused = errors.New("dist: the node refuses the connection")
	// ErrProtocol says that the peer does not speak the protocol.
	ErrProtocol = errors.New("dist: protocol error")
)

func protocol(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrProtocol}, args...)...)
}

// self is what a side tells of itself.
type self struct {
	name     string // a node's, or a host alone to be given a name
	flags    uint64
	creation uint32
	cookie   string
}

// peer is what the handshake found.
type peer struct {
	name     string
	flags    uint64
	creation uint32
}

func writeHandshake(w io.Writer, b ...byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...))
	return err
}

// readHandshake reads a message of at most 64 KiB, as its length says.
func readHandshake(r io.Reader) ([]byte, error) {
	var l [2]byte
	if _, err := io.ReadFull(r, l[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.BigEndian.Uint16(l[:]))
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, protocol("empty message in the handshake")
	}
	return b, nil
}

// digest is what proves that a side knows a cookie.
func digest(cookie string, challenge uint32) [16]byte {
	var b []byte
	for _, r := range cookie {
		b = append(b, byte(r)) // a cookie is Latin-1
	}
	return md5.Sum(strconv.AppendUint(b, uint64(challenge), 10))
}

func challenge() uint32 {
	var b [4]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint32(b[:])
}

// connect is the handshake of the side that opened the connection. s gets the
// name and creation that the peer gives, where it was asked to.
func connect(rw io.ReadWriter, s *self) (p peer, err error) {
	be := binary.BigEndian
	b := be.AppendUint64([]byte{'N'}, s.flags)
	b = be.AppendUint32(b, s.creation)
	b = append(be.AppendUint16(b, uint16(len(s.name))), s.name...)
	if err := writeHandshake(rw, b...); err != nil {
		return p, err
	}
	if b, err = readHandshake(rw); err != nil {
		return p, closed(err, ErrRefused)
	}
	if err := s.status(rw, b); err != nil {
		return p, err
	}
	if b, err = readHandshake(rw); err != nil {
		return p, closed(err, ErrRefused)
	}
	theirs, err := p.challenge(b)
	if err != nil {
		return p, err
	}
	ours := challenge()
	sum := digest(s.cookie, theirs)
	if err := writeHandshake(rw, append(be.AppendUint32([]byte{'r'}, ours), sum[:]...)...); err != nil {
		return p, closed(err, ErrCookie)
	}
	if b, err = readHandshake(rw); err != nil {
		return p, closed(err, ErrCookie)
	}
	want := digest(s.cookie, ours)
	if len(b) != 17 || b[0] != 'a' {
		return p, protocol("unexpected answer to the challenge")
	}
	if subtle.ConstantTimeCompare(b[1:], want[:]) != 1 {
		return p, ErrCookie
	}
	return p, nil
}

// closed tells what a connection that ends in the handshake means.
func closed(err, meaning error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
		return meaning
	}
	return err
}

// status acts on the answer to our name.
func (s *self) status(w io.Writer, b []byte) error {
	if b[0] != 's' {
		return protocol("no status in the handshake")
	}
	st := string(b[1:])
	switch {
	case st == "ok", st == "ok_simultaneous":
		if s.flags&wire.FlagNameMe != 0 {
			return protocol("the node gives no name")
		}
		return nil
	case st == "alive":
		// The node knows a connection to a node of our name: it is not ours.
		return writeHandshake(w, []byte("strue")...)
	case strings.HasPrefix(st, "named:") && s.flags&wire.FlagNameMe != 0:
		r := b[len("snamed:"):]
		if len(r) < 2 || len(r) < 2+int(binary.BigEndian.Uint16(r))+4 {
			return protocol("malformed status in the handshake")
		}
		n := int(binary.BigEndian.Uint16(r))
		s.name = string(r[2 : 2+n])
		s.creation = binary.BigEndian.Uint32(r[2+n:])
		if !validNode(s.name) {
			return protocol("malformed name in the handshake")
		}
		return nil
	}
	return fmt.Errorf("%w: %.40q", ErrRefused, st)
}

// challenge reads the peer's name and challenge.
func (p *peer) challenge(b []byte) (uint32, error) {
	if b[0] != 'N' || len(b) < 1+8+4+4+2 {
		return 0, protocol("no challenge in the handshake, or that of an old node")
	}
	be := binary.BigEndian
	n := int(be.Uint16(b[17:]))
	if len(b) < 19+n {
		return 0, protocol("malformed challenge")
	}
	p.flags, p.creation, p.name = be.Uint64(b[1:]), be.Uint32(b[13:]), string(b[19:19+n])
	return be.Uint32(b[9:]), p.check(false)
}

// check refuses a peer that lacks what it must have.
func (p *peer) check(mayAsk bool) error {
	if lacks := flagsMandatory &^ p.flags; lacks != 0 {
		return protocol("%.64q lacks capabilities (%#x)", p.name, lacks)
	}
	if mayAsk && p.flags&wire.FlagNameMe != 0 {
		if p.name == "" || strings.Contains(p.name, "@") {
			return protocol("malformed host in the handshake")
		}
		return nil
	}
	if !validNode(p.name) {
		return protocol("malformed name in the handshake")
	}
	return nil
}

// accept is the handshake of the side that was called. named gives a name to a
// peer that has a host only.
func accept(rw io.ReadWriter, s *self, named func(host string) (node string, creation uint32)) (p peer, err error) {
	be := binary.BigEndian
	b, err := readHandshake(rw)
	if err != nil {
		return p, err
	}
	if b[0] != 'N' || len(b) < 1+8+4+2 || len(b) < 15+int(be.Uint16(b[13:])) {
		return p, protocol("no name in the handshake, or that of an old node")
	}
	p = peer{string(b[15 : 15+int(be.Uint16(b[13:]))]), be.Uint64(b[1:]), be.Uint32(b[9:])}
	if err := p.check(true); err != nil {
		return p, err
	}
	st := []byte("sok")
	if p.flags&wire.FlagNameMe != 0 {
		p.name, p.creation = named(p.name)
		st = append(be.AppendUint16([]byte("snamed:"), uint16(len(p.name))), p.name...)
		st = be.AppendUint32(st, p.creation)
	}
	if err := writeHandshake(rw, st...); err != nil {
		return p, err
	}
	ours := challenge()
	b = be.AppendUint64([]byte{'N'}, s.flags)
	b = be.AppendUint32(be.AppendUint32(b, ours), s.creation)
	b = append(be.AppendUint16(b, uint16(len(s.name))), s.name...)
	if err := writeHandshake(rw, b...); err != nil {
		return p, err
	}
	if b, err = readHandshake(rw); err != nil {
		return p, err
	}
	if len(b) != 21 || b[0] != 'r' {
		return p, protocol("unexpected answer to the challenge")
	}
	want := digest(s.cookie, ours)
	if subtle.ConstantTimeCompare(b[5:], want[:]) != 1 {
		return p, ErrCookie
	}
	sum := digest(s.cookie, be.Uint32(b[1:]))
	return p, writeHandshake(rw, append([]byte{'a'}, sum[:]...)...)
}

// validNode tells whether s is name@host.
func validNode(s string) bool {
	name, host, ok := strings.Cut(s, "@")
	return ok && name != "" && host != "" && !strings.Contains(host, "@") && len(s) <= 4*255
}
