package sock

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/offheap"
)

// connectUnspec dissolves the association of a datagram socket: a connect to an
// address of no family.
func connectUnspec(fd int) error {
	const size = 16
	a := offheap.AllocZero(size, offheap.Misc)
	defer offheap.Free(a, size, offheap.Misc)
	_, _, e := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), a, size)
	if e != 0 {
		return e
	}
	return nil
}

// getsockopt reads an option of up to size bytes.
func getsockopt(fd, level, name, size int) ([]byte, error) {
	n := uintptr(size) + 8
	a := offheap.AllocZero(n, offheap.Misc)
	defer offheap.Free(a, n, offheap.Misc)
	offheap.Store(a, uint64(size))
	_, _, e := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(name), a+8, a, 0)
	if e != 0 {
		return nil, e
	}
	got := min(uintptr(uint32(offheap.Load(a))), uintptr(size))
	return append([]byte(nil), offheap.Bytes(a+8, got)...), nil
}

// cmsgInt makes a control message that holds an int.
func cmsgInt(level, typ int, v int32) []byte {
	b := make([]byte, unix.CmsgSpace(4))
	n := binary.NativeEndian
	n.PutUint64(b, uint64(unix.CmsgLen(4)))
	n.PutUint32(b[8:], uint32(level))
	n.PutUint32(b[12:], uint32(typ))
	n.PutUint32(b[16:], uint32(v))
	return b
}
