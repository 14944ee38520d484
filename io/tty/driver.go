package tty

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/term"
)

// Driver is tty_sl: {spawn,"tty_sl -c -e"} takes the terminal on standard input
// and output. The flags +c, -c, +e, -e, +s, -s turn line mode, echo and signals
// on and off.
type Driver struct {
	// Locale tells whether the terminal takes UTF-8, and else whether it shows
	// the upper half of Latin-1.
	Locale func() (utf8, latin1 bool)
	// AtExit has a function run when the node ends.
	AtExit func(func())
}

// Name returns "tty_sl".
func (*Driver) Name() string { return "tty_sl" }

// Control operations.
const (
	controlMagic = 0x018b0900
	ctrlWinsize  = controlMagic + 100
	ctrlUnicode  = controlMagic + 101
	ctrlSetUtf8  = controlMagic + 102
)

// inst is the one terminal. Its fields are guarded by the port's lock, but
// where stated otherwise.
type inst struct {
	p       *port.Port
	line    Line
	fd      int
	saved   unix.Termios
	raw     unix.Termios
	queue   []byte
	pending int
	writing bool
	ack     bool // {Port,ok} is owed once the queue is short
	partial []byte
	stopped bool
	wake    [2]int
	sigs    chan os.Signal
}

// ackBelow is the length of the queue under which {Port,ok} is sent.
const ackBelow = 1024

var amOk = term.AmOk

// Open sets the terminal up. It fails where there is none, or one that cannot
// move its cursor; OTP uses plain input and output then.
func (d *Driver) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	i := &inst{p: p, fd: 0}
	saved, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return nil, port.ErrEinval
	}
	if _, err := unix.IoctlGetTermios(1, unix.TCGETS); err != nil {
		return nil, port.ErrEinval
	}
	if i.line.caps, err = LoadCaps(os.Getenv("TERM")); err != nil {
		return nil, port.ErrEinval
	}
	i.saved, i.raw = *saved, *saved
	setModes(&i.raw, o.Command)
	i.line.utf8, i.line.hi = d.Locale()
	i.resize()
	if err := unix.IoctlSetTermios(0, unix.TCSETS, &i.raw); err != nil {
		return nil, port.ErrEinval
	}
	if err := unix.Pipe2(i.wake[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	if d.AtExit != nil {
		d.AtExit(func() { _ = unix.IoctlSetTermios(0, unix.TCSETS, &i.saved) })
	}
	port.SetCooked(func() func() {
		_ = unix.IoctlSetTermios(0, unix.TCSETS, &i.saved)
		return func() { _ = unix.IoctlSetTermios(0, unix.TCSETS, &i.raw) }
	})
	i.sigs = make(chan os.Signal, 4)
	signal.Notify(i.sigs, syscall.SIGWINCH, syscall.SIGCONT)
	go i.signals()
	go i.read()
	return i, nil
}

// setModes changes terminal modes by the words after the driver's name.
func setModes(t *unix.Termios, command string) {
	t.Iflag &^= unix.ISTRIP
	for _, w := range strings.Fields(command)[1:] {
		switch w {
		case "+c":
			t.Iflag |= unix.ICRNL
			t.Lflag |= unix.ICANON
			t.Oflag |= unix.OPOST
		case "-c":
			t.Iflag &^= unix.ICRNL
			t.Lflag &^= unix.ICANON
			t.Oflag &^= unix.OPOST
			t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
		case "+e":
			t.Lflag |= unix.ECHO
		case "-e":
			t.Lflag &^= unix.ECHO
		case "+s":
			t.Iflag |= unix.BRKINT | unix.IGNPAR | unix.ICRNL | unix.IXON | unix.IXANY
			t.Lflag |= unix.ISIG | unix.IEXTEN
		case "-s":
			t.Iflag &^= unix.BRKINT | unix.IGNPAR | unix.ICRNL | unix.IXON | unix.IXANY
			t.Lflag &^= unix.ISIG | unix.IEXTEN
		}
	}
}

// size returns the columns and rows.
func (i *inst) size() (cols, rows int) {
	cols, rows = 80, 24
	if ws, err := unix.IoctlGetWinsize(i.fd, unix.TIOCGWINSZ); err == nil {
		if ws.Col > 0 {
			cols = int(ws.Col)
		}
		if ws.Row > 0 {
			rows = int(ws.Row)
		}
	}
	return cols, rows
}

func (i *inst) resize() { i.line.caps.Cols, _ = i.size() }

func (i *inst) signals() {
	defer invariants.Catch()
	for s := range i.sigs {
		i.p.Do(func() {
			if s == syscall.SIGCONT {
				_ = unix.IoctlSetTermios(i.fd, unix.TCSETS, &i.raw)
			} else {
				i.resize()
			}
		})
	}
}

// Output carries out an operation.
func (i *inst) Output(data [][]byte) {
	out, sync := i.line.Op(bytes.Join(data, nil))
	i.queue = append(i.queue, out...)
	i.pending += len(out)
	if sync {
		i.ack = true
	}
	if len(i.queue) > 0 && !i.writing {
		i.writing = true
		go i.write()
	}
	i.acknowledge()
}

// acknowledge sends {Port,ok} for a synchronous operation.
func (i *inst) acknowledge() {
	if i.ack && i.pending <= ackBelow {
		i.ack = false
		i.p.SendOwner(func(*heap.Heap) term.Term { return amOk })
	}
}

func (i *inst) write() {
	defer invariants.Catch()
	for {
		var b []byte
		if !i.p.Do(func() {
			if b, i.queue = i.queue, nil; len(b) == 0 {
				i.writing = false
			}
		}) || len(b) == 0 {
			return
		}
		err := writeAll(1, b)
		i.p.Do(func() {
			i.pending -= len(b)
			if err != nil {
				i.queue, i.pending = nil, 0
				i.p.Fail(term.Intern("eio"))
			}
			i.acknowledge()
			i.p.Drained()
		})
	}
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		switch err {
		case nil:
			b = b[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
		default:
			return err
		}
	}
	return nil
}

// read delivers what is typed, as UTF-8.
func (i *inst) read() {
	defer invariants.Catch()
	buf := make([]byte, 1024)
	defer unix.Close(i.wake[0])
	for {
		fds := []unix.PollFd{{Fd: int32(i.fd), Events: unix.POLLIN}, {Fd: int32(i.wake[0])}}
		if _, err := unix.Poll(fds, -1); err == syscall.EINTR {
			continue
		}
		if fds[1].Revents != 0 {
			return
		}
		n, err := port.ReadInput(i.fd, buf)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		ok := i.p.Do(func() {
			switch {
			case i.stopped:
			case err != nil || n == 0:
				i.p.Eof()
			default:
				i.typed(buf[:n])
			}
		})
		if !ok || err != nil || n == 0 {
			return
		}
	}
}

// typed turns bytes of the terminal into UTF-8. Bytes that are none end the
// UTF-8 mode.
func (i *inst) typed(b []byte) {
	b = append(i.partial, b...)
	i.partial = nil
	if i.line.utf8 {
		n := 0
		for n < len(b) {
			r, w := utf8.DecodeRune(b[n:])
			if r == utf8.RuneError && w <= 1 {
				break
			}
			n += w
		}
		if n > 0 {
			i.p.Input(b[:n])
		}
		b = b[n:]
		if len(b) == 0 {
			return
		}
		if !utf8.FullRune(b) {
			i.partial = append([]byte(nil), b...)
			return
		}
		i.line.utf8 = false
	}
	var out []byte
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	i.p.Input(out)
}

// Control answers the size of the window and the state of UTF-8.
func (i *inst) Control(op uint32, data []byte) (port.Reply, bool) {
	switch op {
	case ctrlWinsize:
		cols, rows := i.size()
		b := binary.NativeEndian.AppendUint32(nil, uint32(cols))
		return port.Reply{Data: binary.NativeEndian.AppendUint32(b, uint32(rows))}, true
	case ctrlUnicode:
		return port.Reply{Data: []byte{flag(i.line.utf8)}}, true
	case ctrlSetUtf8:
		old := flag(i.line.utf8)
		if len(data) == 0 {
			return port.Reply{}, true
		}
		i.line.utf8 = data[0] != 0
		return port.Reply{Data: []byte{old}}, true
	}
	return port.Reply{}, false
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Pending returns the bytes that are not written.
func (i *inst) Pending() int { return i.pending }

// Stop gives the terminal back.
func (i *inst) Stop() {
	i.stopped = true
	unix.Close(i.wake[1])
	signal.Stop(i.sigs)
	close(i.sigs)
	_ = unix.IoctlSetTermios(i.fd, unix.TCSETS, &i.saved)
}
