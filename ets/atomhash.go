package ets

import (
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/term"
)

// The order in which a hash table is walked is that of ERTS as far as it does
// not depend on atom numbers: atoms hash by their name, other terms by the
// internal hash.

func keyHash(key term.Term) uint32 {
	if key.IsAtom() {
		return atomHash(key.Atom())
	}
	return uint32(term.InternalHash(key))
}

const atomPageBits = 10

type atomPage [1 << atomPageBits]atomic.Uint64 // hash | 1<<32 once known

var (
	atomPages  atomic.Pointer[[]*atomPage]
	atomPageMu sync.Mutex
)

func atomHash(a atom.Atom) uint32 {
	if ps := atomPages.Load(); ps != nil && int(a>>atomPageBits) < len(*ps) {
		if v := (*ps)[a>>atomPageBits][a&(1<<atomPageBits-1)].Load(); v != 0 {
			return uint32(v)
		}
	}
	return atomHashSlow(a)
}

func atomHashSlow(a atom.Atom) uint32 {
	atomPageMu.Lock()
	defer atomPageMu.Unlock()
	var ps []*atomPage
	if p := atomPages.Load(); p != nil {
		ps = *p
	}
	if int(a>>atomPageBits) >= len(ps) {
		grown := append([]*atomPage(nil), ps...)
		for int(a>>atomPageBits) >= len(grown) {
			grown = append(grown, new(atomPage))
		}
		atomPages.Store(&grown)
		ps = grown
	}
	h := nameHash(a.String())
	ps[a>>atomPageBits][a&(1<<atomPageBits-1)].Store(uint64(h) | 1<<32)
	return h
}

// nameHash is the PJW hash over the characters of a name, those below 256 as
// one byte each and the others by their UTF-8 bytes.
func nameHash(s string) uint32 {
	var h uint32
	for i := 0; i < len(s); i++ {
		v := s[i]
		if i+1 < len(s) && v&0xFE == 0xC2 && s[i+1]&0xC0 == 0x80 {
			v = v<<6 | s[i+1]&0x3F
			i++
		}
		h = h<<4 + uint32(v)
		if g := h & 0xf0000000; g != 0 {
			h ^= g >> 24
			h ^= g
		}
	}
	return h
}
