// Package ramfile is the driver ram_file_drv: files in memory, for
// file:open/2 with the option ram.
package ramfile

import (
	"bytes"
	"encoding/binary"
	"syscall"

	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/port"
)

// Commands.
const (
	cmdOpen     = 1
	cmdRead     = 2
	cmdSeek     = 3
	cmdWrite    = 4
	cmdSync     = 9
	cmdTruncate = 14
	cmdPread    = 17
	cmdPwrite   = 18
	cmdDatasync = 19
	cmdGet      = 30
	cmdSize     = 37
	cmdAdvise   = 38
	cmdAllocate = 39
	modeRead    = 1
	modeWrite   = 2
	replyOK     = 0
	replyError  = 1
	replyData   = 2
	replyNumber = 3
	maxInMemory = 1<<31 - 1 // positions have 32 bits with a sign
)

// Driver is the driver.
type Driver struct{}

// Name returns the driver's name.
func (Driver) Name() string { return "ram_file_drv" }

// Open makes an instance, which is not open yet as a file.
func (Driver) Open(p *port.Port, _ *port.Options) (port.Instance, error) {
	return &ramFile{p: p}, nil
}

type ramFile struct {
	p    *port.Port
	mode uint32
	b    []byte
	pos  int
}

func (f *ramFile) Control(uint32, []byte) (port.Reply, bool) { return port.Reply{}, false }
func (f *ramFile) Pending() int                              { return 0 }
func (f *ramFile) Stop()                                     { f.b = nil }

// Output runs a command; the answer is a message {Port,{data,_}}. Unknown
// commands have none.
func (f *ramFile) Output(data [][]byte) {
	b := bytes.Join(data, nil)
	if len(b) == 0 {
		return
	}
	cmd, b := b[0], b[1:]
	switch cmd {
	case cmdOpen:
		f.mode = uint32(arg(b, 0))
		f.b, f.pos = bytes.Clone(b[min(4, len(b)):]), 0
		f.number(0)
	case cmdSync, cmdDatasync, cmdAdvise, cmdAllocate:
		if f.mode == 0 {
			f.fail(syscall.EBADF)
			return
		}
		f.ok()
	case cmdWrite:
		if f.write(b, f.pos) {
			f.pos += len(b)
			f.number(len(b))
		}
	case cmdPwrite:
		if d := b[min(4, len(b)):]; f.write(d, arg(b, 0)) {
			f.number(len(d))
		}
	case cmdRead:
		f.pos += f.read(arg(b, 0), f.pos)
	case cmdPread:
		f.read(arg(b, 4), arg(b, 0))
	case cmdSeek:
		f.seek(arg(b, 0), arg(b, 4))
	case cmdTruncate:
		f.truncate()
	case cmdGet:
		f.data(f.b)
	case cmdSize:
		f.number(len(f.b))
	}
}

// arg reads a number of 32 bits; what is not there is 0.
func arg(b []byte, i int) int {
	if len(b) < i+4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b[i:])))
}

// write puts bytes at a position, with zeros before them if need be. false: it
// has answered with an error.
func (f *ramFile) write(b []byte, at int) bool {
	end := at + len(b)
	switch {
	case at < 0:
		f.fail(syscall.EINVAL)
		return false
	case f.mode&modeWrite == 0:
		f.fail(syscall.EBADF)
		return false
	case end > maxInMemory:
		f.fail(syscall.ENOMEM)
		return false
	}
	if end > len(f.b) {
		f.b = append(f.b, make([]byte, end-len(f.b))...)
	}
	copy(f.b[at:], b)
	return true
}

// read answers with bytes from a position, and returns how many.
func (f *ramFile) read(n, at int) int {
	switch {
	case f.mode&modeRead == 0 && at >= 0:
		f.fail(syscall.EBADF)
		return 0
	case at < 0 || n < 0:
		f.fail(syscall.EINVAL)
		return 0
	}
	at = min(at, len(f.b))
	b := f.b[at:min(at+n, len(f.b))]
	f.data(b)
	return len(b)
}

func (f *ramFile) seek(to, whence int) {
	if f.mode == 0 {
		f.fail(syscall.EBADF)
		return
	}
	switch whence {
	case 0:
	case 1:
		to += f.pos
	case 2:
		to += len(f.b)
	default:
		to = -1
	}
	if to < 0 {
		f.fail(syscall.EINVAL)
		return
	}
	f.pos = to
	f.number(to)
}

// truncate ends the file at the position.
func (f *ramFile) truncate() {
	if f.mode&modeWrite == 0 {
		f.fail(syscall.EACCES)
		return
	}
	if f.pos > len(f.b) {
		f.b = append(f.b, make([]byte, f.pos-len(f.b))...)
	}
	clear(f.b[f.pos:])
	f.b = f.b[:f.pos]
	f.ok()
}

func (f *ramFile) fail(e syscall.Errno) {
	f.p.InputHeader(append([]byte{replyError}, file.ErrnoName(e)...), nil)
}

func (f *ramFile) ok() { f.p.InputHeader([]byte{replyOK}, nil) }

func (f *ramFile) number(n int) {
	f.p.InputHeader(binary.BigEndian.AppendUint32([]byte{replyNumber}, uint32(n)), nil)
}

// data answers with tag, size, bytes.
func (f *ramFile) data(b []byte) {
	if b == nil {
		b = []byte{}
	}
	f.p.InputHeader(binary.BigEndian.AppendUint32([]byte{replyData}, uint32(len(b))), b)
}
