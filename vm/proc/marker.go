package proc

import (
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// Receive markers let a receive that matches a reference skip the messages
// that were there before the reference was made. A process has up to
// markerSlots of them; when none is free, the oldest gives way. A marker holds the message that
// was last in the queue when it was set: the receive starts behind it. To know
// the end of the queue, setting one fetches what is in transit.

const markerSlots = 8

type marker struct {
	key  Key
	id   uint64  // unique, as a small in the marker term: a count and the slot
	prev *Signal // last message at the time; nil: start at the first one
	used bool
}

type markerBlock struct {
	next uint64
	m    [markerSlots]marker
}

func (p *Process) markerBlock() *markerBlock {
	if p.markers == 0 {
		p.markers = offheap.Addr(offheap.New[markerBlock](offheap.Proc))
	}
	return offheap.At[markerBlock](p.markers)
}

// MarkerReserve sets a marker at the end of the queue and returns its name.
func (p *Process) MarkerReserve() term.Term {
	if p.exitSig == nil {
		p.fetch()
	}
	b := p.markerBlock()
	b.next++
	slot := b.freeSlot()
	id := b.next*markerSlots + uint64(slot)
	b.m[slot] = marker{id: id, prev: p.msgTail, used: true}
	return term.Small(int64(id))
}

// freeSlot returns a slot that is not in use, or else the oldest.
func (b *markerBlock) freeSlot() int {
	oldest := 0
	for i := range b.m {
		if !b.m[i].used {
			return i
		}
		if b.m[i].id < b.m[oldest].id {
			oldest = i
		}
	}
	return oldest
}

// MarkerBind ties a marker to a reference.
func (p *Process) MarkerBind(mk, ref term.Term) {
	if m := p.markerByID(mk); m != nil && ref.IsRef() {
		m.key = RefKey(ref)
	}
}

func (p *Process) markerByID(mk term.Term) *marker {
	if p.markers == 0 || !mk.IsSmall() {
		return nil
	}
	b := offheap.At[markerBlock](p.markers)
	id := uint64(mk.Small())
	if m := &b.m[id%markerSlots]; m.used && m.id == id {
		return m
	}
	return nil
}

func (p *Process) markerByRef(ref term.Term) *marker {
	if p.markers == 0 || !ref.IsRef() {
		return nil
	}
	b := offheap.At[markerBlock](p.markers)
	k := RefKey(ref)
	for i := range b.m {
		if m := &b.m[i]; m.used && m.key == k && k != (Key{}) {
			return m
		}
	}
	return nil
}

// MarkerClear frees the marker of a reference, or one that was never bound.
func (p *Process) MarkerClear(ref term.Term) {
	m := p.markerByRef(ref)
	if m == nil {
		m = p.markerByID(ref)
	}
	if m != nil {
		*m = marker{}
	}
}

// MarkerUse moves the save pointer to the marker of a reference, if there is
// one.
func (p *Process) MarkerUse(ref term.Term) {
	if m := p.markerByRef(ref); m != nil {
		p.savePrev = m.prev
	}
}

// markersRemoved moves the markers behind a message that leaves the queue to
// the message before it.
func (p *Process) markersRemoved(s, prev *Signal) {
	b := offheap.At[markerBlock](p.markers)
	for i := range b.m {
		if b.m[i].prev == s {
			b.m[i].prev = prev
		}
	}
}

func (p *Process) freeMarkers() {
	if p.markers != 0 {
		offheap.Delete(offheap.At[markerBlock](p.markers), offheap.Proc)
		p.markers = 0
	}
}
