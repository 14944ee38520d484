// Package esock holds the sockets of OTP's module socket: the native part of
// prim_socket, apart from reading arguments and building results.
//
// No call blocks. What cannot be done at once is answered by Wait, and the
// caller gets {'$socket', Socket, select, Ref} when it may try again. Of the
// processes that want to read (write, accept) one is current; the others wait
// in a queue, and each of them gets its turn when the one before it is done.
// What ends that turn otherwise is told by {'$socket', Socket, abort,
// {Ref, Reason}}.
//
// Locks: rd for reading and accepting, wr for writing and connecting, taken in
// this order; closing takes both. Below them lies sel, which guards what the
// poller was asked for and is the only one that the poller's goroutine takes.
package esock

import (
	"sync"
	"syscall"

	"github.com/beamrd/beamrd/internal/sysnet"
	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Bits of the states of the two directions.
const (
	StBound      = 0x0001
	StListening  = 0x0002
	StAccepting  = 0x0004
	StConnecting = 0x0010
	StConnected  = 0x0020
	StSelected   = 0x0100
	StClosing    = 0x0200
	StClosed     = 0x0400
)

// Defaults of the options of level otp.
const (
	DefaultBuffer = 8192
	DefaultCtrl   = 1024
)

// Socket is the Go value of a socket's reference.
type Socket struct {
	Domain, Type, Protocol int
	OrigFD                 int  // that it was opened from, or -1
	closeFD                bool // closing the socket closes the descriptor
	key                    proc.Key

	rd, wr sync.Mutex
	bin    *heap.Bin // of the references; nil when they are gone
	fd     int       // -1 when closed

	readState, writeState uint32
	readers, acceptors    lane // rd
	writers               lane // wr
	connector             *request
	owner                 term.Term // or None
	unwatchOwner          func()
	closer                term.Term // or None
	unwatchCloser         func()
	file                  int // of sendfile, or -1
	meta                  *heap.Stored

	cfg   config
	stats Counters
	sel   selection
}

// config holds the options of level otp.
type config struct {
	debug, iow, useRegistry bool
	buf, rctrl, wctrl       int
	reads, readsDone        uint32 // of {N, BufSize}; 0 means one read
}

// Counters count operations; see socket:info/1.
type Counters struct {
	ReadBytes, ReadFails, ReadPkgs, ReadPkgMax, ReadTries, ReadWaits                uint64
	WriteBytes, WriteFails, WritePkgs, WritePkgMax, WriteTries, WriteWaits          uint64
	AccSuccess, AccFails, AccTries, AccWaits                                        uint64
	readPkg, writePkg                                                               uint64 // bytes of the one that is going on
	HasSendfile                                                                     bool
	File, FileBytes, FileFails, FileMax, FilePkgs, FilePkgMax, FileTries, FileWaits uint64
	fileSum                                                                         uint64
}

// Options of a new socket.
type Options struct{ Debug, UseRegistry bool }

// New makes a socket of a descriptor, owned by p.
func New(p *proc.Process, fd, domain, typ, protocol int, o Options) *Socket {
	s := &Socket{Domain: domain, Type: typ, Protocol: protocol, OrigFD: -1, closeFD: true, key: proc.NewRefKey(p.Ctx), fd: fd,
		owner: p.ID, closer: term.None, file: -1,
		cfg: config{debug: o.Debug, useRegistry: o.UseRegistry, buf: DefaultBuffer, rctrl: DefaultCtrl, wctrl: DefaultCtrl}}
	s.bin = heap.NewMagic(s)
	s.unwatchOwner = watch(p, func() { s.ownerDied(p.ID) })
	return s
}

// Opened is to be called once when a new socket has its properties: it is
// counted, the registry is told, and the first reference to it is built.
func (s *Socket) Opened(h *heap.Heap, countedProtocol int) term.Term {
	countSocket(s.Domain, s.Type, countedProtocol, 1)
	t, _ := s.Ref(h)
	s.bin.Unref() // the count of New
	if s.cfg.useRegistry {
		s.tellRegistry(amAdd)
	}
	return t
}

// Ref builds a reference to the socket; all of them are equal. ok is false when
// the last one is just gone.
func (s *Socket) Ref(h *heap.Heap) (t term.Term, ok bool) {
	if s.bin == nil || !s.bin.TryRef() {
		return term.None, false
	}
	return h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), s.key.A, s.key.B, s.bin), true
}

// Drop implements heap.Dropper: nobody has a reference any more.
func (s *Socket) Drop() {
	s.lock()
	defer s.unlock()
	s.bin = nil
	s.forget()
	if s.fd >= 0 {
		s.closeFd(s.takeFd())
	}
	s.dropFile()
	s.unwatchAll()
	s.readState |= StClosed
	s.writeState |= StClosed
}

func (s *Socket) lock() {
	s.rd.Lock()
	s.wr.Lock()
}

func (s *Socket) unlock() {
	s.wr.Unlock()
	s.rd.Unlock()
}

// hold locks the socket for what was not asked for by someone with a reference,
// and keeps it from being dropped under the lock. ok is false when it is being
// dropped anyway.
func (s *Socket) hold() (release func(), ok bool) {
	s.lock()
	b := s.bin
	if b == nil || !b.TryRef() {
		s.unlock()
		return nil, false
	}
	return func() {
		s.unlock()
		b.Unref()
	}, true
}

func isOpen(st uint32) bool { return st&(StClosing|StClosed) == 0 }

// Kind of a Reply.
type Kind uint8

// The kinds, and the terms they stand for.
const (
	OK           Kind = iota // ok, or {ok, Result} where there is a result
	Wait                     // select
	Part                     // {select, N}
	Written                  // {ok, N}
	Rest                     // {iov, N}: N bytes written, there is more than the system takes at once
	More                     // {more, Bin}
	PartBin                  // {select, Bin}
	Fail                     // {error, Reason}
	Invalid                  // {error, {invalid, Reason}}
	BadArg                   // {invalid, Reason}
	Raise                    // error:{invalid, Reason}
	SelectFailed             // error:{Reason, -1}
)

// Reply is the outcome of an operation.
type Reply struct {
	Kind    Kind
	Reason  term.Term
	N       int64
	Nothing bool // OK, but nothing was received
}

var (
	done       = Reply{Kind: OK}
	waits      = Reply{Kind: Wait}
	closed     = Reply{Kind: Fail, Reason: amClosed}
	badState   = Reply{Kind: Invalid, Reason: amState}
	raiseState = Reply{Kind: Raise, Reason: amState}
)

// Failed is {error, Errno}.
func Failed(e syscall.Errno) Reply {
	return Reply{Kind: Fail, Reason: term.Intern(file.ErrnoName(e))}
}

// Do runs f with the descriptor of an open socket under the lock of reading.
func (s *Socket) Do(f func(fd int) Reply) Reply { return s.do(&s.rd, &s.readState, f) }

// DoWrite is Do under the lock of writing.
func (s *Socket) DoWrite(f func(fd int) Reply) Reply { return s.do(&s.wr, &s.writeState, f) }

func (s *Socket) do(mu *sync.Mutex, state *uint32, f func(fd int) Reply) Reply {
	mu.Lock()
	defer mu.Unlock()
	if !isOpen(*state) {
		return closed
	}
	return f(s.fd)
}

// Bind gives the socket its address.
func (s *Socket) Bind(a *sysnet.Addr) Reply {
	return s.Do(func(fd int) Reply {
		if e := sysnet.Bind(fd, a); e != 0 {
			return Failed(e)
		}
		s.readState |= StBound
		return done
	})
}

// Listen makes the socket take connections.
func (s *Socket) Listen(backlog int) Reply {
	return s.Do(func(fd int) Reply {
		if e := sysnet.Listen(fd, backlog); e != 0 {
			return Failed(e)
		}
		s.readState |= StListening
		return done
	})
}

// Shutdown closes one or both directions: SHUT_RD, SHUT_WR, SHUT_RDWR.
func (s *Socket) Shutdown(how int) Reply {
	s.lock()
	defer s.unlock()
	if !isOpen(s.readState) {
		return closed
	}
	if e := sysnet.Shutdown(s.fd, how); e != 0 {
		return Failed(e)
	}
	return done
}

// FromFD marks a socket as opened from a descriptor of someone else's; dup tells
// whether its own descriptor is a copy.
func (s *Socket) FromFD(fd int, dup bool) {
	s.OrigFD, s.closeFD = fd, dup
	var a sysnet.Addr
	if sysnet.Peer(s.fd, &a) == 0 {
		s.writeState |= StConnected
	}
}
