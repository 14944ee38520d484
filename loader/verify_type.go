package loader

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// vtype is what the verifier knows of a register: a set of the type* bits in
// the low 14, or a try or catch tag, and the least size of a tuple from bit 16
// on, or the tag's label. 0 is a register that holds nothing yet.
type vtype uint64

const (
	vUninit vtype = 0
	vMask   vtype = typeAny
	vAny    vtype = typeAny &^ typeMatch // any value
	vArg    vtype = typeAny              // of a function that may be called with match contexts
	vCatch  vtype = 1 << 14
	vTry    vtype = 1 << 15
	vShift        = 16
	// vFresh marks a tuple made since the last possible collection, the only
	// kind set_tuple_element may write to.
	vFresh vtype = 1 << 63
	// vFragile marks what may be part of a message that is looked at: it lies in
	// the message queue until remove_message, so it must not be kept beyond the
	// end of the look.
	vFragile vtype = 1 << 62

	vList   vtype = typeCons | typeNil
	vNumber vtype = typeInt | typeFloat
)

func (t vtype) isTag() bool { return t&(vCatch|vTry) != 0 }

// within tells whether everything t may be is in the set.
func (t vtype) within(set vtype) bool { return t&vMask != 0 && t&vMask&^set == 0 }

// size is the least number of elements of a tuple.
func (t vtype) size() int { return int(t &^ (vFresh | vFragile) >> vShift) }

func vtuple(n int) vtype { return typeTuple | vtype(n)<<vShift }

// join is what both may be.
func join(a, b vtype) vtype {
	switch {
	case a == b:
		return a
	case a == vUninit || b == vUninit || a.isTag() || b.isTag():
		return vUninit
	}
	r := (a | b) & vMask
	// A size is known only if every tuple it may be has it.
	switch at, bt := a&typeTuple != 0, b&typeTuple != 0; {
	case at && bt:
		r |= vtype(min(a.size(), b.size())) << vShift
	case at:
		r |= vtype(a.size()) << vShift
	case bt:
		r |= vtype(b.size()) << vShift
	}
	return r | a&b&vFresh | (a|b)&vFragile
}

// meet narrows t to a set; what cannot be becomes the set itself, so that dead
// code is judged as if it were alive.
func meet(t, set vtype) vtype {
	r := t & set & vMask
	if r == 0 {
		if set &^= typeMatch; set&vMask == 0 {
			set = typeMatch
		}
		return set | t&vFragile
	}
	if r&typeTuple != 0 {
		r |= vtype(max(t.size(), set.size()))<<vShift | t&vFresh
	}
	return r | t&vFragile
}

// minus removes a set from t unless nothing would be left.
func minus(t, set vtype) vtype {
	r := t & vMask &^ set
	if r == 0 {
		return t
	}
	if r&typeTuple != 0 {
		r |= t &^ vMask
	}
	return r | t&vFragile
}

// typeOf is the type of a constant.
func typeOf(t term.Term) vtype {
	switch {
	case t.IsSmall():
		return typeInt
	case t.IsAtom():
		return typeAtom
	case t.IsNil():
		return typeNil
	case t.IsList():
		return typeCons
	case !t.IsBoxed():
		return vAny
	}
	switch t.Kind() {
	case term.KTuple:
		return vtuple(t.Arity())
	case term.KPosBig, term.KNegBig:
		return typeInt
	case term.KFloat:
		return typeFloat
	case term.KFun, term.KExport:
		return typeFun
	case term.KHeapBits, term.KSubBits:
		return typeBits
	case term.KMap:
		return typeMap
	case term.KRecord:
		return typeRecord
	case term.KRef, term.KExtRef:
		return typeRef
	case term.KExtPid:
		return typePid
	case term.KExtPort:
		return typePort
	}
	return vAny
}

// testTypes are the types that type tests let pass.
var testTypes = map[op.Generic]vtype{
	op.GIsInteger:      typeInt,
	op.GIsFloat:        typeFloat,
	op.GIsNumber:       vNumber,
	op.GIsAtom:         typeAtom,
	op.GIsPid:          typePid,
	op.GIsReference:    typeRef,
	op.GIsPort:         typePort,
	op.GIsNil:          typeNil,
	op.GIsList:         vList,
	op.GIsNonemptyList: typeCons,
	op.GIsTuple:        typeTuple,
	op.GIsFunction:     typeFun,
	op.GIsBitstr:       typeBits,
	op.GIsMap:          typeMap,
}
