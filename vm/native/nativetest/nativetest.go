// Package nativetest calls builtins without an engine: a fabricated process,
// whose terms grow in heap fragments that live as long as the test.
package nativetest

import (
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// Caller is a fabricated process that calls builtins.
type Caller struct {
	native.Call
	T testing.TB
	// Reds is the budget of each slice, 4000 to begin with.
	Reds int64
	// Slices counts the slices that Apply used.
	Slices int
}

// New returns a caller whose pid has the number id.
func New(t testing.TB, id uint64) *Caller {
	p := offheap.New[proc.Process](offheap.Proc)
	ctx := offheap.New[proc.Ctx](offheap.Proc)
	p.ID = term.Pid(id)
	p.Ctx, ctx.P = ctx, p
	c := &Caller{T: t, Reds: 4000}
	c.Ctx, c.P = ctx, p
	t.Cleanup(func() {
		heap.ReleaseOffHeap(&p.Off)
		for f := p.Frags; f != nil; {
			next := f.Next
			f.Free()
			f = next
		}
		offheap.Delete(ctx, offheap.Proc)
		offheap.Delete(p, offheap.Proc)
	})
	return c
}

// Heap returns the process heap, for building arguments.
func (c *Caller) Heap() *heap.Heap { return &c.P.Heap }

// Find returns the row of a builtin among rows.
func Find(t testing.TB, rows []native.Row, module, name string, arity int) *native.Row {
	for i := range rows {
		if r := &rows[i]; r.Module == module && r.Name == name && r.Arity == arity {
			return r
		}
	}
	t.Fatalf("no row %s:%s/%d", module, name, arity)
	return nil
}

// Apply calls a row until it has a result, giving it a new slice when it
// yields. None means an exception (in the process) or a state that Apply does
// not follow (see Call.State).
func (c *Caller) Apply(row *native.Row, args ...term.Term) term.Term {
	copy(c.Ctx.X[:], args)
	for {
		c.Row, c.N = row, row.Arity
		c.Args = offheap.Addr(c.Ctx)
		c.State, c.Cause, c.ErrMod = native.Raised, term.None, term.None
		c.P.FCalls = c.Reds
		c.Slices++
		r := row.Fn(&c.Call)
		if r != term.None || c.State != native.Yielded {
			return r
		}
	}
}
