package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// Info is what #file_info{} holds. Type is device, directory, regular, symlink
// or other; Access is read, write, read_write or none.
type Info struct {
	Size                int64
	Type, Access        string
	Atime, Mtime, Ctime int64 // seconds
	Mode, Links         uint32
	Major, Minor        uint32 // st_dev and st_rdev, as ERTS has them
	Inode               uint32 // ERTS keeps 32 bits
	Uid, Gid            uint32
}

func infoOf(st *unix.Stat_t) *Info {
	i := &Info{
		Size: st.Size, Atime: int64(st.Atim.Sec), Mtime: int64(st.Mtim.Sec), Ctime: int64(st.Ctim.Sec),
		Mode: st.Mode, Links: uint32(st.Nlink), Major: uint32(st.Dev), Minor: uint32(st.Rdev), Inode: uint32(st.Ino),
		Uid: st.Uid, Gid: st.Gid,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR, unix.S_IFBLK:
		i.Type = "device"
	case unix.S_IFDIR:
		i.Type = "directory"
	case unix.S_IFREG:
		i.Type = "regular"
	case unix.S_IFLNK:
		i.Type = "symlink"
	default:
		i.Type = "other"
	}
	return i
}

func access(r, w bool) string {
	switch {
	case r && w:
		return "read_write"
	case r:
		return "read"
	case w:
		return "write"
	}
	return "none"
}

// Stat describes a path; follow says whether a symbolic link is followed.
func Stat(path string, follow bool) (*Info, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) {
		if follow {
			return 0, unix.Stat(path, &st)
		}
		return 0, unix.Lstat(path, &st)
	})
	if err != nil {
		return nil, err
	}
	i := infoOf(&st)
	i.Access = access(unix.Access(path, unix.R_OK) == nil, unix.Access(path, unix.W_OK) == nil)
	return i, nil
}

// Fstat describes an open file; Access is derived from the mode bits.
func Fstat(fd int) (*Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	i := infoOf(&st)
	sh := uint(0)
	if int(st.Uid) == os.Geteuid() {
		sh = 6
	} else if int(st.Gid) == os.Getegid() {
		sh = 3
	}
	i.Access = access(st.Mode>>sh&4 != 0, st.Mode>>sh&2 != 0)
	return i, nil
}

// Chmod sets the permission bits, dropping set-id bits when they are refused.
func Chmod(path string, perm uint32) error {
	perm &= 0o6777
	err := unix.Chmod(path, perm)
	if err != nil {
		err = unix.Chmod(path, perm&0o777)
	}
	return err
}

// SetTime sets access and modification times, in seconds.
func SetTime(path string, atime, mtime int64) error {
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Sec: atime}, {Sec: mtime}}, 0)
}

// ReadLink returns the target of a symbolic link.
func ReadLink(path string) ([]byte, error) {
	for n := 256; ; n *= 2 {
		b := make([]byte, n)
		k, err := unix.Readlink(path, b)
		if err != nil {
			return nil, err
		}
		if k < n {
			return b[:k], nil
		}
	}
}

// ListDir returns the names in a directory in the system's order, without "."
// and "..".
func ListDir(path string) ([]string, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := make([]byte, 32<<10)
	var names []string
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			// Like readdir, an error ends the listing.
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// Rename renames, with the error codes Erlang has for it.
func Rename(from, to string) error {
	err := unix.Rename(from, to)
	switch {
	case err == unix.ENOTEMPTY:
		return unix.EEXIST
	case err != nil && from == "/":
		return unix.EINVAL
	}
	return err
}

// DelFile removes a file; a directory is EPERM.
func DelFile(path string) error {
	err := unix.Unlink(path)
	if err == unix.EISDIR {
		return unix.EPERM
	}
	return err
}

// DelDir removes an empty directory; one that is not empty is EEXIST, and the
// current directory EINVAL.
func DelDir(path string) error {
	err := unix.Rmdir(path)
	if err == unix.ENOTEMPTY {
		err = unix.EEXIST
	}
	if err == unix.EEXIST {
		var a, b unix.Stat_t
		if unix.Stat(path, &a) == nil && unix.Stat(".", &b) == nil && a.Ino == b.Ino && a.Dev == b.Dev {
			return unix.EINVAL
		}
	}
	return err
}

// Getcwd returns the current directory.
func Getcwd() ([]byte, error) {
	s, err := unix.Getwd()
	return []byte(s), err
}
