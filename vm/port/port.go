// Package port holds ports: entities with links, monitors, an owner and a
// driver, that processes exchange messages with.
//
// A port lives in the Go heap: there are few of them, and each has a lock under
// which everything happens, calls of processes and events of its driver alike.
// So signals act in the order in which they are sent, and a call has its result
// at once. A driver never blocks under the lock: what may block runs on its own
// goroutines, which come back through Port.Do.
package port

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Options are the settings of open_port/2.
type Options struct {
	Packet            int // 0, 1, 2 or 4 bytes of length
	Line              int // 0, or the longest line
	UseStdio          bool
	StderrToStdout    bool
	Read, Write       bool
	Binary, EOF       bool
	ExitStatus, Hide  bool
	Parallelism       bool
	Dir               string   // working folder, or empty
	Env               []string // nil: the node's
	Args              []string
	Arg0              string
	HasArgs, HasArg0  bool
	Low, High         int // busy limits of the driver's queue, in bytes
	NoBusyPort        bool
	MsgLow, MsgHigh   int
	NoBusyMsgq        bool
	SpawnType         SpawnType
	InFd, OutFd       int
	Command           string // for spawn drivers
	Encoding          int
	HasPort, HasLimit bool
}

// SpawnType says which of spawn, spawn_driver, spawn_executable was given.
type SpawnType uint8

// The spawn types.
const (
	SpawnAny SpawnType = iota
	SpawnDriver
	SpawnExecutable
)

// Driver makes instances.
type Driver interface {
	// Name is what {spawn,"NAME …"} finds it by.
	Name() string
	// Open starts an instance for a port. It runs before the port is known to
	// anyone. An error is a syscall.Errno or ErrBadarg.
	Open(p *Port, o *Options) (Instance, error)
}

// Instance is a running driver. Its methods are called under the port's lock
// and must not block.
type Instance interface {
	// Output takes data; the slices are the instance's to keep.
	Output(data [][]byte)
	// Control answers port_control/3; ok is false for badarg.
	Control(op uint32, data []byte) (res Reply, ok bool)
	// Pending returns the bytes of output that are not written yet.
	Pending() int
	// Stop ends the instance; nothing is pending, or it is given up.
	Stop()
}

// Flusher is implemented by instances that want to know when the port ends,
// before it is decided whether output is still pending.
type Flusher interface{ Flush() }

// Reply is the result of a control: a list of bytes, a binary (when Binary is
// set, whatever the size), or a term built by Build.
type Reply struct {
	Data   []byte
	Binary bool
	Build  func(h *heap.Heap) term.Term
}

// Port is a port.
type Port struct {
	mu      sync.Mutex
	ID      term.Term
	Name    string // as port_info(P, name) shows it
	drv     Driver
	inst    Instance
	owner   term.Term
	opts    Options
	state   state
	regName term.Term // atom, or None
	links   map[term.Term]bool
	mons    map[proc.Key]watcher // by reference
	in, out atomic.Uint64        // bytes; written under mu, read by anyone
	osPid   int
	busy    bool
	waiting []term.Term // processes that are suspended until it is not
	dist    Dist        // nil: an ordinary port
	caller  term.Term   // of the request that is being served
	data    *saved      // port_set_data
	line    lineBuf
	closed  bool // {Port,closed} is owed to the owner
	gone    chan struct{}
}

// watcher is a process that monitors a port.
type watcher struct {
	pid    term.Term
	pidRef bool // its reference is an alias
}

type state uint8

const (
	stOpen state = iota
	stExiting
	stFlushing
	stClosed
)

// saved is a term kept outside any process.
type saved struct {
	h heap.Heap
	t term.Term
}

func save(t term.Term) *saved {
	s := &saved{}
	if t.IsImmed() {
		s.t = t
		return s
	}
	a := s.h.Alloc(heap.Size(t, true))
	s.t = heap.Copy(t, &a, &s.h.Off, true)
	return s
}

func (s *saved) free() {
	heap.ReleaseOffHeap(&s.h.Off)
	for f := s.h.Frags; f != nil; {
		n := f.Next
		f.Free()
		f = n
	}
	*s = saved{}
}

var table struct {
	sync.RWMutex
	ports map[term.Term]*Port
	next  uint64

	closedIn, closedOut uint64 // bytes of ports that are gone
}

// numberBits is the width of a port's number in OTP 25.
const numberBits = 28

// Lookup returns an open or flushing port, or nil.
func Lookup(id term.Term) *Port {
	table.RLock()
	defer table.RUnlock()
	return table.ports[id]
}

// Count returns the number of ports.
func Count() int {
	table.RLock()
	defer table.RUnlock()
	return len(table.ports)
}

// IDs returns all ports, oldest number first.
func IDs() []term.Term {
	table.RLock()
	ids := make([]term.Term, 0, len(table.ports))
	for id := range table.ports {
		ids = append(ids, id)
	}
	table.RUnlock()
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}

func all() []*Port {
	table.RLock()
	defer table.RUnlock()
	r := make([]*Port, 0, len(table.ports))
	for _, p := range table.ports {
		r = append(r, p)
	}
	return r
}

// enter gives p a number; false when there are as many ports as +Q allows.
func enter(p *Port) bool {
	table.Lock()
	defer table.Unlock()
	if table.ports == nil {
		table.ports = map[term.Term]*Port{}
	}
	if len(table.ports) >= sysconf.C.MaxPorts {
		return false
	}
	for {
		id := term.Port(table.next)
		table.next = (table.next + 1) & (1<<numberBits - 1)
		if table.ports[id] == nil {
			p.ID = id
			table.ports[id] = p
			return true
		}
	}
}

func leave(p *Port) {
	table.Lock()
	delete(table.ports, p.ID)
	table.closedIn += p.in.Load()
	table.closedOut += p.out.Load()
	table.Unlock()
}

// Traffic returns the bytes that ports have read and written since the node
// started, those of closed ports among them. It takes no port's lock.
func Traffic() (in, out uint64) {
	table.RLock()
	defer table.RUnlock()
	in, out = table.closedIn, table.closedOut
	for _, p := range table.ports {
		in += p.in.Load()
		out += p.out.Load()
	}
	return in, out
}

// Do runs f under the port's lock if the port is still open or flushing.
// Drivers' goroutines report through it.
func (p *Port) Do(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == stClosed {
		return false
	}
	f()
	return true
}

// Owner returns the controlling process.
func (p *Port) Owner() term.Term {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owner
}

// OwnerLocked is Owner for those who hold the lock.
func (p *Port) OwnerLocked() term.Term { return p.owner }

// Caller returns the process whose request the instance is serving. Call it
// from Output, Control or Call.
func (p *Port) Caller() term.Term { return p.caller }

// Instance returns the driver's instance, for those who hold the lock.
func (p *Port) Instance() Instance { return p.inst }

// PendingLocked returns the bytes of output that are not written, for those who
// hold the lock.
func (p *Port) PendingLocked() int {
	if p.inst == nil {
		return 0
	}
	return p.inst.Pending()
}

// SetBusy makes port_command wait (or answer false with nosuspend). It is for
// drivers that set NoBusyPort and rule themselves. Call it under the lock.
func (p *Port) SetBusy(on bool) {
	if p.busy == on {
		return
	}
	p.busy = on
	if !on {
		for _, pid := range p.waiting {
			proc.ResumeForPort(p.ID, pid)
		}
		p.waiting = nil
	}
	if p.dist != nil {
		p.dist.PortBusy(on)
	}
}

// WaitNotBusy suspends a process, which the caller runs, until the port is not
// busy. false: it is not busy now.
func (p *Port) WaitNotBusy(q *proc.Process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy || p.state != stOpen {
		return false
	}
	p.waiting = append(p.waiting, q.ID)
	q.SuspendForPort(p.ID)
	return true
}

// Options returns the settings; read-only.
func (p *Port) Options() *Options { return &p.opts }

// SetOSPid records what port_info(P, os_pid) answers.
func (p *Port) SetOSPid(pid int) { p.osPid = pid }
