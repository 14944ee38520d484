package etf

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/maps"
	"github.com/beamrd/beamrd/vm/term"
)

// A map's pairs are read into a scratch block, since only the complete keys
// tell where they belong. The block is off heap, not on the decoder's heap:
// it is garbage as soon as the map is built.

// maxKept is the largest slice that a decoder keeps for the next map.
const maxKept = 1024

func mapScratch(f frame) uintptr { return f.addr - uintptr(f.size-f.left)*8 }

func (d *Decoder) mapPairs(slot uintptr, n int) {
	if n > 1<<31-1 || !d.promise(2*n) {
		d.fail("map too large")
		return
	}
	if n == 0 {
		m, _ := maps.FromPairs(d.h, nil)
		d.put(slot, m)
		return
	}
	a := offheap.Alloc(uintptr(2*n)*8, offheap.Misc)
	d.push(frame{addr: a, left: 2 * n, kind: frMap, dst: slot, size: 2 * n})
}

// finishMap builds the map of a full frame.
func (d *Decoder) finishMap(f frame) {
	a := mapScratch(f)
	d.kvs = d.kvs[:0]
	for _, w := range offheap.Words(a, uintptr(f.size)) {
		d.kvs = append(d.kvs, term.Term(w))
	}
	m, dup := maps.FromPairs(d.h, d.kvs)
	if cap(d.kvs) > maxKept {
		d.kvs = nil
	}
	offheap.Free(a, uintptr(f.size)*8, offheap.Misc)
	if dup {
		d.fail("map with a key twice")
		return
	}
	d.put(f.dst, m)
}
