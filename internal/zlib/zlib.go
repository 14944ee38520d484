// Package zlib is zlib itself (1.2.11, translated to Go), so that compressed
// bytes are those of the C library at every level and strategy. It hides the
// library behind a stream and two one-shot functions.
package zlib

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	z "modernc.org/z/lib"
)

// Return codes of the library.
const (
	OK           = 0
	StreamEnd    = 1
	NeedDict     = 2
	Errno        = -1
	StreamError  = -2
	DataError    = -3
	MemError     = -4
	BufError     = -5
	VersionError = -6
)

// Flush modes.
const (
	NoFlush      = 0
	PartialFlush = 1
	SyncFlush    = 2
	FullFlush    = 3
	Finish       = 4
	Block        = 5
	Trees        = 6
)

// Usual arguments of NewDeflate.
const (
	DefaultLevel    = -1
	Deflated        = 8
	MaxWindowBits   = 15
	DefaultMemLevel = 8
	DefaultStrategy = 0
)

// ErrData says that what was to be inflated is not a zlib stream of the
// expected size.
var ErrData = errors.New("zlib: corrupt or truncated data")

// Stream is a deflate or inflate state. It must be closed with End, and used
// by one goroutine at a time.
type Stream struct {
	tls     *libc.TLS
	s       uintptr // *z.Z_stream in the library's memory
	inflate bool
}

func (s *Stream) z() *z.Z_stream { return (*z.Z_stream)(unsafe.Add(nil, s.s)) }

// addr returns the address of a slice's bytes. The call goes through a variable
// so that the compiler takes b to escape: bytes on a goroutine's stack would
// move while the library, which knows only addresses, works on them.
var addr = func(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

var version = []byte("1.2.11\x00")

func newStream(inflate bool) *Stream {
	s := &Stream{tls: libc.NewTLS(), inflate: inflate}
	n := unsafe.Sizeof(z.Z_stream{})
	s.s = libc.Xcalloc(s.tls, 1, types.Size_t(n))
	return s
}

func (s *Stream) free() {
	libc.Xfree(s.tls, s.s)
	s.tls.Close()
	s.s = 0
}

// NewDeflate returns a stream that compresses; the code is OK or why there is
// none. A negative window size makes raw deflate, one above 15 gzip.
func NewDeflate(level, method, windowBits, memLevel, strategy int) (*Stream, int) {
	s := newStream(false)
	r := z.XdeflateInit2_(s.tls, s.s, int32(level), int32(method), int32(windowBits),
		int32(memLevel), int32(strategy), addr(version), int32(unsafe.Sizeof(z.Z_stream{})))
	if r != OK {
		s.free()
		return nil, int(r)
	}
	return s, OK
}

// NewInflate returns a stream that decompresses; the code is OK or why there
// is none.
func NewInflate(windowBits int) (*Stream, int) {
	s := newStream(true)
	r := z.XinflateInit2_(s.tls, s.s, int32(windowBits), addr(version), int32(unsafe.Sizeof(z.Z_stream{})))
	if r != OK {
		s.free()
		return nil, int(r)
	}
	return s, OK
}

// Run compresses or decompresses what it can of in to out and returns the
// bytes taken, the bytes made, and the library's code.
func (s *Stream) Run(in, out []byte, flush int) (taken, made, code int) {
	p := s.z()
	p.Fnext_in, p.Favail_in = addr(in), uint32(len(in))
	p.Fnext_out, p.Favail_out = addr(out), uint32(len(out))
	if len(out) == 0 {
		p.Fnext_out = addr(version) // no room is a buffer error; no address would be a stream error
	}
	var r int32
	if s.inflate {
		r = z.Xinflate(s.tls, s.s, int32(flush))
	} else {
		r = z.Xdeflate(s.tls, s.s, int32(flush))
	}
	taken, made = len(in)-int(p.Favail_in), len(out)-int(p.Favail_out)
	runtime.KeepAlive(in)
	runtime.KeepAlive(out)
	p.Fnext_in, p.Favail_in, p.Fnext_out, p.Favail_out = 0, 0, 0, 0
	return taken, made, int(r)
}

// Reset makes the stream as new, keeping its parameters.
func (s *Stream) Reset() int {
	if s.inflate {
		return int(z.XinflateReset(s.tls, s.s))
	}
	return int(z.XdeflateReset(s.tls, s.s))
}

// SetDictionary presets the dictionary.
func (s *Stream) SetDictionary(d []byte) int {
	defer runtime.KeepAlive(d)
	a := addr(d)
	if a == 0 {
		a = addr(version) // the library refuses a null pointer
	}
	if s.inflate {
		return int(z.XinflateSetDictionary(s.tls, s.s, a, uint32(len(d))))
	}
	return int(z.XdeflateSetDictionary(s.tls, s.s, a, uint32(len(d))))
}

// Dictionary returns the sliding dictionary of an inflate stream.
func (s *Stream) Dictionary() ([]byte, int) {
	buf := make([]byte, 32768)
	n := libc.Xcalloc(s.tls, 1, 4)
	defer libc.Xfree(s.tls, n)
	r := z.XinflateGetDictionary(s.tls, s.s, addr(buf), n)
	runtime.KeepAlive(buf)
	return buf[:*(*uint32)(unsafe.Add(nil, n))], int(r)
}

// Params changes level and strategy of a deflate stream. What is pending must
// have been flushed before: full tells that it was not.
func (s *Stream) Params(level, strategy int) (code int, full bool) {
	one := make([]byte, 1)
	p := s.z()
	p.Fnext_out, p.Favail_out = addr(one), 1
	p.Fnext_in, p.Favail_in = 0, 0
	r := z.XdeflateParams(s.tls, s.s, int32(level), int32(strategy))
	full = p.Favail_out == 0
	runtime.KeepAlive(one)
	p.Fnext_out, p.Favail_out = 0, 0
	return int(r), full
}

// Adler returns the stream's running checksum.
func (s *Stream) Adler() uint32 { return uint32(s.z().Fadler) }

// End frees the stream. The code is DataError when a deflate stream is freed
// with output pending.
func (s *Stream) End() int {
	if s.s == 0 {
		return StreamError
	}
	var r int32
	if s.inflate {
		r = z.XinflateEnd(s.tls, s.s)
	} else {
		r = z.XdeflateEnd(s.tls, s.s)
	}
	s.free()
	return int(r)
}

// Compress appends the zlib form of src at a level (-1 to 9) to dst.
func Compress(dst, src []byte, level int) ([]byte, error) {
	s, code := NewDeflate(level, Deflated, MaxWindowBits, DefaultMemLevel, DefaultStrategy)
	if code != OK {
		return dst, fmt.Errorf("zlib: level %d refused (code %d)", level, code)
	}
	defer s.End()
	return s.all(dst, src, Finish)
}

// Uncompress appends the inflated form of the zlib stream at the start of src
// to dst and returns the bytes of src it took. size is what is expected; a
// stream that gives more or less is ErrData.
func Uncompress(dst, src []byte, size int) (out []byte, taken int, err error) {
	s, code := NewInflate(MaxWindowBits)
	if code != OK {
		return dst, 0, fmt.Errorf("zlib: code %d", code)
	}
	defer s.End()
	n := len(dst)
	if cap(dst)-n < size {
		dst = append(make([]byte, 0, n+size), dst...)
	}
	buf := dst[n : n+size]
	if size == 0 {
		buf = make([]byte, 1) // the library wants room to see the stream's end
	}
	taken, made, code := s.Run(src, buf, Finish)
	if code != StreamEnd || made != size {
		return dst[:n], taken, ErrData
	}
	return dst[:n+size], taken, nil
}

func (s *Stream) all(dst, src []byte, flush int) ([]byte, error) {
	for {
		if cap(dst)-len(dst) < 256 {
			dst = append(make([]byte, 0, 2*cap(dst)+len(src)/2+1024), dst...)
		}
		taken, made, code := s.Run(src, dst[len(dst):cap(dst)], flush)
		src = src[taken:]
		dst = dst[:len(dst)+made]
		switch code {
		case StreamEnd:
			return dst, nil
		case OK:
		default:
			return dst, fmt.Errorf("zlib: code %d", code)
		}
	}
}
