package bif

import (
	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/io/poll"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

// checkIOInfo describes the one poll set there is: descriptors are polled by a
// thread of its own, and what is asked for takes effect at once.
func checkIOInfo(c *native.Call) term.Term {
	h, am := &c.P.Heap, term.Intern
	row := func(k string, v term.Term) term.Term { return h.Tuple(am(k), v) }
	num := func(k string, v int64) term.Term { return row(k, h.Int(v)) }
	fds, bytes := poll.Count(), poll.Memory()
	return h.List(h.List(
		row("name", am("erts_poll")),
		row("primary", am("epoll")),
		row("kernel_poll", am("epoll")),
		num("memory_size", int64(bytes)),
		num("total_poll_set_size", int64(fds)),
		row("lazy_updates", term.False),
		num("pending_updates", 0),
		row("batch_updates", term.False),
		row("concurrent_updates", term.True),
		row("fallback", term.False),
		num("max_fds", maxFDs()),
		num("active_fds", 0),
		num("poll_threads", 1)))
}

// maxFDs is how many descriptors the process may have.
func maxFDs() int64 {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil || l.Cur > 1<<31 {
		return 1 << 31
	}
	return int64(l.Cur)
}

// usedEvents is the number of thread specific events in use: each thread of the
// schedulers and of their pools has one to sleep on, and so has the poller.
func usedEvents(c *native.Call) term.Term {
	n := sysconf.C.Schedulers + sysconf.C.DirtyCPU + sysconf.C.DirtyIO + 1
	return term.Small(int64(n))
}
