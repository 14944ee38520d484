package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/beamrd/beamrd/observe"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// observeEnv names the address in the environment, for `beamrd erl`.
const observeEnv = "BEAMRD_HTTP"

// openObserver opens the socket for HTTP where the option or the environment
// says; nil when neither does.
func openObserver(addr string) (*observe.Server, error) {
	if addr == "" {
		addr = os.Getenv(observeEnv)
	}
	if addr == "" {
		return nil, nil
	}
	// Nodes that this one starts would fight for the address.
	os.Unsetenv(observeEnv)
	s, err := observe.Open(observe.Config{Addr: addr, Version: Version, Ready: ready}, os.Stderr)
	if err != nil {
		return nil, err
	}
	AtExit(func() { s.Close() })
	return s, nil
}

var (
	errBooting = errors.New("booting")
	amErpc     = term.Intern("erpc")
)

// ready returns nil when init says that it has started. Until there is a code
// server the question cannot be put to it.
func ready(ctx context.Context) error {
	if proc.Whereis(term.Intern("code_server")) == term.None {
		return errBooting
	}
	var h heap.Heap
	defer h.Release()
	status, err := callErlang(ctx, &h, term.Intern("init"), term.Intern("get_status"), nil)
	if err != nil {
		return err
	}
	if !status.IsTuple() || status.Arity() != 2 || !status.El(1).IsAtom() {
		return fmt.Errorf("init answers %s", status)
	}
	if s := status.El(1).Atom().String(); s != "started" {
		return fmt.Errorf("%s", map[string]string{"starting": "booting", "stopping": "stopping"}[s])
	}
	return nil
}

// callErlang applies a function in a process of its own and copies the result
// to h. It waits in this goroutine, which must not be a scheduler's, and gives
// up, without ending the process, when ctx ends.
func callErlang(ctx context.Context, h *heap.Heap, m, f term.Term, args []term.Term) (term.Term, error) {
	type outcome struct {
		saved heap.Heap
		t     term.Term
	}
	done := make(chan *outcome, 1)
	var ah heap.Heap
	defer ah.Release()
	o := proc.DefaultSpawnOpts()
	o.Priority = proc.PrioHigh
	// erpc:execute_call/4 exits with {Ref, return, Result}; an atom does for the
	// reference.
	_, err := proc.SpawnWatched(amErpc, term.Intern("execute_call"), []term.Term{amErpc, m, f, ah.List(args...)}, &o, func(reason term.Term) {
		o := &outcome{}
		o.t = heap.CopyTo(&o.saved, reason)
		done <- o
	})
	if err != term.None {
		return term.None, fmt.Errorf("calling %s:%s: %s", m, f, err)
	}
	select {
	case <-ctx.Done():
		return term.None, fmt.Errorf("calling %s:%s: %w", m, f, ctx.Err())
	case o := <-done:
		defer o.saved.Release()
		if o.t.IsTuple() && o.t.Arity() == 3 && o.t.El(2) == amReturn {
			return heap.CopyTo(h, o.t.El(3)), nil
		}
		return term.None, fmt.Errorf("calling %s:%s: %s", m, f, o.t)
	}
}

var amReturn = term.Atom(atom.Intern("return"))
