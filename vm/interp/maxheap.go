package interp

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// maxHeapReached reports a process whose heap would take total words in a
// collection, more than its max_heap_size; it tells whether the process is to
// be killed. Nothing may be built on the heap itself here.
func maxHeapReached(h *heap.Heap, total uint64) (kill bool) {
	kill = h.MaxSizeOpts&heap.MaxSizeKill != 0
	if h.MaxSizeOpts&heap.MaxSizeLog == 0 {
		return kill
	}
	p := offheap.At[proc.Process](offheap.Addr(h)) // it begins with its heap
	var tmp heap.Heap
	defer tmp.Release()
	format, args := "     Process:            ~p ", []term.Term{p.ID}
	if n := term.ThisNode().Name; n != term.AmNonodeNohost.Atom() {
		format += "on node ~p"
		args = append(args, term.Atom(n))
	}
	info := p.Info(&tmp, []term.Term{term.AmGarbageCollectionInfo}, 0)
	p.LogError(format+`~n     Context:            maximum heap size reached~n`+
		`     Max Heap Size:      ~p~n     Total Heap Size:    ~p~n     Kill:               ~p~n`+
		`     Error Logger:       ~p~n     Message Queue Len:  ~p~n     GC Info:            ~p~n`,
		append(args, tmp.Uint(h.MaxSize), tmp.Uint(total), term.Bool(kill), term.True,
			term.Small(int64(p.NumMessages())), info.Head().El(2))...)
	return kill
}
