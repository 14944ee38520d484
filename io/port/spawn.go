package ioport

import (
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/vm/port"
)

func nativeU32(b []byte, v uint32) []byte { return binary.NativeEndian.AppendUint32(b, v) }

// Spawn is the driver of programs. Each runs in a session of its own.
type Spawn struct{}

// Name returns "spawn".
func (Spawn) Name() string { return "spawn" }

type spawnInst struct {
	p        *port.Port
	r        *reader
	w        writer
	in       int // our end of the program's standard output, -1: none
	wantExit bool
	exited   bool
	status   int
	eof      bool
	reported bool
	closed   bool
}

// Open starts the program. That it cannot be run shows at once only where
// ERTS looks first (spawn_executable); else the port ends with the error
// number as exit status.
func (Spawn) Open(p *port.Port, o *port.Options) (port.Instance, error) {
	path, argv, err := command(o)
	if err != nil {
		return nil, err
	}
	i := &spawnInst{p: p, in: -1, wantExit: o.ExitStatus, w: writer{p: p, fd: -1}}
	files, ours, err := i.pipes(o)
	if err != nil {
		return nil, err
	}
	pid, err := fork(path, argv, o, files)
	for _, f := range ours {
		unix.Close(f)
	}
	i.w.onDone = i.maybeCloseOut
	if err != nil {
		// The reader sees the end of input at once.
		i.exited, i.status = true, int(errnoOf(err))
	} else {
		p.SetOSPid(pid)
		go i.wait(pid)
	}
	if i.in >= 0 {
		if i.r, err = startReader(p, i.in, func(error) { i.eof = true; i.ended() }); err != nil {
			return nil, err
		}
	}
	return i, nil
}

func errnoOf(err error) syscall.Errno {
	if e, ok := err.(syscall.Errno); ok {
		return e
	}
	return syscall.EINVAL
}

// command returns what to execute.
func command(o *port.Options) (path string, argv []string, err error) {
	if o.SpawnType != port.SpawnExecutable {
		if o.Command == "" {
			return "", nil, port.ErrBadarg
		}
		return "/bin/sh", []string{"/bin/sh", "-c", "exec " + o.Command}, nil
	}
	path = o.Command
	st, err := os.Stat(path)
	if err != nil {
		return "", nil, unwrapErrno(err)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return "", nil, err
	}
	if st.Mode()&0o111 == 0 {
		return "", nil, syscall.EACCES
	}
	argv = []string{path}
	if o.HasArg0 {
		argv[0] = o.Arg0
	}
	return path, append(argv, o.Args...), nil
}

func unwrapErrno(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}

// pipes makes the pipes; files are the program's descriptors from 0 up, ours
// those to close here once it runs.
func (i *spawnInst) pipes(o *port.Options) (files []int, ours []int, err error) {
	stdin, stdout := 0, 1
	var p [2]int
	if o.Write {
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			return nil, nil, err
		}
		stdin, i.w.fd = p[0], p[1]
		ours = append(ours, p[0])
		unix.SetNonblock(p[1], true)
	}
	if o.Read {
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			for _, f := range append(ours, i.w.fd) {
				unix.Close(f)
			}
			return nil, nil, err
		}
		stdout, i.in = p[1], p[0]
		ours = append(ours, p[1])
		unix.SetNonblock(p[0], true)
	}
	stderr := 2
	if o.StderrToStdout {
		stderr = stdout
	}
	if o.UseStdio {
		return []int{stdin, stdout, stderr}, ours, nil
	}
	files = []int{0, 1, 2}
	if stdin != 0 {
		files = append(files, stdin)
	}
	if stdout != 1 {
		for len(files) < 4 {
			files = append(files, -1)
		}
		files = append(files, stdout)
	}
	return files, ours, nil
}

// forkMu keeps descriptors that are not close-on-exec yet out of children.
var forkMu sync.Mutex

func fork(path string, argv []string, o *port.Options, files []int) (int, error) {
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = uintptr(f)
		if f < 0 {
			fds[i] = ^uintptr(0)
		}
	}
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	// The working folder is looked at first, so that its error is told apart
	// from the program's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	forkMu.Lock()
	defer forkMu.Unlock()
	return syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: o.Dir, Env: env, Files: fds, Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

func (i *spawnInst) wait(pid int) {
	defer invariants.Catch()
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &ws, 0, nil)
		if err != syscall.EINTR {
			break
		}
	}
	status := ws.ExitStatus()
	if ws.Signaled() {
		status = 128 + int(ws.Signal())
	}
	i.p.Do(func() {
		i.exited, i.status = true, status
		i.ended()
	})
}

// ended reports the end of the program: with exit_status, once its output has
// ended and it has exited; else when its output has ended.
func (i *spawnInst) ended() {
	if i.closed || i.reported || i.in >= 0 && !i.eof {
		return
	}
	if i.wantExit {
		if !i.exited {
			return
		}
		i.p.ExitStatus(i.status)
	} else if i.in < 0 {
		return
	}
	i.reported = true
	i.p.Eof()
}

func (i *spawnInst) Output(data [][]byte) { i.w.write(data) }

func (i *spawnInst) Control(uint32, []byte) (port.Reply, bool) { return port.Reply{}, false }

func (i *spawnInst) Pending() int { return i.w.pending }

// Stop closes our ends of the pipes; the program finds its input at an end.
func (i *spawnInst) Stop() {
	i.closed = true
	if i.r != nil {
		i.r.stopAndClose()
	}
	if !i.w.running {
		i.maybeCloseOut()
	}
}

// maybeCloseOut closes the program's input once nobody writes to it.
func (i *spawnInst) maybeCloseOut() {
	if i.closed && i.w.fd >= 0 {
		unix.Close(i.w.fd)
		i.w.fd = -1
	}
}
