package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// readyEnv names the descriptor on which a daemon tells the program that
// started it how that went: "ready", or "error" and a message.
const readyEnv = "BEAMRD_READY_FD"

// readyPipe is the daemon's end. A nil one takes everything.
type readyPipe struct {
	mu sync.Mutex
	f  *os.File
}

func openReadyPipe() *readyPipe {
	fd, err := strconv.Atoi(os.Getenv(readyEnv))
	os.Unsetenv(readyEnv)
	if err != nil || fd < 3 {
		return nil
	}
	syscall.CloseOnExec(fd)
	return &readyPipe{f: os.NewFile(uintptr(fd), "ready")}
}

func (p *readyPipe) ready()           { p.say("ready\n") }
func (p *readyPipe) fail(text string) { p.say("error " + text) }

// say says it, if nothing was said before.
func (p *readyPipe) say(s string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.f != nil {
		_, _ = io.WriteString(p.f, s)
		p.f.Close()
		p.f = nil
	}
}

// Detach runs a node in the background, by the command Program, and returns its
// process id when it is ready. Where the node fails, its error is returned.
func Detach(o Options) (pid int, err error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	if o.LogFile == "" {
		state, err := o.stateDir()
		if err != nil {
			return 0, err
		}
		o.LogFile = filepath.Join(o.logDir(state), o.service()+".log")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	c := exec.Command(self, append(append(o.Program, "--log-file="+o.LogFile, "--"), o.Args...)...)
	c.Args[0] = os.Args[0]
	c.ExtraFiles = []*os.File{w} // descriptor 3
	c.Env = append(os.Environ(), readyEnv+"=3")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// Until the daemon has opened its log file, its words are ours to pass on.
	early, err := os.CreateTemp("", "beamrd-start-*")
	if err != nil {
		return 0, err
	}
	defer early.Close()
	_ = os.Remove(early.Name())
	c.Stdout, c.Stderr = early, early
	if err := c.Start(); err != nil {
		return 0, err
	}
	w.Close()
	return wait(c, r, early, o.LogFile)
}

// wait reads what the daemon says; if it ends without a word, the end of its
// log has to tell why.
func wait(c *exec.Cmd, r io.Reader, early *os.File, log string) (int, error) {
	said, _ := io.ReadAll(io.LimitReader(r, 1<<16))
	if string(said) == "ready\n" {
		pid := c.Process.Pid
		return pid, c.Process.Release()
	}
	text, isError := strings.CutPrefix(string(said), "error ")
	werr := c.Wait()
	if isError && text != endedEarly {
		return 0, errors.New(text)
	}
	how := "it ended"
	if werr != nil {
		how = werr.Error()
	}
	if _, err := early.Seek(0, io.SeekStart); err == nil {
		if b, err := io.ReadAll(io.LimitReader(early, 1<<16)); err == nil && len(b) > 0 {
			return 0, fmt.Errorf("the node did not start: %s\n%s", how, strings.TrimRight(string(b), "\n"))
		}
	}
	return 0, fmt.Errorf("the node did not start: %s; the end of %s:\n%s", how, log, lastLines(log, 10))
}

// endedEarly is what a daemon says that was ended by the node itself.
const endedEarly = "the node ended before it was ready"

// lastLines returns the last lines of a file.
func lastLines(file string, n int) string {
	f, err := os.Open(file)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > 1<<16 {
		_, _ = f.Seek(-1<<16, io.SeekEnd)
	}
	var ls []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if ls = append(ls, sc.Text()); len(ls) > n {
			ls = ls[1:]
		}
	}
	return strings.Join(ls, "\n")
}
