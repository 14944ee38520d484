// Package term defines tagged words: how every Erlang value looks in memory.
//
// The two low bits of a word tell what it is:
//
//	00  header of a boxed object, or (on a stack) a continuation pointer
//	01  cons cell: address of two words, head then tail
//	10  boxed: address of a header word followed by the object's body
//	11  immediate: the next bits say which (pid 00, port 01, small 11, and
//	    10 for atom 00, catch 01, nil 11)
//
// Addresses are raw and lie outside the Go heap (internal/offheap), so Go's
// collector never sees a term. The word 0 is no term: None, ERTS's
// THE_NON_VALUE.
//
// The layouts follow the 64-bit ERTS of OTP 27 and later for binaries (one
// heap binary, one slice kind) and that of OTP 25 elsewhere.
//
// Boxed objects, word by word:
//
//	tuple      hdr, elements…
//	bignum     hdr (sign in the sub-tag), limbs of 64 bits, least first
//	float      hdr, IEEE 754 double
//	heap bits  hdr, size in bits, bytes padded to a word
//	sub bits   hdr, base address (raw), start bit (raw), end bit (raw), orig
//	           orig is a boxed heap-bits or bin-ref; base is the address of
//	           orig's first byte, except that of a writable (appendable) one,
//	           whose bytes may move: then base is 0 and Bin.Data is asked
//	match ctx  as sub bits, start being the position, then save slots (raw)
//	bin ref    hdr, next in the off-heap list (raw), *heap.Bin (raw)
//	           never a value of its own: only sub bits point at it
//	fun        hdr, *code.FunEntry (raw), creator pid, free variables…
//	export fun hdr, *code.Export (raw)
//	reference  hdr, numbers 0 and 1 (raw, low half first), number 2 (raw),
//	           then nothing | the pid of an alias | *heap.Bin and next
//	           in the off-heap list of a magic reference
//	ext pid    hdr, node index (raw), number | serial<<32 (raw)
//	ext port   hdr, node index (raw), number (raw)
//	ext ref    hdr, node index (raw), count (raw), numbers two to a word (raw)
//	flat map   hdr, keys tuple, values in the keys' order
//	HAMT head  hdr, size as small, children…
//	HAMT node  hdr, children…; a leaf is a cons [Key|Value]
//
// A header is arity<<6 | sub-tag<<2, arity being the words that follow. Maps
// use bits 6-7 for their kind, 8-31 for the words that follow, and 32-47 for
// the bitmap of a HAMT node.
package term

import (
	"math"
	"unsafe"

	"github.com/beamrd/beamrd/vm/atom"
)

// Term is a tagged word.
type Term uint64

// Tags of immediates and pointers.
const (
	PrimMask   = 3
	PrimHeader = 0
	PrimList   = 1
	PrimBoxed  = 2
	PrimImmed  = 3

	TagPid   = 0x3
	TagPort  = 0x7
	TagSmall = 0xF
	TagAtom  = 0x0B
	TagCatch = 0x1B
	TagNil   = 0x3B

	Immed1Mask = 0xF
	Immed2Mask = 0x3F
)

// Kind is the sub-tag of a header.
type Kind uint8

// The sub-tags.
const (
	KTuple    Kind = 0x0
	KRecord   Kind = 0x1 // native record of OTP 29
	KPosBig   Kind = 0x2
	KNegBig   Kind = 0x3
	KRef      Kind = 0x4
	KFun      Kind = 0x5
	KFloat    Kind = 0x6
	KExport   Kind = 0x7
	KHeapBits Kind = 0x8
	KSubBits  Kind = 0x9
	KBinRef   Kind = 0xA
	KMatch    Kind = 0xB
	KExtPid   Kind = 0xC
	KExtPort  Kind = 0xD
	KExtRef   Kind = 0xE
	KMap      Kind = 0xF
)

// Map kinds, in bits 6-7 of a map header.
const (
	MapFlat = 0 // up to 32 keys
	MapNode = 1
	MapHead = 2
)

// The constants.
const (
	None  Term = 0
	Nil   Term = TagNil
	False Term = AmFalse
	True  Term = AmTrue
	// CatchBlank is a catch tag that names no handler.
	MaxSmall = 1<<59 - 1
	MinSmall = -1 << 59
	// MaxTupleArity is the largest size of a tuple.
	MaxTupleArity = 1<<24 - 1
	// FlatMapLimit is the largest size of a flat map.
	FlatMapLimit = 32
)

func (t Term) load(off uintptr) uint64 { return *(*uint64)(unsafe.Add(nil, uintptr(t)+off)) }

// W reads word i of the object a boxed term points at (0 is the header).
func (t Term) W(i int) uint64 {
	return *(*uint64)(unsafe.Add(nil, uintptr(t)-PrimBoxed+uintptr(i)*8))
}

// SetW writes word i of the object a boxed term points at.
func (t Term) SetW(i int, w uint64) {
	*(*uint64)(unsafe.Add(nil, uintptr(t)-PrimBoxed+uintptr(i)*8)) = w
}

// Addr returns the address a cons or boxed term points at.
func (t Term) Addr() uintptr { return uintptr(t) &^ 3 }

// Box returns the boxed term of the object at an address.
func Box(a uintptr) Term { return Term(a | PrimBoxed) }

// MakeCons writes a cons cell at an address (two words) and returns it.
func MakeCons(a uintptr, head, tail Term) Term {
	*(*Term)(unsafe.Add(nil, a)) = head
	*(*Term)(unsafe.Add(nil, a+8)) = tail
	return Term(a | PrimList)
}

// Header makes a header word of words following and a kind (not for maps).
func Header(words int, k Kind) uint64 { return uint64(words)<<6 | uint64(k)<<2 }

// MapHeader makes the header of a map object.
func MapHeader(words int, kind int, bitmap uint16) uint64 {
	return uint64(bitmap)<<32 | uint64(words)<<8 | uint64(kind)<<6 | uint64(KMap)<<2
}

// HeaderKind returns a header's kind.
func HeaderKind(h uint64) Kind { return Kind(h >> 2 & 15) }

// HeaderWords returns the number of words that follow a header.
func HeaderWords(h uint64) int {
	if h>>2&15 == uint64(KMap) {
		return int(h >> 8 & 0xFFFFFF)
	}
	return int(h >> 6)
}

// Immediates.

func (t Term) IsHeader() bool { return t&PrimMask == PrimHeader }
func (t Term) IsList() bool   { return t&PrimMask == PrimList } // cons, not nil
func (t Term) IsBoxed() bool  { return t&PrimMask == PrimBoxed }
func (t Term) IsImmed() bool  { return t&PrimMask == PrimImmed }
func (t Term) IsSmall() bool  { return t&Immed1Mask == TagSmall }
func (t Term) IsAtom() bool   { return t&Immed2Mask == TagAtom }
func (t Term) IsNil() bool    { return t == Nil }

// IsInternalPid tells whether t is a pid of this node; IsPid includes others.
func (t Term) IsInternalPid() bool { return t&Immed1Mask == TagPid }

// IsInternalPort tells whether t is a port of this node.
func (t Term) IsInternalPort() bool { return t&Immed1Mask == TagPort }

// Small makes a small integer; v must be within MinSmall and MaxSmall.
func Small(v int64) Term { return Term(uint64(v)<<4 | TagSmall) }

// Small returns the value of a small.
func (t Term) Small() int64 { return int64(t) >> 4 }

// FitsSmall tells whether v is within the small integers.
func FitsSmall(v int64) bool { return v >= MinSmall && v <= MaxSmall }

// Atom makes the term of an atom.
func Atom(a atom.Atom) Term { return Term(a)<<6 | TagAtom }

// Intern makes the term of an atom by its (valid) name.
func Intern(name string) Term { return Atom(atom.Intern(name)) }

// Atom returns the atom number of an atom term.
func (t Term) Atom() atom.Atom { return atom.Atom(t >> 6) }

// Bool makes true or false.
func Bool(b bool) Term {
	if b {
		return True
	}
	return False
}

// IsBool tells whether t is true or false.
func (t Term) IsBool() bool { return t == True || t == False }

// Pid makes a pid of this node from its number (28 bits in 25, 60 later).
func Pid(n uint64) Term { return Term(n<<4 | TagPid) }

// Port makes a port of this node from its number.
func Port(n uint64) Term { return Term(n<<4 | TagPort) }

// ID returns the number of an internal pid or port.
func (t Term) ID() uint64 { return uint64(t) >> 4 }

// Lists and boxed objects.

// Head returns the head of a cons.
func (t Term) Head() Term { return Term(t.load(^uintptr(0))) }

// Tail returns the tail of a cons.
func (t Term) Tail() Term { return Term(t.load(7)) }

// Hdr returns the header of a boxed term.
func (t Term) Hdr() uint64 { return t.load(^uintptr(1)) }

// Kind returns the kind of a boxed term.
func (t Term) Kind() Kind { return Kind(t.Hdr() >> 2 & 15) }

// Is tells whether t is boxed and of a kind.
func (t Term) Is(k Kind) bool { return t.IsBoxed() && t.Kind() == k }

// IsTuple tells whether t is a tuple (the empty tuple is boxed too).
func (t Term) IsTuple() bool { return t.IsBoxed() && t.Hdr()&0x3F == 0 }

// Arity returns the size of a tuple.
func (t Term) Arity() int { return int(t.Hdr() >> 6) }

// El returns element i of a tuple, counted from 1.
func (t Term) El(i int) Term { return Term(t.W(i)) }

// IsFloat tells whether t is a float.
func (t Term) IsFloat() bool { return t.Is(KFloat) }

// Float returns the value of a float.
func (t Term) Float() float64 { return math.Float64frombits(t.W(1)) }

// IsBig tells whether t is a bignum.
func (t Term) IsBig() bool { return t.IsBoxed() && t.Hdr()>>3&7 == 1 }

// IsInteger tells whether t is a small or a bignum.
func (t Term) IsInteger() bool { return t.IsSmall() || t.IsBig() }

// IsNumber tells whether t is an integer or a float.
func (t Term) IsNumber() bool { return t.IsInteger() || t.IsFloat() }

// IsBitstring tells whether t is a binary or bitstring (not a match context).
func (t Term) IsBitstring() bool {
	return t.IsBoxed() && (t.Kind() == KHeapBits || t.Kind() == KSubBits)
}

// IsBinary tells whether t is a bitstring of whole bytes.
func (t Term) IsBinary() bool { return t.IsBitstring() && t.BitSize()&7 == 0 }

// BitSize returns the size of a bitstring in bits.
func (t Term) BitSize() uint64 {
	if t.Kind() == KHeapBits {
		return t.W(1)
	}
	return t.W(3) - t.W(2)
}

// IsMap tells whether t is a map.
func (t Term) IsMap() bool { return t.Is(KMap) }

// MapKind returns MapFlat, MapNode or MapHead.
func (t Term) MapKind() int { return int(t.Hdr() >> 6 & 3) }

// MapSize returns the number of pairs of a map.
func (t Term) MapSize() int {
	if t.MapKind() == MapFlat {
		return HeaderWords(t.Hdr()) - 1
	}
	return int(Term(t.W(1)).Small())
}

// IsFun tells whether t is a fun, local or external.
func (t Term) IsFun() bool { return t.IsBoxed() && (t.Kind() == KFun || t.Kind() == KExport) }

// IsRef tells whether t is a reference, of this node or another.
func (t Term) IsRef() bool { return t.IsBoxed() && (t.Kind() == KRef || t.Kind() == KExtRef) }

// IsPid tells whether t is a pid, of this node or another.
func (t Term) IsPid() bool { return t.IsInternalPid() || t.Is(KExtPid) }

// IsPort tells whether t is a port, of this node or another.
func (t Term) IsPort() bool { return t.IsInternalPort() || t.Is(KExtPort) }

// Reference sizes: words after the header of an internal reference.
const (
	RefWords      = 2
	PidRefWords   = 3
	MagicRefWords = 4
)

// RefNumbers returns the three 32-bit numbers of an internal reference, the
// low one first (as printed last).
func (t Term) RefNumbers() (n0, n1, n2 uint32) {
	w := t.W(1)
	return uint32(w), uint32(w >> 32), uint32(t.W(2))
}

// IsMagicRef tells whether t is a magic reference.
func (t Term) IsMagicRef() bool {
	return t.IsBoxed() && t.Hdr() == Header(MagicRefWords, KRef)
}

// Words writes and reads used by builders.

// Put writes word i at an address.
func Put(a uintptr, i int, w uint64) { *(*uint64)(unsafe.Add(nil, a+uintptr(i)*8)) = w }

// PutTerm writes term i at an address.
func PutTerm(a uintptr, i int, t Term) { *(*Term)(unsafe.Add(nil, a+uintptr(i)*8)) = t }

// Get reads word i at an address.
func Get(a uintptr, i int) uint64 { return *(*uint64)(unsafe.Add(nil, a+uintptr(i)*8)) }
