package proc

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// The process table. A pid's number holds the index of a slot in its low bits
// and the slot's generation above. Slots are reused first in, first out, so a
// number comes back as late as possible; a slot is free until its descriptor
// pointer is set. Whoever looks a process up must be online in internal/epoch:
// a descriptor is reused only when all threads have passed a safe point after
// it left the table.

// DefaultMax is the default of +P.
const DefaultMax = 262144

// pidBits is the width of a pid's number; 28 in OTP 25.
var pidBits uint = 28

var table struct {
	slots   uintptr // of max words: *Process or 0
	ring    uintptr // of max uint32: pid numbers + 1 of freed slots
	max     uint64  // power of two
	mask    uint64
	count   atomic.Int64
	_       [48]byte
	head    atomic.Uint64 // ids taken
	_       [56]byte
	tail    atomic.Uint64 // ids given back
	limit   int64
	started atomic.Int64
}

// SetMax makes the table for a number of processes (rounded up to a power of
// two, as +P does). Call once, before the first process.
func SetMax(n int) {
	m := uint64(1) << bits.Len64(uint64(max(n, 1024)-1))
	table.max, table.mask, table.limit = m, m-1, int64(m)
	table.slots = offheap.AllocZero(uintptr(m)*8, offheap.Table)
	table.ring = offheap.AllocZero(uintptr(m)*4, offheap.Table)
}

// Max returns the largest number of processes.
func Max() int { return int(table.limit) }

// Count returns the number of processes, exiting ones that are still in the
// table included.
func Count() int { return int(table.count.Load()) }

func slotAt(i uint64) *uintptr { return offheap.At[uintptr](table.slots + uintptr(i)*8) }

func ringAt(i uint64) *uint32 {
	return offheap.At[uint32](table.ring + uintptr(i&table.mask)*4)
}

// takeID reserves a pid number; ok is false when the table is full.
func takeID() (n uint64, ok bool) {
	if table.count.Add(1) > table.limit {
		table.count.Add(-1)
		return 0, false
	}
	i := table.head.Add(1) - 1
	if i < table.max {
		return i, true
	}
	for { // the entry may still be on its way: its count was given back first
		if v := atomic.SwapUint32(ringAt(i), 0); v != 0 {
			return uint64(v - 1), true
		}
		runtime.Gosched()
	}
}

// giveID frees the slot of a pid number for a later generation.
func giveID(n uint64) {
	next := (n + table.max) & (1<<pidBits - 1)
	i := table.tail.Add(1) - 1 + table.max
	for !atomic.CompareAndSwapUint32(ringAt(i), 0, uint32(next+1)) {
		runtime.Gosched()
	}
	table.count.Add(-1)
}

// enter publishes p in the table.
func (p *Process) enter() {
	atomic.StoreUintptr(slotAt(p.ID.ID()&table.mask), offheap.Addr(p))
}

// leave takes p out of the table and gives its slot back.
func (p *Process) leave() {
	atomic.StoreUintptr(slotAt(p.ID.ID()&table.mask), 0)
	giveID(p.ID.ID())
}

// Lookup returns the process of a pid of this node, or nil. The caller must be
// online (a scheduler, or pinned), and the result is valid until it reports.
func Lookup(pid term.Term) *Process {
	if !pid.IsInternalPid() {
		return nil
	}
	a := atomic.LoadUintptr(slotAt(pid.ID() & table.mask))
	if a == 0 {
		return nil
	}
	if p := offheap.At[Process](a); p.ID == pid {
		return p
	}
	return nil
}

// Each calls f with every process until it returns false. Processes that come
// or go meanwhile may or may not be seen. The caller must be online.
func Each(f func(p *Process) bool) {
	n := min(table.head.Load(), table.max)
	for i := range n {
		if a := atomic.LoadUintptr(slotAt(i)); a != 0 && !f(offheap.At[Process](a)) {
			return
		}
	}
}

// Pids returns the pids of all processes that are not exiting, which is what
// processes/0 shows. Call it online.
func Pids() []term.Term {
	r := make([]term.Term, 0, Count()+16)
	Each(func(p *Process) bool {
		if p.load()&(stExiting|stFree) == 0 {
			r = append(r, p.ID)
		}
		return true
	})
	return r
}

const procSize = unsafe.Sizeof(Process{})

// Descriptors that left the table wait in a limbo list until nobody can hold
// them, then they are reused, last in first out.
var limbo struct {
	sync.Mutex
	head, tail uintptr
	free       uintptr
}

func newDescriptor() *Process {
	limbo.Lock()
	for limbo.head != 0 {
		p := offheap.At[Process](limbo.head)
		if !epoch.Passed(p.stamp) {
			break
		}
		limbo.head = p.rqNext
		if limbo.head == 0 {
			limbo.tail = 0
		}
		p.rqNext = limbo.free
		limbo.free = offheap.Addr(p)
	}
	a := limbo.free
	if a != 0 {
		limbo.free = offheap.At[Process](a).rqNext
	}
	limbo.Unlock()
	if a == 0 {
		return offheap.New[Process](offheap.Proc)
	}
	p := offheap.At[Process](a)
	*p = Process{}
	return p
}

// Retire gives back the descriptor of a process that is gone. The holder of
// the token calls it, last of all.
func (p *Process) Retire() {
	p.stamp = epoch.Stamp()
	p.rqNext = 0
	limbo.Lock()
	if limbo.tail == 0 {
		limbo.head = offheap.Addr(p)
	} else {
		offheap.At[Process](limbo.tail).rqNext = offheap.Addr(p)
	}
	limbo.tail = offheap.Addr(p)
	limbo.Unlock()
}

// allocBlock and freeBlock handle the blocks of signals.
func allocBlock(n uintptr) uintptr { return offheap.Alloc(n, offheap.Fragment) }

func freeBlock(a, n uintptr) { offheap.Free(a, n, offheap.Fragment) }
