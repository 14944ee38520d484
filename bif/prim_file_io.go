package bif

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// intArg returns an integer that fits 64 bits signed.
func intArg(t term.Term) (int64, bool) {
	if t.IsSmall() {
		return t.Small(), true
	}
	if t.IsBig() && term.HeaderWords(t.Hdr()) == 1 {
		v := t.W(1)
		if t.Kind() == term.KNegBig {
			return -int64(v), v <= 1<<63
		}
		return int64(v), v < 1<<63
	}
	return 0, false
}

// readInto builds a binary of up to n bytes that read fills: {ok,Bin}, eof or
// an error. Large reads go straight into the binary's memory.
func readInto(c *native.Call, n int64, read func(b []byte) (int, error)) term.Term {
	bin, err := readBinary(c, n, read)
	switch {
	case err != nil:
		return errnoTuple(c, err)
	case bin == term.None:
		return amEof
	}
	return c.Ok(bin)
}

var amEof = term.Intern("eof")

// maxReadBuf bounds what a single read allocates before it knows how much
// there is to read.
const maxReadBuf = 1 << 31

// readBinary is readInto without the tuple; None stands for nothing read.
func readBinary(c *native.Call, n int64, read func(b []byte) (int, error)) (term.Term, error) {
	if n > maxReadBuf {
		return term.None, unix.ENOMEM
	}
	if n <= 64 {
		var b [64]byte
		k, err := read(b[:n])
		if err != nil || k == 0 {
			return term.None, err
		}
		return c.P.Heap.Binary(b[:k]), nil
	}
	bin := heap.NewBin(uintptr(n))
	k, err := read(bin.Bytes())
	if err != nil || k == 0 {
		bin.Unref()
		return term.None, err
	}
	return shrunk(c, bin, k), nil
}

// shrunk builds a binary of the first k bytes of bin, taking over its count. A
// much smaller result is copied, so that it does not hold on to the block.
func shrunk(c *native.Call, bin *heap.Bin, k int) term.Term {
	if uintptr(k) < bin.Size/2 || k <= 64 {
		t, a := c.P.Heap.NewBinary(uintptr(k))
		offheap.Copy(a, bin.Data, uintptr(k))
		bin.Unref()
		return t
	}
	bin.Size = uintptr(k)
	return c.P.Heap.WrapBin(bin, 0, uint64(k)*8)
}

func pfRead(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		if !c.Arg(1).IsNumber() {
			return c.Badarg()
		}
		n, ok := intArg(c.Arg(1))
		if !ok || n < 0 {
			return errnoTuple(c, unix.EINVAL)
		}
		return readInto(c, n, func(b []byte) (int, error) { return file.ReadFull(f.fd, b) })
	})
}

func pfPread(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		if !c.Arg(1).IsNumber() || !c.Arg(2).IsNumber() {
			return c.Badarg()
		}
		off, ok1 := intArg(c.Arg(1))
		n, ok2 := intArg(c.Arg(2))
		if !ok1 || !ok2 || off < 0 || n < 0 {
			return errnoTuple(c, unix.EINVAL)
		}
		return readInto(c, n, func(b []byte) (int, error) { return file.PreadFull(f.fd, b, off) })
	})
}

// ioVec views the first 64 binaries of a list; tail is the rest.
func ioVec(l term.Term) (bufs [][]byte, tail term.Term, ok bool) {
	for len(bufs) < 64 && l.IsList() {
		b, ok := heap.AlignedBytes(l.Head())
		if !ok {
			return nil, l, false
		}
		bufs = append(bufs, b)
		l = l.Tail()
	}
	return bufs, l, l.IsNil() || l.IsList()
}

func pfWrite(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		bufs, tail, ok := ioVec(c.Arg(1))
		if !ok {
			return c.Badarg()
		}
		if _, err := file.WriteAll(f.fd, bufs); err != nil {
			return errnoTuple(c, err)
		}
		if !tail.IsNil() {
			return c.P.Heap.Tuple(amContinue, tail)
		}
		return term.AmOk
	})
}

var amContinue = term.Intern("continue")

func pfPwrite(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		bufs, tail, ok := ioVec(c.Arg(2))
		if !ok || !c.Arg(1).IsNumber() {
			return c.Badarg()
		}
		off, ok := intArg(c.Arg(1))
		if !ok || off < 0 {
			return errnoTuple(c, unix.EINVAL)
		}
		n, err := file.PwriteAll(f.fd, bufs, off)
		if err != nil {
			return errnoTuple(c, err)
		}
		if !tail.IsNil() {
			return c.P.Heap.Tuple(amContinue, c.P.Heap.Int(n), tail)
		}
		return term.AmOk
	})
}

var seekWhence = map[term.Term]int{term.Intern("bof"): 0, term.Intern("cur"): 1, term.Intern("eof"): 2}

func pfSeek(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		off, ok := intArg(c.Arg(2))
		whence, known := seekWhence[c.Arg(1)]
		if !ok || !known {
			return c.Badarg()
		}
		pos, err := unix.Seek(f.fd, off, whence)
		if err != nil {
			return errnoTuple(c, err)
		}
		return c.Ok(c.P.Heap.Int(pos))
	})
}

func pfSync(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		data, ok := intArg(c.Arg(1))
		if !ok {
			return c.Badarg()
		}
		if data != 0 {
			return okOr(c, unix.Fdatasync(f.fd))
		}
		return okOr(c, unix.Fsync(f.fd))
	})
}

func pfTruncate(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term { return okOr(c, file.TruncateHere(f.fd)) })
}

// offLen reads the offset and length of arguments 1 and 2.
func offLen(c *native.Call) (off, n int64, bad term.Term, ok bool) {
	if !c.Arg(1).IsNumber() || !c.Arg(2).IsNumber() {
		return 0, 0, c.Badarg(), false
	}
	off, ok1 := intArg(c.Arg(1))
	n, ok2 := intArg(c.Arg(2))
	if !ok1 || !ok2 || off < 0 || n < 0 {
		return 0, 0, errnoTuple(c, unix.EINVAL), false
	}
	return off, n, term.None, true
}

func pfAllocate(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		off, n, bad, ok := offLen(c)
		if !ok {
			return bad
		}
		return okOr(c, file.Allocate(f.fd, off, n))
	})
}

var fileAdvice = map[term.Term]int{
	term.Intern("normal"): unix.FADV_NORMAL, term.Intern("random"): unix.FADV_RANDOM, term.Intern("sequential"): unix.FADV_SEQUENTIAL,
	term.Intern("will_need"): unix.FADV_WILLNEED, term.Intern("dont_need"): unix.FADV_DONTNEED, term.Intern("no_reuse"): unix.FADV_NOREUSE,
}

func pfAdvise(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		off, n, bad, ok := offLen(c)
		if !ok {
			return bad
		}
		advice, ok := fileAdvice[c.Arg(3)]
		if !ok {
			return errnoTuple(c, unix.EINVAL)
		}
		// ERTS looks for a negative result, which posix_fadvise never gives.
		_ = unix.Fadvise(f.fd, off, n, advice)
		return term.AmOk
	})
}

func pfHandleInfo(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		i, err := file.Fstat(f.fd)
		if err != nil {
			return errnoTuple(c, err)
		}
		return fileInfo(c, i)
	})
}

func pfGetHandle(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		return c.P.Heap.Binary(binary.NativeEndian.AppendUint32(nil, uint32(f.fd)))
	})
}

// pfIpread reads a block through a pointer block of size and address, 32 bits
// each, as dets lays them out.
func pfIpread(c *native.Call) term.Term {
	return withFile(c, func(c *native.Call, f *primFile) term.Term {
		if !c.Arg(1).IsNumber() || !c.Arg(2).IsNumber() {
			return c.Badarg()
		}
		off, ok1 := intArg(c.Arg(1))
		limit, ok2 := intArg(c.Arg(2))
		if !ok1 || !ok2 || off < 0 || limit >= 1<<31 {
			return errnoTuple(c, unix.EINVAL)
		}
		var ptr [8]byte
		n, err := file.PreadFull(f.fd, ptr[:], off)
		if err != nil {
			return errnoTuple(c, err)
		}
		size, pos := int64(binary.BigEndian.Uint32(ptr[:])), int64(binary.BigEndian.Uint32(ptr[4:]))
		if n < len(ptr) || size > limit {
			return amEof
		}
		data, err := readBinary(c, size, func(b []byte) (int, error) { return file.PreadFull(f.fd, b, pos) })
		if err != nil {
			return errnoTuple(c, err)
		}
		if data == term.None {
			data = amEof
		}
		return c.Ok(c.P.Heap.Tuple(term.Small(size), term.Small(pos), data))
	})
}
