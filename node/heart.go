package node

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Messages between a node and its heart: a length of 16 bits, one of these, and
// a command for some.
const (
	heartAck      = 1
	heartBeat     = 2
	heartShutDown = 3
	heartSetCmd   = 4
	heartClearCmd = 5
	heartGetCmd   = 6
	heartCmd      = 7
	heartCrashing = 8

	heartMaxBody = 2048
)

// heartEnd says why a heart stops watching.
type heartEnd int

const (
	heartTimeout heartEnd = iota
	heartClosed
	heartFailed
	heartStopped
	heartDumping
)

// heart watches the node that started it.
type heart struct {
	pid     int // of the node, or 0
	timeout time.Duration
	command string
	in      chan []byte // nil: the node has closed its end
	out     io.Writer
}

// Heart acts as the port program heart: it restarts the node, by HEART_COMMAND,
// when no message has come for a while or the node is gone.
//
//	heart [-ht Seconds] [-pid Pid]
func Heart(args []string) int {
	h := &heart{timeout: 60 * time.Second, in: make(chan []byte), out: os.Stdout}
	for i := 0; i+1 < len(args); i++ {
		n, err := strconv.Atoi(args[i+1])
		switch {
		case err != nil:
		case args[i] == "-ht" && n > 10 && n <= 65535:
			h.timeout = time.Duration(n) * time.Second
			fmt.Fprintf(os.Stderr, "heart_beat_timeout = %d\n", n)
			i++
		case args[i] == "-pid":
			h.pid = n
			fmt.Fprintf(os.Stderr, "heart_beat_kill_pid = %d\n", n)
			i++
		}
	}
	h.send(heartAck, "")
	go h.read(os.Stdin)
	h.terminate(h.watch())
	return 0
}

func heartError(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "heart: %s: %s\r\n", time.Now().Format(time.ANSIC), fmt.Sprintf(format, args...))
}

func (h *heart) send(op byte, s string) {
	if len(s) >= heartMaxBody {
		return
	}
	b := binary.BigEndian.AppendUint16(nil, uint16(len(s)+1))
	_, _ = h.out.Write(append(append(b, op), s...))
}

// read passes the messages on; of those that are too long, the beginning.
func (h *heart) read(r io.Reader) {
	defer close(h.in)
	var head [2]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(head[:]))
		if _, err := io.ReadFull(r, b); err != nil {
			return
		}
		if len(b) > 0 && len(b) <= heartMaxBody {
			h.in <- b
		}
	}
}

// watch returns when there is something to do.
func (h *heart) watch() heartEnd {
	last := time.Now()
	for {
		select {
		case b, ok := <-h.in:
			if !ok {
				heartError("Erlang has closed.")
				return heartClosed
			}
			switch b[0] {
			case heartBeat:
				last = time.Now()
			case heartShutDown:
				return heartStopped
			case heartSetCmd:
				h.command = string(b[1:])
				h.send(heartAck, "")
			case heartClearCmd:
				h.command = ""
				h.send(heartAck, "")
			case heartGetCmd:
				h.send(heartCmd, h.restart())
			case heartCrashing:
				heartError("Erlang is crashing .. (waiting for crash dump file)")
				return heartDumping
			}
		case <-time.After(5 * time.Second):
		}
		if gap := time.Since(last); gap > h.timeout {
			heartError("heart-beat time-out, no activity for %d seconds", int(gap.Seconds()))
			return heartTimeout
		}
	}
}

// restart is the command that starts the node again, or empty.
func (h *heart) restart() string {
	if h.command != "" {
		return h.command
	}
	return os.Getenv("HEART_COMMAND")
}

func (h *heart) terminate(why heartEnd) {
	if why == heartStopped {
		return
	}
	if v, ok := os.LookupEnv("ERL_CRASH_DUMP_SECONDS"); ok && why == heartDumping {
		n, _ := strconv.Atoi(v)
		heartError("Waiting for dump - timeout set to %d seconds.", n)
		var limit <-chan time.Time
		if n >= 0 {
			limit = time.After(time.Duration(n) * time.Second)
		}
		select {
		case <-h.in:
		case <-limit:
		}
	}
	command := h.restart()
	if command == "" {
		heartError("Would reboot. Terminating.")
		return
	}
	h.kill(why)
	c := exec.Command("/bin/sh", "-c", command)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	var failed *exec.ExitError
	status := 0
	switch err := c.Run(); {
	case errors.As(err, &failed):
		status = int(failed.Sys().(syscall.WaitStatus))
	case err != nil:
		status = -1
	}
	heartError("Executed \"%s\" -> %d. Terminating.", command, status)
}

// kill ends what is left of the node.
func (h *heart) kill(why heartEnd) {
	if h.pid == 0 || os.Getenv("HEART_NO_KILL") == "TRUE" {
		return
	}
	if why == heartClosed {
		heartError("Wait 5 seconds for Erlang to terminate nicely")
		for range 5 {
			if syscall.Kill(h.pid, 0) == syscall.ESRCH {
				return
			}
			time.Sleep(time.Second)
		}
		heartError("Erlang still alive, kill it")
	}
	sig := syscall.SIGKILL
	if os.Getenv("HEART_KILL_SIGNAL") == "SIGABRT" {
		heartError("kill signal SIGABRT requested")
		sig = syscall.SIGABRT
	}
	err := syscall.Kill(h.pid, sig)
	for i := 0; i < 5 && err == nil; i++ {
		time.Sleep(time.Second)
		err = syscall.Kill(h.pid, sig)
	}
	if err != syscall.ESRCH {
		heartError("Unable to kill old process, kill failed (tried multiple times).")
	}
}
