package bif

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/esock"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// sockBytesPerRed is how many bytes are sent or received for one reduction.
const sockBytesPerRed = 1024

// psSendData is what send and sendto have in common; to may be nil.
func psSendData(c *native.Call, flags, ref term.Term, to *term.Term) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		data, ok := heap.AlignedBytes(c.Arg(1))
		if !ok || !ref.IsRef() {
			return c.Badarg()
		}
		fl, ok := int32Arg(flags)
		if !ok {
			return intRange(c, flags)
		}
		var addr *sysnet.Addr
		if to != nil {
			addr = &sysnet.Addr{}
			if !sockaddrArg(*to, addr) {
				return invalid(c, amSockaddr)
			}
		}
		c.Bump(len(data) / sockBytesPerRed)
		return psReply(c, s.Send(c.P, ref, func(int) (esock.Message, esock.Reply) {
			return esock.Message{Size: len(data), Do: func(fd int) (int, unix.Errno) { return sysnet.SendTo(fd, data, fl, addr) }}, esock.Reply{}
		}))
	})
}

// psSend is send(Socket, Bin, Flags, Ref).
func psSend(c *native.Call) term.Term { return psSendData(c, c.Arg(2), c.Arg(3), nil) }

// psSendTo is sendto(Socket, Bin, Dest, Flags, Ref).
func psSendTo(c *native.Call) term.Term {
	to := c.Arg(2)
	return psSendData(c, c.Arg(3), c.Arg(4), &to)
}

// iovMax is the most buffers that the system takes at once.
const iovMax = 1024

// iovArg reads the buffers of a message: up to iovMax, and whether there are
// bytes beyond these.
func iovArg(l term.Term) (bufs [][]byte, size int, more, ok bool) {
	for l.IsList() {
		b, ok := heap.AlignedBytes(l.Head())
		if !ok {
			return nil, 0, false, false
		}
		l = l.Tail()
		switch {
		case len(b) == 0:
		case len(bufs) == iovMax:
			more = true
		default:
			bufs = append(bufs, b)
			size += len(b)
		}
	}
	return bufs, size, more, l.IsNil()
}

// psSendMsg is sendmsg(Socket, Msg, Flags, Ref, IOV).
func psSendMsg(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		msg, ref, iov := c.Arg(1), c.Arg(3), c.Arg(4)
		if !ref.IsRef() || !msg.IsMap() {
			return c.Badarg()
		}
		flags, ok := int32Arg(c.Arg(2))
		if !ok {
			return intRange(c, c.Arg(2))
		}
		return psReply(c, s.Send(c.P, ref, func(ctrl int) (esock.Message, esock.Reply) {
			return sendMsgArgs(c, s.Type, msg, iov, flags, ctrl)
		}))
	})
}

func sendMsgArgs(c *native.Call, typ int, msg, iov term.Term, flags, ctrl int) (m esock.Message, r esock.Reply) {
	bad := func(what term.Term) (esock.Message, esock.Reply) {
		return m, esock.Reply{Kind: esock.BadArg, Reason: what}
	}
	var addr *sysnet.Addr
	if t, ok := maps.Get(msg, amAddr); ok {
		addr = &sysnet.Addr{}
		if !sockaddrArg(t, addr) {
			return bad(amAddr)
		}
	}
	bufs, size, more, ok := iovArg(iov)
	if !ok || more && typ != unix.SOCK_STREAM {
		return bad(amIov)
	}
	var oob []byte
	if t, ok := maps.Get(msg, amCtrl); ok {
		if oob, ok = cmsgsArg(t, ctrl); !ok {
			return bad(amCtrl)
		}
	}
	c.Bump(size / sockBytesPerRed)
	m = esock.Message{Size: size, More: more, Do: func(fd int) (int, unix.Errno) { return sysnet.SendMsg(fd, bufs, oob, flags, addr) }}
	return m, r
}

// uint64Arg returns an integer that fits 64 bits unsigned.
func uint64Arg(t term.Term) (uint64, bool) {
	if t.IsBig() && term.HeaderWords(t.Hdr()) == 1 && t.Kind() == term.KPosBig {
		return t.W(1), true
	}
	v, ok := intArg(t)
	return uint64(v), ok && v >= 0
}

// lengthArg reads a number of bytes.
func lengthArg(t term.Term) (int, bool) {
	v, ok := intArg(t)
	return int(v), ok && v >= 0
}

// recvArgs checks the reference of a reading, which is the last argument, the
// lengths and the flags.
func recvArgs(c *native.Call) (lens [2]int, flags int, bad term.Term, ok bool) {
	if r := c.Arg(c.N - 1); !r.IsRef() && r != esock.AmZero {
		return lens, 0, c.Badarg(), false
	}
	for i := 1; i < c.N-1; i++ {
		if !c.Arg(i).IsInteger() {
			return lens, 0, c.Badarg(), false
		}
	}
	for i := range c.N - 3 {
		n, ok := lengthArg(c.Arg(i + 1))
		if !ok {
			return lens, 0, intRange(c, c.Arg(i+1)), false
		}
		lens[i] = n
	}
	flags, ok = int32Arg(c.Arg(c.N - 2))
	if !ok {
		return lens, 0, intRange(c, c.Arg(c.N-2)), false
	}
	return lens, flags, term.None, true
}

// recvBuffer makes a buffer; nil when it would be too large.
func recvBuffer(n int) *heap.Bin {
	if n > maxReadBuf {
		return nil
	}
	return heap.NewBin(uintptr(n))
}

// received builds a binary of the first n bytes of a buffer.
func received(c *native.Call, bin *heap.Bin, n int) term.Term {
	c.Bump(n / sockBytesPerRed)
	if n == int(bin.Size) && n > heap.HeapBitsMax {
		return c.P.Heap.WrapBin(bin, 0, uint64(n)*8)
	}
	return shrunk(c, bin, n)
}

// withRecvBuffer takes the arguments (Socket, Length, Flags, Ref) and makes room
// for what f receives: size bytes.
func withRecvBuffer(c *native.Call, f func(s *esock.Socket, length, size, flags int, bin *heap.Bin) term.Term) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		lens, flags, bad, ok := recvArgs(c)
		if !ok {
			return bad
		}
		size, _ := s.BufSizes(lens[0], 0)
		bin := recvBuffer(size)
		if bin == nil {
			return errnoError(c, unix.ENOMEM)
		}
		return f(s, lens[0], size, flags, bin)
	})
}

// psRecv is recv(Socket, Length, Flags, Ref).
func psRecv(c *native.Call) term.Term {
	return withRecvBuffer(c, func(s *esock.Socket, length, size, flags int, bin *heap.Bin) term.Term {
		n, r := s.Recv(c.P, c.Arg(3), length, size, func(fd int) (int, unix.Errno) {
			return sysnet.RecvFrom(fd, bin.Bytes(), flags, nil)
		})
		switch {
		case r.Kind == esock.More, r.Kind == esock.PartBin, r.Kind == esock.OK && !r.Nothing:
			return psReply(c, r, received(c, bin, n))
		}
		bin.Unref()
		return psReply(c, r)
	})
}

// psRecvFrom is recvfrom(Socket, Length, Flags, Ref).
func psRecvFrom(c *native.Call) term.Term {
	return withRecvBuffer(c, func(s *esock.Socket, length, size, flags int, bin *heap.Bin) term.Term {
		var from sysnet.Addr
		n, r := s.RecvMsg(c.P, c.Arg(3), func(fd int) (int, unix.Errno) {
			return sysnet.RecvFrom(fd, bin.Bytes(), flags, &from)
		})
		if r.Kind != esock.OK || r.Nothing {
			bin.Unref()
			return psReply(c, r)
		}
		h := &c.P.Heap
		return c.Ok(h.Tuple(sockaddrTerm(h, &from), received(c, bin, n)))
	})
}

// psRecvMsg is recvmsg(Socket, BufSize, CtrlSize, Flags, Ref).
func psRecvMsg(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		lens, flags, bad, ok := recvArgs(c)
		if !ok {
			return bad
		}
		size, ctrl := s.BufSizes(lens[0], lens[1])
		bin := recvBuffer(size)
		if bin == nil || ctrl > maxReadBuf {
			return errnoError(c, unix.ENOMEM)
		}
		var from sysnet.Addr
		var oobn, got int
		oob := make([]byte, ctrl)
		n, r := s.RecvMsg(c.P, c.Arg(4), func(fd int) (n int, e unix.Errno) {
			n, oobn, got, e = sysnet.RecvMsg(fd, [][]byte{bin.Bytes()}, oob, flags, &from)
			return n, e
		})
		if r.Kind != esock.OK || r.Nothing {
			bin.Unref()
			return psReply(c, r)
		}
		h := &c.P.Heap
		kvs := []term.Term{amIov, h.List(received(c, bin, n)), amCtrl, cmsgsTerm(h, oob[:oobn]), amFlags, msgFlagsTerm(h, got)}
		if from.N != 0 {
			kvs = append(kvs, amAddr, sockaddrTerm(h, &from))
		}
		return c.Ok(mapOf(h, kvs...))
	})
}

// psSendfile is sendfile(Socket, Ref, Offset, Count, File), which begins, and
// sendfile(Socket, Ref, Offset, Count), which goes on.
func psSendfile(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		off, ok1 := intArg(c.Arg(2))
		count, ok2 := uint64Arg(c.Arg(3))
		switch {
		case !c.Arg(1).IsRef(), !c.Arg(2).IsInteger(), !c.Arg(3).IsInteger():
			return c.Badarg()
		case !ok1:
			return intRange(c, c.Arg(2))
		case !ok2:
			return intRange(c, c.Arg(3))
		case c.N == 4:
			return psReply(c, s.Sendfile(c.P, c.Arg(1), off, count, nil))
		case !c.Arg(4).IsRef():
			return c.Badarg()
		}
		return psReply(c, s.Sendfile(c.P, c.Arg(1), off, count, func() (int, unix.Errno, bool) {
			return dupFile(c.P, c.Arg(4))
		}))
	})
}

// dupFile copies the descriptor of an open file that p owns.
func dupFile(p *proc.Process, t term.Term) (fd int, e unix.Errno, ok bool) {
	f, ok := fileOf(t)
	if !ok {
		return -1, 0, false
	}
	if !f.state.CompareAndSwap(fileIdle, fileBusy) {
		return -1, unix.EINVAL, true
	}
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if !f.state.CompareAndSwap(fileBusy, fileIdle) {
		f.state.Store(fileClosed)
		f.closeFd()
	}
	if err != nil {
		return -1, err.(unix.Errno), true
	}
	return fd, 0, true
}

// psSendfileClose is sendfile(Socket): it lets go of the file.
func psSendfileClose(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term { return psReply(c, s.DropFile()) })
}
