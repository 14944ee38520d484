package proc

import (
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/term"
)

// SuspendForPort suspends p, which the caller runs, until ResumeForPort is
// called for the same port. It takes effect when p gives up its slice.
func (p *Process) SuspendForPort(port term.Term) {
	k := EndKey(port)
	if find(p.suspBy, k) == nil {
		insert(&p.suspBy, newNode(nodeSuspend, k, port))
		p.setBits(stSuspended)
	}
}

// IsSuspended tells whether p, which the caller runs, is to wait when it gives up
// its slice.
func (p *Process) IsSuspended() bool { return p.load()&stSuspended != 0 }

// ResumeForPort ends what SuspendForPort began. Any thread may call it.
func ResumeForPort(port, pid term.Term) {
	t := epoch.Pin()
	defer t.Unpin()
	s := newSignal(sigSuspend, 0)
	s.From, s.key.A = port, suspendResume
	sendTo(nil, pid, s)
}
