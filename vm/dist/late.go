package dist

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/invariants"
	"github.com/beamrd/beamrd/vm/etf"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

const (
	// longMessage is the size from which a message is not decoded by whoever
	// reads it from the socket: that is one thread for all connections.
	longMessage = 32 << 10
	// enoughLate is how many bytes of messages wait before the connection is
	// not read any more, and half of it when it is again.
	enoughLate = 16 << 20
)

// late holds the messages of a connection that a goroutine of its own acts on:
// long ones, and all that come while it runs, for the order's sake.
type late struct {
	mu      sync.Mutex
	ms      []*message
	size    int
	running atomic.Bool
	paused  bool
	idle    chan struct{} // closed when it stops running
}

func (l *late) busy() bool { return l.running.Load() }

// more tells whether more is to be read now; DistResume follows when not.
func (l *late) more() bool {
	if !l.running.Load() {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paused = l.size > enoughLate
	return !l.paused
}

func (l *late) put(m *message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ms = append(l.ms, m)
	l.size += len(m.rest)
	if !l.running.Load() {
		l.running.Store(true)
		l.idle = make(chan struct{})
		go l.run()
	}
}

// wait returns when everything that was put has acted.
func (l *late) wait() {
	l.mu.Lock()
	ch := l.idle
	l.mu.Unlock()
	if ch != nil {
		<-ch
	}
}

func (l *late) run() {
	defer invariants.Catch()
	dec := new(etf.Decoder)
	for {
		l.mu.Lock()
		if len(l.ms) == 0 {
			l.ms = nil
			l.running.Store(false)
			close(l.idle)
			l.idle = nil
			l.mu.Unlock()
			return
		}
		m := l.ms[0]
		l.ms[0] = nil
		l.ms = l.ms[1:]
		l.mu.Unlock()
		n := len(m.rest)
		m.dec = dec
		Blocked.RLock()
		err := m.run()
		Blocked.RUnlock()
		if err != nil {
			m.c.bad(err)
		}
		m.c.settle(false)
		l.mu.Lock()
		l.size -= n
		resume := l.paused && l.size <= enoughLate/2
		if resume {
			l.paused = false
		}
		l.mu.Unlock()
		if resume {
			m.c.readOn()
		}
	}
}

// readOn has the port read again.
func (c *conn) readOn() {
	c.node.mu.Lock()
	p := c.port
	c.node.mu.Unlock()
	if p != nil {
		p.DistResume()
	}
}

// run acts on a message, and frees what it lies in.
func (m *message) run() error {
	g := epoch.Pin()
	defer g.Unpin()
	var h heap.Heap
	defer freeHeap(&h)
	if m.bin != nil {
		defer m.bin.Unref()
	}
	ctl, err := m.term(&h)
	if err != nil {
		return err
	}
	if !ctl.IsTuple() || ctl.Arity() < 1 || !ctl.El(1).IsSmall() {
		return errControl
	}
	m.ctl = ctl
	if !m.act() {
		return errControl
	}
	return m.err
}

// term decodes the next term of the message into h.
func (m *message) term(h *heap.Heap) (term.Term, error) {
	b := m.rest
	if m.version {
		if len(b) == 0 || b[0] != etf.Version {
			return term.None, errPacket
		}
		b = b[1:]
	}
	d := m.dec
	d.Restart(h, b, false)
	d.Atoms = m.atoms
	if m.bin != nil {
		d.Bin, d.Off = m.bin, int(m.bin.Size)-len(b)
	}
	d.Step(math.MaxInt)
	t, n, err := d.Result()
	if err != nil {
		return term.None, err
	}
	m.rest = b[n:]
	return t, nil
}
