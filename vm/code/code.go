// Package code holds loaded code: modules, exports, fun entries, and the map
// from an address to the function it belongs to.
//
// Code is an array of 64-bit words off the Go heap. A function is laid out as
//
//	word 0  OpFuncInfo (executed when no clause matches: function_clause)
//	word 1  module, an atom term
//	word 2  function, an atom term
//	word 3  arity
//	word 4  aux: the row of the native function installed over the entry, or
//	        the breakpoint data of the tracer
//	word 5  entry: the first instruction; the one word that is patched to
//	        redirect every call, local ones too
//
// A continuation pointer is the address of an instruction (aligned to 8, so
// its primary tag is 00). Exports and fun entries are never freed; they are
// how calls between modules find the current code.
package code

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// Offsets in a function's header, in bytes from the entry.
const (
	InfoWords  = 5
	InfoOffset = -InfoWords * 8
	AuxOffset  = -8
)

// MFA names a function.
type MFA struct {
	Module, Function term.Term
	Arity            uint64
}

func (m MFA) String() string {
	return m.Module.Atom().String() + ":" + m.Function.Atom().String() + "/" + itoa(m.Arity)
}

func itoa(n uint64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// Export is an export entry. Addr is where a call goes: the current code, or
// one of the trampolines below. It lies off the Go heap; engines know the
// offset of Addr (0).
type Export struct {
	Addr     uintptr // atomic
	Native   int64   // row of the builtin, or -1
	Deferred uintptr // address waiting for on_load to succeed, or 0
	// From here on it is laid out as a function's header and entry.
	MFA   MFA
	Aux   uint64
	Tramp [4]uint64 // code run when there is no loaded code: set by engine hooks
	// Traced is not 0 while the trampoline holds a breakpoint; then calls of a
	// builtin go there, too.
	Traced uint64
}

// TrampAddr returns the address of the export's own trampoline.
func (e *Export) TrampAddr() uintptr { return offheap.Addr(e) + exportTrampOffset }

// Load returns where a call goes now.
func (e *Export) Load() uintptr { return atomic.LoadUintptr(&e.Addr) }

// Store redirects calls.
func (e *Export) Store(a uintptr) { atomic.StoreUintptr(&e.Addr, a) }

// Loaded tells whether the export leads to code or a builtin.
func (e *Export) Loaded() bool { return e.Native >= 0 || e.Traced != 0 || e.Load() != e.TrampAddr() }

const exportTrampOffset = 8 * 7

// FunEntry is what a local fun refers to. It outlives its module.
type FunEntry struct {
	Addr    uintptr // atomic; the function's entry, or the unloaded-fun stub
	Module  term.Term
	Arity   uint64 // of the fun itself, without free variables
	NumFree uint64
	Index   uint64
	OldUniq uint64
	Uniq    [16]byte // MD5 of the module's code
	OldIdx  uint64
	Name    term.Term // of the lambda's function
	Purging uintptr   // Addr while a purge is pending, or 0
}

// Load returns the entry address.
func (f *FunEntry) Load() uintptr { return atomic.LoadUintptr(&f.Addr) }

// Hooks that the engine sets before any module is loaded: they fill in the
// code words by which an export without code, or an unloaded fun, is run.
var (
	InitTramp    func(e *Export)
	UnloadedFun  uintptr // address of the instruction for unloaded funs
	SetNative    func(e *Export, row int64)
	PatchNative  func(entry uintptr, row int64) // call a native row from the entry on
	UnpatchEntry func(entry uintptr)
)

type mfaKey struct {
	m, f term.Term
	a    uint64
}

var (
	expMu   sync.RWMutex
	exports = map[mfaKey]*Export{}
	byMod   = map[term.Term][]*Export{} // in the order of their making
)

// GetExport returns the export entry of a function, making it if need be.
func GetExport(m, f term.Term, arity int) *Export {
	k := mfaKey{m, f, uint64(arity)}
	expMu.RLock()
	e := exports[k]
	expMu.RUnlock()
	if e != nil {
		return e
	}
	expMu.Lock()
	defer expMu.Unlock()
	if e = exports[k]; e != nil {
		return e
	}
	e = offheap.New[Export](offheap.Code)
	e.MFA = MFA{m, f, uint64(arity)}
	e.Native = -1
	e.Addr = e.TrampAddr()
	if InitTramp != nil {
		InitTramp(e)
	}
	exports[k] = e
	byMod[m] = append(byMod[m], e)
	return e
}

// ExportsOf returns the export entries of a module, whether they lead to code
// or not, in the order of their making.
func ExportsOf(m term.Term) []*Export {
	expMu.RLock()
	defer expMu.RUnlock()
	return byMod[m][:len(byMod[m]):len(byMod[m])]
}

// FindExport returns the export entry of a function, or nil.
func FindExport(m, f term.Term, arity int) *Export {
	expMu.RLock()
	defer expMu.RUnlock()
	return exports[mfaKey{m, f, uint64(arity)}]
}

// Exports calls f with every export entry, in no order, until it returns false.
func Exports(f func(*Export) bool) {
	expMu.RLock()
	all := make([]*Export, 0, len(exports))
	for _, e := range exports {
		all = append(all, e)
	}
	expMu.RUnlock()
	for _, e := range all {
		if !f(e) {
			return
		}
	}
}

// Line is a source position of a code address.
type Line struct {
	Addr uintptr // first address the position holds for
	File int32   // index in Module.Files; -1: no position
	Line int32
}

// Function is one function of a loaded module.
type Function struct {
	MFA
	Info  uintptr // address of the function's header; the entry is Info - InfoOffset
	Named string  // empty, or the source form of a lambda's name
}

// Entry returns the address of the first instruction.
func (f *Function) Entry() uintptr { return f.Info + InfoWords*8 }

// Module is one instance of a loaded module. It lives in the Go heap and is
// immutable once committed.
type Module struct {
	Name      term.Term
	Code      uintptr // code block
	CodeEnd   uintptr
	Funcs     []Function // by address
	Lines     []Line     // by address
	Files     []string
	Exported  []Exported
	Funs      []*FunEntry
	OnLoad    uintptr // entry of the on_load function, or 0
	MD5       [16]byte
	Attr      []byte // ETF of the attributes, as in the file (without 131)
	Compile   []byte // ETF of the compile information
	LitStart  uintptr
	LitEnd    uintptr
	LitOff    heap.OffHeap // off-heap objects of the literals
	Nifs      []MFA        // functions that load_nif gave a body
	HasNifs   bool         // load_nif succeeded
	NifMod    any          // what load_nif keeps of it
	NewNative bool

	CodeSize   uintptr // bytes allocated at Code
	LitSize    uintptr // bytes allocated at LitStart
	Strings    uintptr // the string chunk's copy, StringLen bytes
	StringLen  uintptr
	Patched    []uintptr // entries that lead to builtins
	FunEntries []uintptr // by lambda: the entry of its function

	onLoadExp *Export
}

// Exported is an exported function of a module.
type Exported struct {
	Export *Export
	Entry  uintptr
}

// FunctionAt returns the function whose code holds an address, or nil.
func (m *Module) FunctionAt(a uintptr) *Function {
	i := sort.Search(len(m.Funcs), func(i int) bool { return m.Funcs[i].Info > a })
	if i == 0 {
		return nil
	}
	return &m.Funcs[i-1]
}

// LineAt returns the source position of an address; ok is false if none.
func (m *Module) LineAt(a uintptr) (file string, line int, ok bool) {
	i := sort.Search(len(m.Lines), func(i int) bool { return m.Lines[i].Addr > a })
	if i == 0 || m.Lines[i-1].File < 0 {
		return "", 0, false
	}
	l := m.Lines[i-1]
	return m.Files[l.File], int(l.Line), true
}

var ranges atomic.Pointer[[]*Module] // by code address
var rangesMu sync.Mutex

// AddRange makes a module's code known to Find.
func AddRange(m *Module) {
	rangesMu.Lock()
	defer rangesMu.Unlock()
	var old []*Module
	if p := ranges.Load(); p != nil {
		old = *p
	}
	i := sort.Search(len(old), func(i int) bool { return old[i].Code > m.Code })
	n := make([]*Module, 0, len(old)+1)
	n = append(append(append(n, old[:i]...), m), old[i:]...)
	ranges.Store(&n)
}

// RemoveRange forgets a module's code.
func RemoveRange(m *Module) {
	rangesMu.Lock()
	defer rangesMu.Unlock()
	old := *ranges.Load()
	n := make([]*Module, 0, len(old))
	for _, o := range old {
		if o != m {
			n = append(n, o)
		}
	}
	ranges.Store(&n)
}

// Find returns the module instance and function an address belongs to.
func Find(a uintptr) (*Module, *Function) {
	p := ranges.Load()
	if p == nil {
		return nil, nil
	}
	ms := *p
	i := sort.Search(len(ms), func(i int) bool { return ms[i].Code > a })
	if i == 0 || a >= ms[i-1].CodeEnd {
		return nil, nil
	}
	return ms[i-1], ms[i-1].FunctionAt(a)
}
