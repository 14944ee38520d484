package etf

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/internal/wire"
	"github.com/beamrd/beamrd/vm/atom"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// LocalRef, when set, builds the reference of this node that has these numbers
// if it is an alias; None says that it is not.
var LocalRef func(h *heap.Heap, n0, n1, n2 uint32) term.Term

// NameAlias, when set, is called for every alias of this node that is written.
var NameAlias func(ref term.Term)

// atomOf reads an atom whose tag has been read.
func (d *Decoder) atomOf(tag int) term.Term {
	var n int
	switch tag {
	case wire.TagAtom, wire.TagAtomUTF8:
		n = d.u16()
	case wire.TagSmallAtom, wire.TagSmallAtomUTF8:
		n = d.u8()
	case wire.TagAtomCacheRef:
		n = d.u8()
		if n >= len(d.Atoms) {
			return d.fail("atom cache reference")
		}
		return d.Atoms[n]
	default:
		return d.fail("not an atom")
	}
	s := d.take(n)
	if d.bad != nil {
		return term.None
	}
	latin1 := tag == wire.TagAtom || tag == wire.TagSmallAtom
	if latin1 && !ascii(s) {
		return d.latin1(s)
	}
	seen := d.slotOf(s)
	if seen.String() == string(s) {
		return term.Atom(*seen)
	}
	a, ok := atom.Lookup(string(s))
	if !ok {
		if d.safe {
			return d.fail("new atom")
		}
		var err error
		if a, err = atom.TryIntern(string(s)); err != nil {
			return d.fail(err.Error())
		}
	}
	*seen = a
	return term.Atom(a)
}

func ascii(s []byte) bool {
	var all byte
	for _, c := range s {
		all |= c
	}
	return all < 0x80
}

// slotOf returns where the atom of this name was kept if it was read before.
func (d *Decoder) slotOf(s []byte) *atom.Atom {
	h := uint32(len(s))
	if n := len(s); n > 0 {
		h += uint32(s[0])*31 + uint32(s[n/2])*37 + uint32(s[n-1])*101
	}
	return &d.seen[(h^h>>8)&255]
}

// latin1 finds or makes an atom with characters above 127.
func (d *Decoder) latin1(s []byte) term.Term {
	var a atom.Atom
	ok, err := true, error(nil)
	if d.safe {
		a, ok = atom.Lookup(string(latin1Runes(s)))
	} else {
		a, err = atom.InternLatin1(s)
	}
	if err != nil || !ok {
		return d.fail("atom refused")
	}
	return term.Atom(a)
}

func latin1Runes(s []byte) []rune {
	r := make([]rune, len(s))
	for i, c := range s {
		r[i] = rune(c)
	}
	return r
}

// atom reads an atom.
func (d *Decoder) atom() term.Term {
	tag := d.u8()
	if d.bad != nil {
		return term.None
	}
	return d.atomOf(tag)
}

// smallInt reads an integer that fits a small.
func (d *Decoder) smallInt() (v int64, ok bool) {
	tag := d.u8()
	if d.bad != nil {
		return 0, false
	}
	var t term.Term
	switch tag {
	case wire.TagSmallInteger:
		t = term.Small(int64(d.u8()))
	case wire.TagInteger:
		t = term.Small(int64(int32(d.u32())))
	case wire.TagSmallBig:
		t = d.big(d.u8())
	case wire.TagLargeBig:
		t = d.big(d.u32())
	}
	if d.bad != nil || !t.IsSmall() {
		d.fail("not a small integer")
		return 0, false
	}
	return t.Small(), true
}

// creation reads a creation, one byte or four wide.
func (d *Decoder) creation(wide bool) uint32 {
	if wide {
		return uint32(d.u32())
	}
	c := d.u8()
	if c > 3 {
		d.fail("creation")
	}
	return uint32(c)
}

// local tells whether a node name and creation mean this node.
func local(node term.Term, creation uint32) bool {
	this := term.ThisNode()
	return node.Atom().Chars() == 0 || node.Atom() == this.Name && creation == this.Creation
}

func nodeIndex(node term.Term, creation uint32) uint64 {
	return uint64(term.NodeIndex(node.Atom(), creation))
}

func (d *Decoder) pid(tag int) term.Term {
	node := d.atom()
	number, serial := uint64(d.u32()), uint64(d.u32())
	c := d.creation(tag == wire.TagNewPid)
	if d.bad != nil {
		return term.None
	}
	if local(node, c) {
		if number>>PidNumberBits != 0 || serial>>(PidBits-PidNumberBits) != 0 {
			return d.fail("pid beyond this node's")
		}
		return term.Pid(serial<<PidNumberBits | number)
	}
	return ExternalPid(d.h, node, c, number, serial)
}

// ExternalPid builds a pid of another node.
func ExternalPid(h *heap.Heap, node term.Term, creation uint32, number, serial uint64) term.Term {
	a := h.Alloc(3)
	term.Put(a, 0, term.Header(2, term.KExtPid))
	term.Put(a, 1, nodeIndex(node, creation))
	term.Put(a, 2, number|serial<<32)
	return term.Box(a)
}

func (d *Decoder) port(tag int) term.Term {
	node := d.atom()
	number := uint64(d.u32())
	if tag == wire.TagV4Port {
		number = number<<32 | uint64(d.u32())
	}
	c := d.creation(tag != wire.TagPort)
	if d.bad != nil {
		return term.None
	}
	if local(node, c) {
		if number>>PortBits != 0 {
			return d.fail("port beyond this node's")
		}
		return term.Port(number)
	}
	return ExternalPort(d.h, node, c, number)
}

// ExternalPort builds a port of another node.
func ExternalPort(h *heap.Heap, node term.Term, creation uint32, number uint64) term.Term {
	a := h.Alloc(3)
	term.Put(a, 0, term.Header(2, term.KExtPort))
	term.Put(a, 1, nodeIndex(node, creation))
	term.Put(a, 2, number)
	return term.Box(a)
}

func (d *Decoder) ref(tag int) term.Term {
	n := 1
	if tag != wire.TagReference {
		n = d.u16()
	}
	if n < 1 || n > wire.MaxRefNumbers {
		return d.fail("numbers of a reference")
	}
	node := d.atom()
	var c uint32
	var nums [wire.MaxRefNumbers + 1]uint32
	if tag == wire.TagReference {
		nums[0] = uint32(d.u32())
		c = d.creation(false)
	} else {
		c = d.creation(tag == wire.TagNewerReference)
		for i := range n {
			nums[i] = uint32(d.u32())
		}
	}
	if d.bad != nil {
		return term.None
	}
	if tag != wire.TagNewerReference && nums[0]>>RefBits != 0 {
		return d.fail("reference")
	}
	if local(node, c) {
		return d.localRef(n, &nums)
	}
	return ExternalRef(d.h, node, c, nums[:n])
}

// ExternalRef builds a reference of another node from its numbers, the lowest
// first; at most five.
func ExternalRef(h *heap.Heap, node term.Term, creation uint32, nums []uint32) term.Term {
	var room [wire.MaxRefNumbers + 1]uint32
	n := copy(room[:wire.MaxRefNumbers], nums)
	w := 2 + (n+1)/2
	a := h.Alloc(1 + w)
	term.Put(a, 0, term.Header(w, term.KExtRef))
	term.Put(a, 1, nodeIndex(node, creation))
	term.Put(a, 2, uint64(n))
	for i := range (n + 1) / 2 {
		term.Put(a, 3+i, uint64(room[2*i])|uint64(room[2*i+1])<<32)
	}
	return term.Box(a)
}

func (d *Decoder) localRef(n int, nums *[wire.MaxRefNumbers + 1]uint32) term.Term {
	if n > 3 || nums[0]>>RefBits != 0 {
		return d.fail("reference beyond this node's")
	}
	return InternalRef(d.h, nums[0], nums[1], nums[2])
}

// InternalRef builds the reference of this node that has these numbers: a magic
// one or an alias when there is such a one, else a plain one.
func InternalRef(h *heap.Heap, n0, n1, n2 uint32) term.Term {
	n01 := uint64(n0) | uint64(n1)<<32
	if b := heap.FindMagic(n01, uint64(n2)); b != nil {
		return h.Off.PutMagicRef(h.Alloc(1+term.MagicRefWords), n01, uint64(n2), b)
	}
	if LocalRef != nil {
		if t := LocalRef(h, n0, n1, n2); t != term.None {
			return t
		}
	}
	a := h.Alloc(1 + term.RefWords)
	term.Put(a, 0, term.Header(term.RefWords, term.KRef))
	term.Put(a, 1, n01)
	term.Put(a, 2, uint64(n2))
	return term.Box(a)
}

func (d *Decoder) export() term.Term {
	m := d.atom()
	if d.bad != nil {
		return term.None
	}
	f := d.atom()
	if d.bad != nil {
		return term.None
	}
	arity, ok := d.smallInt()
	if !ok {
		return term.None
	}
	if arity < 0 || arity > 1<<31 {
		return d.fail("arity")
	}
	if d.safe {
		if e := code.FindExport(m, f, int(arity)); e == nil || !e.Loaded() {
			return d.fail("function is not loaded")
		}
	}
	e := code.GetExport(m, f, int(arity))
	a := d.h.Alloc(2)
	term.Put(a, 0, term.Header(1, term.KExport))
	term.Put(a, 1, uint64(addrOf(e)))
	return term.Box(a)
}

// fun reads a local fun up to its creator and free variables, which follow as
// its parts. The size in front is not looked at: OTP 23 wrote wrong ones.
func (d *Decoder) fun() term.Term {
	s := d.take(4 + 1 + 16 + 4 + 4)
	if d.bad != nil {
		return term.None
	}
	arity := uint64(s[4])
	var uniq [16]byte
	copy(uniq[:], s[5:])
	index := uint64(binary.BigEndian.Uint32(s[21:]))
	free := int(binary.BigEndian.Uint32(s[25:]))
	if free > 255 {
		return d.fail("free variables of a fun")
	}
	m := d.atom()
	if d.bad != nil {
		return term.None
	}
	oldIndex, ok := d.smallInt()
	if !ok {
		return term.None
	}
	oldUniq, ok := d.smallInt()
	if !ok || !d.promise(1+free) {
		return term.None
	}
	e := code.GetFun(m, uint64(oldUniq), uniq, index, arity, uint64(free))
	if e.Arity != arity || e.OldIdx != uint64(oldIndex) {
		return d.fail("fun does not agree with its module")
	}
	a := d.h.Alloc(3 + free)
	term.Put(a, 0, term.Header(2+free, term.KFun))
	term.Put(a, 1, uint64(addrOf(e)))
	d.push(frame{addr: a + 16, left: 1 + free})
	return term.Box(a)
}

// AtomUTF8 finds or makes the atom of a name in UTF-8 from outside.
func AtomUTF8(s []byte) (term.Term, error) {
	a, ok := atom.Lookup(string(s))
	if !ok {
		var err error
		if a, err = atom.TryIntern(string(s)); err != nil {
			return term.None, err
		}
	}
	return term.Atom(a), nil
}
