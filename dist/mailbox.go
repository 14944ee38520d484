package dist

import (
	"context"
	"errors"
	"sync"

	"github.com/beamrd/beamrd/dist/etf"
	"github.com/beamrd/beamrd/internal/wire"
)

// Event is what a mailbox receives: a Message, Exit or Down.
type Event interface{ event() }

// Message is a message that was sent to the mailbox.
type Message struct{ Term etf.Term }

// Exit is the exit signal of a linked process, or of one that called exit/2.
type Exit struct {
	From   etf.Pid
	Reason etf.Term
	Linked bool
}

// Down is the end of a monitored process. Target is what was monitored: a Pid,
// or the Tuple {Name, Node}.
type Down struct {
	Ref    etf.Ref
	Target etf.Term
	Reason etf.Term
}

// spawned is the answer to a spawn request.
type spawned struct {
	ref    etf.Ref
	result etf.Term // a pid, or an atom that says what was wrong
}

func (Message) event() {}
func (Exit) event()    {}
func (Down) event()    {}
func (spawned) event() {}

// ErrMailboxClosed says that the mailbox was closed.
var ErrMailboxClosed = errors.New("dist: the mailbox is closed")

// Mailbox is a process of ours. The node at the other end can send to it, link
// and monitor it.
type Mailbox struct {
	c   *Conn
	pid etf.Pid

	mu     sync.Mutex
	events []queued
	size   int // bytes of the events
	wake   chan struct{}
	err    error

	links    map[etf.Pid]struct{}
	unlinks  map[etf.Pid]uint64 // not yet acknowledged, by their number
	unlinkID uint64
	monitors map[etf.Ref]etf.Term // what we monitor
	watchers map[etf.Ref]watcher  // who monitors us
	names    []etf.Atom
}

type queued struct {
	Event
	size int
}

type watcher struct {
	pid  etf.Pid
	name etf.Atom // by which it monitors us; "" for the pid
}

var (
	noconnection = etf.Atom("noconnection")
	noproc       = etf.Atom("noproc")
	normal       = etf.Atom("normal")
)

// Mailbox makes a mailbox. Close must be called when it is no longer of use.
func (c *Conn) Mailbox() *Mailbox {
	m := &Mailbox{
		c: c, wake: make(chan struct{}, 1), links: map[etf.Pid]struct{}{}, unlinks: map[etf.Pid]uint64{},
		monitors: map[etf.Ref]etf.Term{}, watchers: map[etf.Ref]watcher{},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	m.pid = c.pid(c.next)
	if c.err != nil {
		m.err = c.err
		return m
	}
	c.boxes[m.pid] = m
	return m
}

// Pid returns the mailbox's pid.
func (m *Mailbox) Pid() etf.Pid { return m.pid }

// Register gives the mailbox a name by which the peer can send to it. The error
// tells that the name is taken.
func (m *Mailbox) Register(name string) error {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	if m.c.err != nil {
		return m.c.err
	}
	a := etf.Atom(name)
	if m.c.names[a] != nil || a == "net_kernel" {
		return errors.New("dist: the name " + name + " is taken")
	}
	m.c.names[a] = m
	m.names = append(m.names, a)
	return nil
}

// Receive waits for the next event. After the last one of a connection that has
// ended, the error is the reason.
func (m *Mailbox) Receive(ctx context.Context) (Event, error) {
	for {
		m.mu.Lock()
		if len(m.events) > 0 {
			e := m.events[0]
			m.events[0] = queued{}
			m.events = m.events[1:]
			m.size -= e.size
			m.mu.Unlock()
			return e.Event, nil
		}
		err := m.err
		m.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-m.wake:
		}
	}
}

// put appends an event; the error is that of a mailbox that holds too much.
func (m *Mailbox) put(e Event, size int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil
	}
	// A term takes more memory than its bytes, and a message some in any case.
	size += 256
	if m.size += size; m.size > m.c.o.MaxMessage {
		return protocol("more than %d bytes wait in a mailbox", m.c.o.MaxMessage)
	}
	m.events = append(m.events, queued{e, size})
	m.notify()
	return nil
}

func (m *Mailbox) notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// disconnected tells of the end of the connection.
func (m *Mailbox) disconnected() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return
	}
	for pid := range m.links {
		m.events = append(m.events, queued{Exit{pid, noconnection, true}, 0})
	}
	for ref, target := range m.monitors {
		m.events = append(m.events, queued{Down{ref, target, noconnection}, 0})
	}
	m.links, m.monitors, m.watchers = nil, nil, nil
	m.err = m.c.Err()
	m.notify()
}

// Close ends the mailbox as a process that exits with the reason normal.
func (m *Mailbox) Close() error { return m.Exit(normal) }

// Exit ends the mailbox as a process that exits with a reason.
func (m *Mailbox) Exit(reason etf.Term) error {
	c := m.c
	c.mu.Lock()
	if c.boxes[m.pid] == m {
		delete(c.boxes, m.pid)
	}
	for _, n := range m.names {
		if c.names[n] == m {
			delete(c.names, n)
		}
	}
	c.mu.Unlock()
	m.mu.Lock()
	if m.err != nil {
		m.mu.Unlock()
		return nil
	}
	m.err = ErrMailboxClosed
	links, watchers, monitors := m.links, m.watchers, m.monitors
	m.links, m.watchers, m.monitors, m.events = nil, nil, nil, nil
	m.notify()
	m.mu.Unlock()
	for pid := range links {
		c.signal(etf.Tuple{wire.OpPayloadExit, m.pid, pid}, reason)
	}
	for ref, w := range watchers {
		c.signal(etf.Tuple{wire.OpPayloadMonPExit, w.of(m.pid), w.pid, ref}, reason)
	}
	for ref, target := range monitors {
		c.signal(etf.Tuple{wire.OpDemonitorP, m.pid, bare(target), ref})
	}
	return nil
}

func (w watcher) of(pid etf.Pid) etf.Term {
	if w.name != "" {
		return w.name
	}
	return pid
}

// bare returns what a monitored process is called on the wire.
func bare(target etf.Term) etf.Term {
	if t, ok := target.(etf.Tuple); ok {
		return t[0]
	}
	return target
}

// Send sends a message: to is a Pid, a Ref that is an alias, or an Atom that is
// a registered name, of the peer.
func (m *Mailbox) Send(ctx context.Context, to, msg etf.Term) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch to := to.(type) {
	case etf.Pid:
		return m.c.signal(etf.Tuple{wire.OpSendSender, m.pid, to}, msg)
	case etf.Ref:
		return m.c.signal(etf.Tuple{wire.OpAliasSend, m.pid, to}, msg)
	case etf.Atom:
		return m.c.signal(etf.Tuple{wire.OpRegSend, m.pid, etf.Atom(""), to}, msg)
	}
	return errors.New("dist: the receiver is no pid, alias or name")
}

// Monitor monitors a process of the peer: a Pid, or an Atom that is its name.
// A Down event tells of its end, at once if there is no such process.
func (m *Mailbox) Monitor(target etf.Term) (etf.Ref, error) {
	ref, t := m.c.MakeRef(), target
	switch v := target.(type) {
	case etf.Pid:
	case etf.Atom:
		t = etf.Tuple{v, etf.Atom(m.c.peer.name)}
	default:
		return ref, errors.New("dist: what is monitored is no pid or name")
	}
	m.mu.Lock()
	if m.err != nil {
		defer m.mu.Unlock()
		return ref, m.err
	}
	m.monitors[ref] = t
	m.mu.Unlock()
	return ref, m.c.signal(etf.Tuple{wire.OpMonitorP, m.pid, target, ref})
}

// Demonitor ends a monitor. A Down event that is already in the mailbox stays.
func (m *Mailbox) Demonitor(ref etf.Ref) error {
	m.mu.Lock()
	t, ok := m.monitors[ref]
	delete(m.monitors, ref)
	m.mu.Unlock()
	if !ok {
		return nil
	}
	return m.c.signal(etf.Tuple{wire.OpDemonitorP, m.pid, bare(t), ref})
}

// Link links the mailbox with a process of the peer. An Exit event tells of its
// end, at once if there is no such process; the mailbox lives on.
func (m *Mailbox) Link(pid etf.Pid) error {
	m.mu.Lock()
	if m.err != nil {
		defer m.mu.Unlock()
		return m.err
	}
	_, is := m.links[pid]
	m.links[pid] = struct{}{}
	delete(m.unlinks, pid)
	m.mu.Unlock()
	if is {
		return nil
	}
	return m.c.signal(etf.Tuple{wire.OpLink, m.pid, pid})
}

// Unlink ends a link. An Exit event that is already in the mailbox stays.
func (m *Mailbox) Unlink(pid etf.Pid) error {
	m.mu.Lock()
	_, is := m.links[pid]
	if !is {
		m.mu.Unlock()
		return nil
	}
	delete(m.links, pid)
	m.unlinkID++
	id := m.unlinkID
	m.unlinks[pid] = id
	m.mu.Unlock()
	if m.c.peer.flags&wire.FlagUnlinkID == 0 {
		return m.c.signal(etf.Tuple{wire.OpUnlink, m.pid, pid})
	}
	return m.c.signal(etf.Tuple{wire.OpUnlinkID, id, m.pid, pid})
}

// Kill sends an exit signal to a process of the peer, as exit/2.
func (m *Mailbox) Kill(pid etf.Pid, reason etf.Term) error {
	return m.c.signal(etf.Tuple{wire.OpPayloadExit2, m.pid, pid}, reason)
}
