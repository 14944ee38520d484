package bif

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// pathArg returns the path in a native name: a binary that ends with one or
// more zero bytes and has no other.
func pathArg(t term.Term) (string, error) {
	b, ok := heap.AlignedBytes(t)
	if !ok {
		return "", unix.EINVAL
	}
	i := bytes.IndexByte(b, 0)
	if i < 0 || len(bytes.TrimRight(b[i:], "\x00")) > 0 {
		return "", unix.EINVAL
	}
	return string(b[:i]), nil
}

// onPath runs an operation on the path in argument 0.
func onPath(c *native.Call, op func(path string) error) term.Term {
	path, err := pathArg(c.Arg(0))
	if err == nil {
		err = op(path)
	}
	return okOr(c, err)
}

// onPaths runs an operation on the paths in arguments 0 and 1.
func onPaths(c *native.Call, op func(a, b string) error) term.Term {
	return onPath(c, func(a string) error {
		b, err := pathArg(c.Arg(1))
		if err != nil {
			return err
		}
		return op(a, b)
	})
}

func pfHardLink(c *native.Call) term.Term { return onPaths(c, unix.Link) }
func pfSoftLink(c *native.Call) term.Term { return onPaths(c, unix.Symlink) }
func pfRename(c *native.Call) term.Term   { return onPaths(c, file.Rename) }
func pfDelFile(c *native.Call) term.Term  { return onPath(c, file.DelFile) }
func pfDelDir(c *native.Call) term.Term   { return onPath(c, file.DelDir) }
func pfSetCwd(c *native.Call) term.Term   { return onPath(c, unix.Chdir) }
func pfAltname(c *native.Call) term.Term {
	return onPath(c, func(string) error { return unix.ENOTSUP })
}

func pfMakeDir(c *native.Call) term.Term {
	return onPath(c, func(p string) error { return unix.Mkdir(p, 0o777) })
}

func pfSetPermissions(c *native.Call) term.Term {
	perm, ok := intArg(c.Arg(1))
	if !ok || perm < 0 || perm > 1<<32-1 {
		return c.Badarg()
	}
	return onPath(c, func(p string) error { return file.Chmod(p, uint32(perm)) })
}

func int32Arg(t term.Term) (int, bool) {
	v, ok := intArg(t)
	return int(v), ok && v >= -1<<31 && v < 1<<31
}

func pfSetOwner(c *native.Call) term.Term {
	uid, ok1 := int32Arg(c.Arg(1))
	gid, ok2 := int32Arg(c.Arg(2))
	if !ok1 || !ok2 {
		return c.Badarg()
	}
	return onPath(c, func(p string) error { return unix.Chown(p, uid, gid) })
}

func pfSetTime(c *native.Call) term.Term {
	atime, ok1 := intArg(c.Arg(1))
	mtime, ok2 := intArg(c.Arg(2))
	if _, ok3 := intArg(c.Arg(3)); !ok1 || !ok2 || !ok3 {
		return c.Badarg()
	}
	return onPath(c, func(p string) error { return file.SetTime(p, atime, mtime) })
}

func pfReadInfo(c *native.Call) term.Term {
	follow, ok := int32Arg(c.Arg(1))
	if !ok {
		return c.Badarg()
	}
	path, err := pathArg(c.Arg(0))
	if err != nil {
		return errnoTuple(c, err)
	}
	i, err := file.Stat(path, follow != 0)
	if err != nil {
		return errnoTuple(c, err)
	}
	return fileInfo(c, i)
}

var amFileInfo = term.Intern("file_info")

// minFileTime is the earliest time a file_info shows: the start of year 0.
const minFileTime = -62167219200

// fileInfo builds a #file_info{}.
func fileInfo(c *native.Call, i *file.Info) term.Term {
	h := &c.P.Heap
	tm := func(s int64) term.Term { return h.Int(max(s, minFileTime)) }
	n := func(v uint32) term.Term { return term.Small(int64(v)) }
	return h.Tuple(amFileInfo, h.Int(i.Size), term.Intern(i.Type), term.Intern(i.Access),
		tm(i.Atime), tm(i.Mtime), tm(i.Ctime), n(i.Mode), n(i.Links), n(i.Major), n(i.Minor), n(i.Inode), n(i.Uid), n(i.Gid))
}

func pfReadLink(c *native.Call) term.Term {
	path, err := pathArg(c.Arg(0))
	if err != nil {
		return errnoTuple(c, err)
	}
	b, err := file.ReadLink(path)
	if err != nil {
		return errnoTuple(c, err)
	}
	return c.Ok(c.P.Heap.Binary(b))
}

// pfListDir returns the names in the reverse of the system's order:
// prim_file.erl turns them round again.
func pfListDir(c *native.Call) term.Term {
	path, err := pathArg(c.Arg(0))
	if err != nil {
		return errnoTuple(c, err)
	}
	names, err := file.ListDir(path)
	if err != nil {
		return errnoTuple(c, err)
	}
	l := term.Nil
	for _, n := range names {
		l = c.P.Heap.Cons(c.P.Heap.Binary([]byte(n)), l)
	}
	return c.Ok(l)
}

func pfDeviceCwd(c *native.Call) term.Term {
	if _, ok := int32Arg(c.Arg(0)); !ok {
		return c.Badarg()
	}
	return errnoTuple(c, unix.ENOTSUP)
}

func pfGetCwd(c *native.Call) term.Term {
	b, err := file.Getcwd()
	if err != nil {
		return errnoTuple(c, err)
	}
	return c.Ok(c.P.Heap.Binary(b))
}

// pfReadFile reads a whole file; one whose size is not known (0, as in /proc)
// is read to its end.
func pfReadFile(c *native.Call) term.Term {
	path, err := pathArg(c.Arg(0))
	if err != nil {
		return errnoTuple(c, err)
	}
	fd, err := file.Open(path, file.Read)
	if err != nil {
		return errnoTuple(c, err)
	}
	defer unix.Close(fd)
	size := int64(0)
	if i, err := file.Fstat(fd); err == nil {
		size = i.Size
	}
	if size > 0 {
		bin, err := readBinary(c, size, func(b []byte) (int, error) { return file.ReadFull(fd, b) })
		if err != nil {
			return errnoTuple(c, err)
		}
		if bin == term.None {
			bin = c.P.Heap.Binary(nil)
		}
		return c.Ok(bin)
	}
	var all []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := file.ReadFull(fd, buf)
		if err != nil {
			return errnoTuple(c, err)
		}
		all = append(all, buf[:n]...)
		if n < len(buf) {
			return c.Ok(c.P.Heap.Binary(all))
		}
	}
}
