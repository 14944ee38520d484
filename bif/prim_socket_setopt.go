package bif

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/esock"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// badValue is {invalid, value}, badOption {invalid, socket_option}.
var (
	badValue  = esock.Reply{Kind: esock.BadArg, Reason: amValue}
	badOption = esock.Reply{Kind: esock.BadArg, Reason: term.Intern("socket_option")}
)

// psSetOpt is setopt(Socket, Level, Opt, Value, Native), with 0 for the values
// that the options document and another number for values that the system takes.
func psSetOpt(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		nat, ok := int32Arg(c.Arg(4))
		if !ok {
			return c.Badarg()
		}
		opt, ok := int32Arg(c.Arg(2))
		if !ok {
			return intRange(c, c.Arg(2))
		}
		val := c.Arg(3)
		level, ok := levelArg(c.Arg(1))
		switch {
		case ok:
			return psReply(c, s.DoWrite(func(fd int) esock.Reply { return setOpt(fd, level, opt, val, nat != 0) }))
		case c.Arg(1) == amOtp && nat == 0:
			return psReply(c, setOtp(c, s, opt, val))
		}
		return intRange(c, c.Arg(1))
	})
}

var amOtp = term.Intern("otp")

func setOpt(fd, level, opt int, val term.Term, nat bool) esock.Reply {
	if nat {
		b, ok := bytesIntOrBool(val)
		if !ok {
			return esock.Reply{Kind: esock.Invalid, Reason: amValue}
		}
		return errnoReply(setOptKeeping(fd, level, opt, b))
	}
	codec := findOpt(level, opt)
	if codec == nil || codec.set == nil {
		return badOption
	}
	b, ok := codec.set(val)
	if !ok {
		return badValue
	}
	return errnoReply(setOptKeeping(fd, level, opt, b))
}

// setOptKeeping sets an option and keeps the priority and the kind of service,
// which the system changes along with some options.
func setOptKeeping(fd, level, opt int, b []byte) unix.Errno {
	prio, ep := sysnet.GetInt(fd, unix.SOL_SOCKET, unix.SO_PRIORITY)
	tos, et := sysnet.GetInt(fd, unix.SOL_IP, unix.IP_TOS)
	if e := sysnet.SetOpt(fd, level, opt, b); e != 0 || opt == unix.SO_PRIORITY {
		return e
	}
	if opt != unix.IP_TOS && et == 0 {
		if e := sysnet.SetInt(fd, unix.SOL_IP, unix.IP_TOS, tos); e != 0 {
			return e
		}
	}
	if ep == 0 {
		if e := sysnet.SetInt(fd, unix.SOL_SOCKET, unix.SO_PRIORITY, prio); e != unix.EPERM {
			return e
		}
	}
	return 0
}

// bufSizeArg reads the size of a buffer, or default.
func bufSizeArg(t term.Term, otherwise int) (int, bool) {
	if t == term.Intern("default") {
		return otherwise, true
	}
	n, ok := intArg(t)
	return int(n), ok && n > 0
}

func setOtp(c *native.Call, s *esock.Socket, opt int, val term.Term) esock.Reply {
	flag := func(o esock.Setting) esock.Reply {
		switch {
		case !s.Open():
			return s.Set(o, 0)
		case !val.IsBool(), o == esock.UseRegistry && val == term.False:
			return badValue
		}
		return s.Set(o, int(b2i(val == term.True)))
	}
	size := func(o esock.Setting) esock.Reply {
		n, ok := bufSizeArg(val, esock.DefaultCtrl)
		if s.Open() && !ok {
			return badValue
		}
		return s.Set(o, n)
	}
	switch opt {
	case otpDebug:
		return flag(esock.Debug)
	case otpIow:
		return flag(esock.InformOnWrap)
	case otpUseRegistry:
		return flag(esock.UseRegistry)
	case otpRcvCtrlBuf:
		return size(esock.RcvCtrlBuf)
	case otpSndCtrlBuf:
		return size(esock.SndCtrlBuf)
	case otpRcvBuf:
		return setRcvBuf(s, val)
	case otpMeta:
		return s.SetMeta(c.P, val)
	case otpCtrlProc:
		return s.SetOwner(c.P, val)
	}
	return esock.Reply{Kind: esock.Raise, Reason: c.P.Heap.Tuple(amOtpOption, smallTerm(opt))}
}

// setRcvBuf takes a size, or {N, Size} for up to N reads of one recv.
func setRcvBuf(s *esock.Socket, val term.Term) esock.Reply {
	reads := uint32(0)
	n, ok := bufSizeArg(val, esock.DefaultBuffer)
	if !ok && val.IsTuple() && val.Arity() == 2 {
		reads, ok = uint32Arg(val.El(1))
		var sized bool
		n, sized = bufSizeArg(val.El(2), esock.DefaultBuffer)
		ok = ok && sized && reads > 0
	}
	if s.Open() && !ok {
		return badValue
	}
	if r := s.Set(esock.NReads, int(reads)); r.Kind != esock.OK {
		return r
	}
	return s.Set(esock.RcvBuf, n)
}

// psGetOpt is getopt(Socket, Level, Opt).
func psGetOpt(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		opt, ok := int32Arg(c.Arg(2))
		if !ok {
			return intRange(c, c.Arg(2))
		}
		level, ok := levelArg(c.Arg(1))
		switch {
		case ok:
			return getOpt(c, s, level, opt)
		case c.Arg(1) == amOtp:
			return getOtp(c, s, opt)
		}
		return intRange(c, c.Arg(1))
	})
}

// getBytes gets an option into a buffer.
func getBytes(c *native.Call, s *esock.Socket, level, opt int, b []byte, build func(b []byte) term.Term) term.Term {
	var n int
	r := s.Do(func(fd int) esock.Reply {
		var e unix.Errno
		n, e = sysnet.GetOpt(fd, level, opt, b)
		return errnoReply(e)
	})
	if r.Kind != esock.OK {
		return psReply(c, r)
	}
	return c.Ok(build(b[:min(n, len(b))]))
}

func getOpt(c *native.Call, s *esock.Socket, level, opt int) term.Term {
	codec := findOpt(level, opt)
	if codec == nil || codec.get == nil {
		if !s.Open() {
			return psReply(c, s.Do(nil))
		}
		return psReply(c, badOption)
	}
	size := codec.size
	if codec == pktOptionsOpt {
		_, size = s.BufSizes(1, 0)
	}
	return getBytes(c, s, level, opt, make([]byte, size), func(b []byte) term.Term {
		if codec == protocolOpt && s.Domain == unix.AF_UNIX && native32(b) == 0 {
			return term.Intern("default")
		}
		return codec.get(&c.P.Heap, b)
	})
}

// psGetOptNative is getopt(Socket, Level, Opt, Spec): the size or the bytes of a
// buffer, or how to read a number.
func psGetOptNative(c *native.Call) term.Term {
	return withSocket(c, func(s *esock.Socket) term.Term {
		opt, ok := int32Arg(c.Arg(2))
		if !ok {
			return intRange(c, c.Arg(2))
		}
		level, ok := levelArg(c.Arg(1))
		if !ok {
			return intRange(c, c.Arg(1))
		}
		h := &c.P.Heap
		var b []byte
		build := func(b []byte) term.Term { return h.Binary(b) }
		switch spec := c.Arg(3); {
		case spec == term.Intern("integer"):
			b, build = make([]byte, 4), func(b []byte) term.Term { return intOpt.get(h, b) }
		case spec == term.Intern("boolean"):
			b, build = make([]byte, 4), func(b []byte) term.Term { return boolOpt.get(h, b) }
		case spec.IsBinary():
			bin, _ := heap.AlignedBytes(spec)
			b = append(b, bin...)
		default:
			n, ok := int32Arg(spec)
			switch {
			case !s.Open():
				return psReply(c, s.Do(nil))
			case !ok || n < 0:
				return psReply(c, badValue)
			case n == 0:
				return psReply(c, s.Do(func(fd int) esock.Reply {
					_, e := sysnet.GetOpt(fd, level, opt, nil)
					return errnoReply(e)
				}))
			}
			b = make([]byte, n)
		}
		return getBytes(c, s, level, opt, b, build)
	})
}

func getOtp(c *native.Call, s *esock.Socket, opt int) term.Term {
	h := &c.P.Heap
	get := func(o esock.Setting, build func(v int) term.Term) term.Term {
		v, r := s.Get(o)
		if r.Kind != esock.OK {
			return psReply(c, r)
		}
		return c.Ok(build(v))
	}
	flag := func(v int) term.Term { return term.Bool(v != 0) }
	switch opt {
	case otpDebug:
		return get(esock.Debug, flag)
	case otpIow:
		return get(esock.InformOnWrap, flag)
	case otpUseRegistry:
		return get(esock.UseRegistry, flag)
	case otpRcvCtrlBuf:
		return get(esock.RcvCtrlBuf, smallTerm)
	case otpSndCtrlBuf:
		return get(esock.SndCtrlBuf, smallTerm)
	case otpRcvBuf:
		return get(esock.RcvBuf, func(v int) term.Term {
			if n, _ := s.Get(esock.NReads); n > 0 {
				return h.Tuple(smallTerm(n), smallTerm(v))
			}
			return smallTerm(v)
		})
	case otpMeta:
		t, r := s.Meta(h)
		return psReply(c, r, t)
	case otpCtrlProc:
		t, r := s.Owner()
		return psReply(c, r, t)
	case otpFD:
		var n int
		r := s.Do(func(fd int) esock.Reply { n = fd; return esock.Reply{} })
		return psReply(c, r, smallTerm(n))
	case otpDomain:
		return psReply(c, s.Do(func(int) esock.Reply { return esock.Reply{} }), domainTerm(s.Domain))
	}
	return c.Error(invalid(c, h.Tuple(amOtpOption, smallTerm(opt))))
}
