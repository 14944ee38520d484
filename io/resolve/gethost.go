package resolve

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/netip"
	"strconv"
	"sync"

	"github.com/beamrd/beamrd/internal/invariants"
)

// The protocol of the port program inet_gethost. A request is
//
//	Length:32 Serial:32 Op:8 Proto:8 (Name 0 | Address)
//
// and a reply
//
//	Length:32 Serial:32 Unit:8
//	  (Error 0 | Addresses:32 Address… Names:32 (Name 0)…)
//
// Unit is the length of an address, or 0 with an error.
const (
	opByName  = 1
	opByAddr  = 2
	opCancel  = 3
	opControl = 4

	protoV4 = 1
	protoV6 = 2

	maxRequest = 1 << 16
)

// server answers requests concurrently, as many at a time as there are workers.
type server struct {
	mu        sync.Mutex // guards out and cancelled
	out       io.Writer
	cancelled map[uint32]bool
	running   map[uint32]bool
	slots     chan struct{}
}

// Workers reads the command line of inet_gethost: [-d] [-g N] [-ng] [Workers].
func Workers(args []string) int {
	n := 1
	for i := 0; i < len(args); i++ {
		if args[i] == "-g" {
			i++
		} else if v, err := strconv.Atoi(args[i]); err == nil && v > 0 {
			n = v
		}
	}
	return n
}

// Serve answers requests until the input ends.
func Serve(in io.Reader, out io.Writer, workers int) error {
	s := &server{out: out, cancelled: map[uint32]bool{}, running: map[uint32]bool{}, slots: make(chan struct{}, workers)}
	for {
		var hdr [4]byte
		if _, err := io.ReadFull(in, hdr[:]); err != nil {
			return nil
		}
		n := binary.BigEndian.Uint32(hdr[:])
		if n < 5 || n > maxRequest {
			return io.ErrUnexpectedEOF
		}
		req := make([]byte, n)
		if _, err := io.ReadFull(in, req); err != nil {
			return nil
		}
		s.request(binary.BigEndian.Uint32(req), req[4], req[5:])
	}
}

func (s *server) request(serial uint32, op byte, arg []byte) {
	switch op {
	case opControl:
		return
	case opCancel:
		s.mu.Lock()
		if s.running[serial] {
			s.cancelled[serial] = true
		}
		s.mu.Unlock()
		return
	}
	s.mu.Lock()
	s.running[serial] = true
	s.mu.Unlock()
	go func() {
		defer invariants.Catch()
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		s.mu.Lock()
		gone := s.cancelled[serial]
		s.mu.Unlock()
		var h Host
		unit, code := 0, NotSup
		if !gone && len(arg) > 0 {
			h, unit, code = answer(op, arg[0], arg[1:])
		}
		s.reply(serial, h, unit, code)
	}()
}

func answer(op, proto byte, arg []byte) (h Host, unit int, code Code) {
	ctx := context.Background()
	switch proto {
	case protoV4:
		unit = 4
	case protoV6:
		unit = 16
	default:
		return h, 0, NotSup
	}
	switch op {
	case opByName:
		name, _, _ := bytes.Cut(arg, []byte{0})
		h, code = ByName(ctx, string(name), proto == protoV6)
	case opByAddr:
		if len(arg) < unit {
			return h, unit, NotSup
		}
		a, _ := netip.AddrFromSlice(arg[:unit])
		h, code = ByAddr(ctx, a)
	default:
		code = NotSup
	}
	return h, unit, code
}

func (s *server) reply(serial uint32, h Host, unit int, code Code) {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), serial)
	if code != OK {
		b = append(append(append(b, 0), code...), 0)
	} else {
		b = append(b, byte(unit))
		b = binary.BigEndian.AppendUint32(b, uint32(len(h.Addrs)))
		for _, a := range h.Addrs {
			b = append(b, a.AsSlice()...)
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(h.Names)))
		for _, n := range h.Names {
			b = append(append(b, n...), 0)
		}
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, serial)
	if s.cancelled[serial] {
		delete(s.cancelled, serial)
		return
	}
	_, _ = s.out.Write(b)
}
