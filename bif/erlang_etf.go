package bif

import (
	"encoding/binary"
	"sync"

	"github.com/beamrd/beamrd/internal/zlib"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangEtfRows = []native.Row{
	{Module: "erlang", Name: "term_to_binary", Arity: 1, Fn: termToBinary(false)},
	{Module: "erlang", Name: "term_to_binary", Arity: 2, Fn: termToBinary(false)},
	{Module: "erlang", Name: "term_to_iovec", Arity: 1, Fn: termToBinary(true)},
	{Module: "erlang", Name: "term_to_iovec", Arity: 2, Fn: termToBinary(true)},
	{Module: "erts_internal", Name: "dirty_compress", Arity: 1, Fn: dirtyCompress,
		Flags: native.Hidden | native.DirtyCPU},
	{Module: "erlang", Name: "external_size", Arity: 1, Fn: externalSize},
	{Module: "erlang", Name: "external_size", Arity: 2, Fn: externalSize},
	{Module: "erlang", Name: "binary_to_term", Arity: 1, Fn: binaryToTerm},
	{Module: "erlang", Name: "binary_to_term", Arity: 2, Fn: binaryToTerm},
	{Module: "erts_internal", Name: "dirty_uncompress", Arity: 2, Fn: dirtyUncompress,
		Flags: native.Hidden | native.DirtyCPU},
}

const (
	etfTermsPerRed   = 16
	etfCompressBytes = 16 << 10 // what is longer is compressed on the dirty pool
	etfCompressPerRd = 16       // bytes that a reduction pays for
)

var (
	amT2BMinorVersion  = term.Intern("minor_version")
	amT2BCompressed    = term.Intern("compressed")
	amT2BDeterministic = term.Intern("deterministic")
	amB2TSafe          = term.Intern("safe")
	amB2TUsed          = term.Intern("used")
)

// etfDefaults are the release's options of term_to_binary/1.
var etfDefaults etf.Options

// encodeOpts decodes the options of term_to_binary/2. level is zlib's, 0 for
// no compression.
func encodeOpts(l term.Term) (o etf.Options, level int, ok bool) {
	o = etfDefaults
	deterministic := false
	for ; l.IsList(); l = l.Tail() {
		switch e := l.Head(); {
		case e == amT2BCompressed:
			level = zlib.DefaultLevel
		case e == amT2BDeterministic:
			deterministic = true
		case e.IsTuple() && e.Arity() == 2 && e.El(2).IsSmall():
			v := e.El(2).Small()
			switch e.El(1) {
			case amT2BMinorVersion:
				if v < 0 || v > 2 {
					return o, 0, false
				}
				o = etf.Options{OldFloats: v == 0, UTF8Atoms: v == 2}
			case amT2BCompressed:
				if v < 0 || v > 9 {
					return o, 0, false
				}
				level = int(v)
			default:
				return o, 0, false
			}
		default:
			return o, 0, false
		}
	}
	o.Deterministic = deterministic
	return o, level, l.IsNil()
}

// t2bJob is an unfinished term_to_binary. The saved terms are the term, then
// those of the encoder.
type t2bJob struct {
	*etf.Encoder
	level int
	iovec bool
}

var encoders = sync.Pool{New: func() any { return etf.NewEncoder(etf.Options{}) }}

func termToBinary(iovec bool) func(*native.Call) term.Term {
	return func(c *native.Call) term.Term {
		if s, ok := savedState[*t2bJob](c.Arg(0)); ok {
			return resumeT2B(c, s)
		}
		s := &t2bJob{}
		o := etfDefaults
		if c.Row.Arity == 2 {
			var ok bool
			if o, s.level, ok = encodeOpts(c.Arg(1)); !ok {
				return c.Badarg()
			}
		}
		s.Encoder = encoders.Get().(*etf.Encoder)
		s.Options = o
		s.iovec = iovec && s.level == 0
		s.IOVec = s.iovec
		s.Start(c.Arg(0))
		return s.goOn(c, c.Arg(0))
	}
}

func resumeT2B(c *native.Call, s *t2bJob) term.Term {
	st := c.Arg(0)
	ts := make([]term.Term, s.Depth())
	for i := range ts {
		ts[i] = savedTerm(st, i+1)
	}
	s.SetTerms(ts)
	return s.goOn(c, savedTerm(st, 0))
}

// goOn writes until the term or the slice ends.
func (s *t2bJob) goOn(c *native.Call, t term.Term) term.Term {
	// A deep term makes a slice costly to save: then do more in each.
	n := max(max(c.Left(), 100)*etfTermsPerRed, s.Depth())
	left, done := s.Step(n)
	c.Bump((n - left) / etfTermsPerRed)
	if !done {
		ts := make([]term.Term, 1+s.Depth())
		ts[0] = t
		s.Terms(ts[1:])
		st := saveState(c, s.move(), ts...)
		if c.Row.Arity == 2 {
			return c.YieldWith(st, c.Arg(1))
		}
		return c.YieldWith(st)
	}
	if s.TooBig() {
		s.release()
		c.SetArg(0, t)
		return c.SystemLimit()
	}
	if s.level != 0 && len(s.Bytes()) > etfCompressBytes {
		return dirtyTrap(c, "dirty_compress", saveState(c, s.move()))
	}
	return s.result(c)
}

func (s *t2bJob) release() {
	s.Close()
	s.Options, s.IOVec = etf.Options{}, false
	encoders.Put(s.Encoder)
	s.Encoder = nil
}

// move hands the work over to a new state: the saved state that held s may be
// dropped by a collection while the work goes on.
func (s *t2bJob) move() *t2bJob {
	n := *s
	s.Encoder = nil
	return &n
}

// Drop is called when the process ends or abandons the work.
func (s *t2bJob) Drop() {
	if s.Encoder != nil {
		s.release()
	}
}

func (s *t2bJob) result(c *native.Call) (r term.Term) {
	h := &c.P.Heap
	switch {
	case s.iovec:
		r = s.Pieces(h)
	case s.level != 0:
		c.Bump(len(s.Bytes()) / etfCompressPerRd)
		if z, ok := compressed(s.Bytes(), s.level); ok {
			r = h.Binary(z)
			break
		}
		fallthrough
	default:
		r = s.Finish(h)
	}
	s.release()
	return r
}

func dirtyCompress(c *native.Call) term.Term {
	s, ok := savedState[*t2bJob](c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	return s.result(c)
}

// etfHeadSize is the version, the tag and the size before compressed bytes.
const etfHeadSize = 6

// compressed returns the compressed form of an encoding; ok is false when that
// is not shorter.
func compressed(s []byte, level int) (z []byte, ok bool) {
	z = make([]byte, etfHeadSize, etfHeadSize+len(s)/2+64)
	z[0], z[1] = etf.Version, etf.Compressed
	binary.BigEndian.PutUint32(z[2:], uint32(len(s)-1))
	z, err := zlib.Compress(z, s[1:], level)
	return z, err == nil && len(z) <= len(s)
}

func externalSize(c *native.Call) term.Term {
	o := etfDefaults
	if c.Row.Arity == 2 {
		l := c.Arg(1)
		for ; l.IsList(); l = l.Tail() {
			e := l.Head()
			if !e.IsTuple() || e.Arity() != 2 || e.El(1) != amT2BMinorVersion {
				return c.Badarg()
			}
			switch e.El(2) {
			case term.Small(0):
				o.OldFloats = true
			case term.Small(1):
			default:
				return c.Badarg()
			}
		}
		if !l.IsNil() {
			return c.Badarg()
		}
	}
	n, steps := o.Size(c.Arg(0))
	c.Bump((steps + n/8) / etfTermsPerRed)
	return c.P.Heap.Uint(uint64(n) + 1)
}

// b2tJob is an unfinished binary_to_term. What is built lies in fragments of
// its own until it is whole.
type b2tJob struct {
	h    *heap.Heap
	d    *etf.Decoder
	bin  *heap.Bin // keeps the bytes alive, or nil
	opts decodeFlags
}

type decodeFlags struct{ safe, used bool }

// Drop is called when the process ends or abandons the work.
func (s *b2tJob) Drop() {
	if s.d != nil {
		s.d.Close()
		s.d = nil
	}
	if s.bin != nil {
		s.bin.Unref()
		s.bin = nil
	}
	if s.h != nil {
		s.h.Release()
		s.h = nil
	}
}

// move hands the work over to a new state; see t2bJob.move.
func (s *b2tJob) move() *b2tJob {
	n := *s
	*s = b2tJob{}
	return &n
}

func decodeOpts(l term.Term) (o decodeFlags, ok bool) {
	for ; l.IsList(); l = l.Tail() {
		switch l.Head() {
		case amB2TSafe:
			o.safe = true
		case amB2TUsed:
			o.used = true
		default:
			return o, false
		}
	}
	return o, l.IsNil()
}

func binaryToTerm(c *native.Call) term.Term {
	bin := c.Arg(0)
	if s, ok := savedState[*b2tJob](bin); ok {
		return s.goOn(c, savedTerm(bin, 0))
	}
	var o decodeFlags
	if c.Row.Arity == 2 {
		var ok bool
		if o, ok = decodeOpts(c.Arg(1)); !ok {
			return c.BadargCause(amBadopt)
		}
	}
	s, ok := heap.AlignedBytes(bin)
	if !ok || len(s) == 0 || s[0] != etf.Version {
		return c.Badarg()
	}
	s = s[1:]
	if len(s) >= 5 && s[0] == etf.Compressed {
		return uncompress(c, bin, s, o)
	}
	if len(s) > max(c.Left(), 100)*etfTermsPerRed {
		return startB2T(c, bin, s, o)
	}
	c.Bump(len(s) / etfTermsPerRed / 4)
	t, n, err := etf.Decode(&c.P.Heap, s, o.safe)
	if err != nil {
		return c.Badarg()
	}
	return decoded(c, t, n+1, o)
}

func decoded(c *native.Call, t term.Term, used int, o decodeFlags) term.Term {
	if o.used {
		return c.P.Heap.Tuple(t, term.Small(int64(used)))
	}
	return t
}

// startB2T begins to decode s, the bytes of bin after the version.
func startB2T(c *native.Call, bin term.Term, s []byte, o decodeFlags) term.Term {
	j := &b2tJob{h: new(heap.Heap), opts: o}
	if bin.Kind() == term.KSubBits {
		if orig := term.Term(bin.W(4)); orig.Kind() == term.KBinRef {
			j.bin = heap.BinOf(orig)
			j.bin.Freeze()
			j.bin.Ref()
			aligned, _ := heap.AlignedBytes(bin)
			s = aligned[1:]
		}
	}
	j.d = etf.NewDecoder(j.h, s, o.safe)
	return j.goOn(c, bin)
}

func (s *b2tJob) goOn(c *native.Call, bin term.Term) term.Term {
	n := max(c.Left(), 100) * etfTermsPerRed
	left, done := s.d.Step(n)
	c.Bump((n - left) / etfTermsPerRed)
	if !done {
		st := saveState(c, s.move(), bin)
		if c.Row.Arity == 2 {
			return c.YieldWith(st, c.Arg(1))
		}
		return c.YieldWith(st)
	}
	t, used, err := s.d.Result()
	if err != nil {
		s.Drop()
		c.SetArg(0, bin)
		return c.Badarg()
	}
	f, off := s.h.Detach()
	c.P.Heap.Attach(f, &off)
	o := s.opts
	s.Drop()
	return decoded(c, t, used+1, o)
}

// etfInflateBytes is the size above which a term is inflated on the dirty pool.
const etfInflateBytes = 64 << 10

func uncompress(c *native.Call, bin term.Term, s []byte, o decodeFlags) term.Term {
	if binary.BigEndian.Uint32(s[1:]) > etfInflateBytes || len(s) > etfInflateBytes {
		opts := term.Nil
		if c.Row.Arity == 2 {
			opts = c.Arg(1)
		}
		return dirtyTrap(c, "dirty_uncompress", bin, opts)
	}
	return uncompressNow(c, s, o)
}

func dirtyUncompress(c *native.Call) term.Term {
	s, _ := heap.AlignedBytes(c.Arg(0))
	o, _ := decodeOpts(c.Arg(1))
	return uncompressNow(c, s[1:], o)
}

func uncompressNow(c *native.Call, s []byte, o decodeFlags) term.Term {
	raw, taken, err := etf.Uncompress(s)
	if err != nil {
		return c.Badarg()
	}
	c.Bump(len(raw) / etfTermsPerRed)
	t, _, err := etf.Decode(&c.P.Heap, raw, o.safe)
	if err != nil {
		return c.Badarg()
	}
	return decoded(c, t, taken+1, o)
}
