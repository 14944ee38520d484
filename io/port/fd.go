package ioport

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// Fd is the driver of {fd,In,Out}. The descriptors stay open when the port
// closes: they belong to the node.
type Fd struct{}

// Name returns "fd".
func (Fd) Name() string { return "fd" }

type fdInst struct {
	r *reader
	w writer
}

// Open starts reading and writing as the options say.
func (Fd) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	i := &fdInst{w: writer{p: p, fd: -1}}
	if o.Write {
		i.w.fd = o.OutFd
	}
	if !o.Read {
		return i, nil
	}
	r, err := startReader(p, o.InFd, func(err error) {
		if err != nil {
			p.Fail(term.Intern(file.ErrnoName(file.Errno(err))))
			return
		}
		p.Eof()
	})
	i.r = r
	return i, err
}

func (i *fdInst) Output(data [][]byte) { i.w.write(data) }

// File is the driver of ports that are opened by a bare name: a file to read or
// to write.
type File struct{}

// Name returns ERTS's name of the driver.
func (File) Name() string { return "vanilla" }

// Open opens the file as the options say; it is created when it is written.
func (File) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	flags := unix.O_CLOEXEC | unix.O_NONBLOCK
	switch {
	case !o.Write:
		flags |= unix.O_RDONLY
	case !o.Read:
		flags |= unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC
	default:
		flags |= unix.O_RDWR | unix.O_CREAT
	}
	fd, err := unix.Open(o.Command, flags, 0o666)
	if err != nil {
		return nil, port.ErrEinval
	}
	o.InFd, o.OutFd = fd, fd
	i, err := Fd{}.Open(p, o)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &fileInst{i.(*fdInst), fd}, nil
}

type fileInst struct {
	*fdInst
	fd int
}

func (i *fileInst) Stop() {
	switch {
	case i.r != nil:
		i.r.stopAndClose()
	case i.w.running:
		i.w.onDone = func() { unix.Close(i.fd) }
	default:
		unix.Close(i.fd)
	}
}

// fdWinsize asks for the size of the terminal: width and height, 32 bits each
// in the machine's order.
const fdWinsize = 0x018b0900 + 100

func (i *fdInst) Control(op uint32, data []byte) (port.Reply, bool) {
	if op != fdWinsize || i.w.fd < 0 {
		return port.Reply{}, false
	}
	ws, err := unix.IoctlGetWinsize(i.w.fd, unix.TIOCGWINSZ)
	if err != nil {
		return port.Reply{}, false
	}
	b := nativeU32(nil, uint32(ws.Col))
	return port.Reply{Data: nativeU32(b, uint32(ws.Row))}, true
}

func (i *fdInst) Pending() int { return i.w.pending }

func (i *fdInst) Stop() {
	if i.r != nil {
		i.r.stop()
	}
}
