package proc

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// What a spawn request asks for.
const (
	SpawnLink = 1 << iota // the same bits as in a spawn reply on the wire
	SpawnMonitor
	SpawnNoSuccess // no message when it worked
	SpawnNoError   // no message when it did not
	spawnAbandoned
)

// PendingSpawn enters a request to another node, which RemoteSpawnReply ends.
// tag begins the message about it.
func (p *Process) PendingSpawn(o *MonitorOpts, tag term.Term, flags int) (ref term.Term) {
	n := p.newMonitorNode(nodeSpawn, term.AmUndefined, term.None, o)
	n.name = n.keep(tag)
	n.x = uint64(flags)
	return p.putRef(&p.Heap, n)
}

// DropSpawn takes back a request that was not sent.
func (p *Process) DropSpawn(ref term.Term) {
	if n := find(p.mons, RefKey(ref)); n != nil && n.kind == nodeSpawn {
		remove(&p.mons, n.key)
		freeMon(n)
	}
}

// AbandonSpawn gives a pending request up; false when there is none.
func (p *Process) AbandonSpawn(ref term.Term) bool {
	n := find(p.mons, RefKey(ref))
	if n == nil || n.kind != nodeSpawn || n.x&spawnAbandoned != 0 {
		return false
	}
	if n.x&SpawnLink != 0 {
		n.x |= spawnAbandoned
		return true
	}
	remove(&p.mons, n.key)
	freeMon(n)
	return true
}

// RemoteSpawnReply tells a process what became of its request: result is the
// new pid or an atom, flags are SpawnLink and SpawnMonitor as they were done.
func RemoteSpawnReply(to term.Term, key Key, result term.Term, flags int) bool {
	s := newSignal(sigSpawnReply, 3+sizeOf(result, false))
	s.key = key
	r := s.copyIn(result, false)
	s.Term = s.tuple(r, term.Small(int64(flags)))
	return sendPinned(to, s)
}

func (p *Process) actSpawnReply(s *Signal) {
	result, flags := s.Term.El(1), int(s.Term.El(2).Small())
	n := find(p.mons, s.key)
	if n == nil || n.kind != nodeSpawn {
		if result.IsPid() && Dist != nil && flags&SpawnMonitor != 0 {
			Dist.Demonitor(p, result, s.key, term.None)
		}
		s.free()
		return
	}
	asked, tag := n.x, n.name
	failed := !result.IsPid()
	if asked&spawnAbandoned != 0 && !failed {
		if Dist != nil {
			Dist.Exit(p.ID, result, amAbandoned)
		}
		remove(&p.mons, s.key)
		freeMon(n)
		s.free()
		return
	}
	var m *Signal
	if failed && asked&(SpawnNoError|spawnAbandoned) == 0 || !failed && asked&SpawnNoSuccess == 0 {
		m = newSignal(sigMessage, sizeOf(tag, true)+sizeOf(result, false)+1+term.PidRefWords+5)
		m.From = term.None
		what := term.AmOk
		if failed {
			what = term.AmError
		}
		t, r := m.copyIn(tag, true), m.copyIn(result, false)
		m.Term = m.tuple(t, m.refOf(n, p.ID), what, r)
	}
	if !failed && flags&SpawnLink != 0 {
		if k := EndKey(result); find(p.links, k) == nil {
			insert(&p.links, newNodeOf(nodeLink, k, result))
		}
	}
	if !failed && asked&SpawnMonitor != 0 {
		n.kind, n.name, n.x = nodeMonitor, term.None, 0
		n.other = n.keep(result)
	} else {
		remove(&p.mons, s.key)
		freeMon(n)
	}
	s.free()
	if m != nil {
		p.message(m)
	}
}

var amAbandoned = term.Intern("abandoned")

// refOf builds the reference of a monitor of a process in the signal's room.
func (s *Signal) refOf(n *Node, pid term.Term) (ref term.Term) {
	if n.flags&nfPidRef != 0 {
		ref = PutPidRef(s.HP, n.key, pid)
		s.HP += (1 + term.PidRefWords) * 8
		return ref
	}
	ref = PutRef(s.HP, n.key)
	s.HP += (1 + term.RefWords) * 8
	return ref
}

// RemoteSpawn is a process that another node asks for.
type RemoteSpawn struct {
	Parent, GroupLeader term.Term
	MFA                 term.Term // {M,F,Arity}
	Init                code.MFA  // what runs: it is applied to [MFA]
	Key                 Key       // of the monitor
	Args                term.Term // the first message, in the fragments of Heap
	Heap                *heap.Heap
	// Entered is called with the pid before the process runs or anyone can
	// send to it.
	Entered func(pid term.Term)
}

// Spawn starts the process; o.Link and o.Monitor are with the parent. err is
// None or the reason.
func (r *RemoteSpawn) Spawn(o *SpawnOpts) (pid, err term.Term) {
	t := epoch.Pin()
	defer t.Unpin()
	id, ok := takeID()
	if !ok {
		return term.None, term.AmSystemLimit
	}
	p := newDescriptor()
	p.ID = term.Pid(id)
	p.rq = -1
	p.name = term.None
	p.FaultArgs, p.Fvalue, p.Ftrace = term.None, term.None, term.Nil
	p.Parent, p.GroupLeader = term.AmUndefined, p.ID
	p.Initial = code.MFA{Module: r.MFA.El(1), Function: r.MFA.El(2), Arity: uint64(r.MFA.El(3).Small())}
	p.started = MonotonicNow()
	p.setOpts(o)
	p.initHeap(sizeOf(r.MFA, false) + 2 + sizeOf(r.Parent, false) + sizeOf(r.GroupLeader, false))
	p.Parent = p.copyArg(r.Parent)
	p.GroupLeader = p.copyArg(r.GroupLeader)
	p.initArgs(r.Init.Module, r.Init.Function, []term.Term{r.MFA})
	if o.Link {
		insert(&p.links, newNodeOf(nodeLink, EndKey(r.Parent), r.Parent))
	}
	if o.Monitor {
		insert(&p.tmons, newNodeOf(nodeMonitor, r.Key, r.Parent))
	}
	s := newSignal(sigMessage, 0)
	s.From, s.Term = term.None, r.Args
	s.more, s.off = r.Heap.Frags, r.Heap.Off
	r.Heap.Frags, r.Heap.FragWords, r.Heap.Off = nil, 0, heap.OffHeap{}
	p.push(s)
	r.Entered(p.ID)
	pid = p.ID
	p.state |= stActive | stQueued | uint32(p.Priority)<<prioShift
	p.enter()
	OnRunnable(p, nil)
	return pid, term.None
}
