package code

import (
	"slices"
	"sync"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/term"
)

// The registry knows up to three instances of each module: the current one,
// where calls with a module name go; the old one, which processes may still
// execute; and one whose on_load function has not returned yet, known to
// nobody but the process that runs it.
//
// Whoever changes it holds the code write permission (TryWrite), which is
// never waited for by a scheduler: a builtin that does not get it yields.
// What must be seen by all schedulers at once is done while they are stopped.
type slot struct {
	cur, old, onLoad *Module
}

var (
	regMu  sync.RWMutex
	mods   = map[term.Term]*slot{}
	order  []term.Term // modules by first load
	early  []term.Term // preloaded modules
	writer sync.Mutex
)

// TryWrite takes the code write permission; false means: try later.
func TryWrite() bool { return writer.TryLock() }

// EndWrite gives the code write permission back.
func EndWrite() { writer.Unlock() }

func lookup(m term.Term) (s slot, ok bool) {
	regMu.RLock()
	defer regMu.RUnlock()
	if p := mods[m]; p != nil {
		return *p, true
	}
	return s, false
}

func update(m term.Term, f func(s *slot)) {
	regMu.Lock()
	defer regMu.Unlock()
	s := mods[m]
	if s == nil {
		s = &slot{}
		mods[m] = s
		order = append(order, m)
	}
	f(s)
}

// Current returns the current instance of a module, or nil.
func Current(m term.Term) *Module { s, _ := lookup(m); return s.cur }

// Old returns the old instance of a module, or nil.
func Old(m term.Term) *Module { s, _ := lookup(m); return s.old }

// Pending returns the instance of a module whose on_load function has not
// returned, or nil.
func Pending(m term.Term) *Module { s, _ := lookup(m); return s.onLoad }

// Known tells whether the module was ever loaded.
func Known(m term.Term) bool { _, ok := lookup(m); return ok }

// LoadedModules returns the modules that have current or old code.
func LoadedModules() []term.Term {
	regMu.RLock()
	defer regMu.RUnlock()
	var r []term.Term
	for _, m := range order {
		if s := mods[m]; s.cur != nil || s.old != nil {
			r = append(r, m)
		}
	}
	return r
}

// Preloaded returns the modules loaded before the node ran.
func Preloaded() []term.Term { return early }

// AddPreloaded enters a module in the list of Preloaded.
func AddPreloaded(m term.Term) { early = append(early, m) }

// Install makes m the current instance of its module; one that is current
// becomes old. There must be no old one then. The caller holds the write
// permission, and the schedulers are stopped or have not started.
func Install(m *Module) {
	AddRange(m)
	retire(m.Name)
	update(m.Name, func(s *slot) { s.cur = m })
	m.activate()
}

// InstallPending enters an instance whose on_load function is to be run. Its
// exports wait in Export.Deferred; the current instance stays.
func InstallPending(m *Module) {
	AddRange(m)
	update(m.Name, func(s *slot) { s.onLoad = m })
	m.linkFuns()
	for _, e := range m.Exported {
		if e.Export.Native < 0 {
			e.Export.Deferred = e.Entry
		}
	}
}

// Hooks of the tracer: before a module's current code becomes old, and after
// code has become current.
var (
	OnRetire  func(name term.Term)
	OnInstall func(m *Module)
)

// activate points exports and funs at the module's code.
func (m *Module) activate() {
	m.linkFuns()
	for _, e := range m.Exported {
		e.Export.Deferred = 0
		if e.Export.Native < 0 {
			e.Export.Store(e.Entry)
		}
	}
	if OnInstall != nil {
		OnInstall(m)
	}
}

func (m *Module) linkFuns() {
	for i, f := range m.Funs {
		f.store(m.FunEntries[i])
	}
}

// retire makes the current instance of a module old: calls that name the
// module go to the error handler.
func retire(name term.Term) {
	cur := Current(name)
	if cur == nil {
		return
	}
	if OnRetire != nil {
		OnRetire(name)
	}
	for _, e := range ExportsOf(name) {
		unlink(e)
	}
	update(name, func(s *slot) { s.old, s.cur = s.cur, nil })
}

func unlink(e *Export) {
	e.Deferred = 0
	if e.Native < 0 {
		e.Store(e.TrampAddr())
	}
}

// Delete makes the current code of a module old, as erlang:delete_module/1.
// The same conditions hold as for Install.
func Delete(name term.Term) { retire(name) }

// FinishOnLoad ends the wait for an on_load function. keep makes its instance
// the current one; else it waits for PreparePurge(…, true).
func FinishOnLoad(name term.Term, keep bool) {
	m := Pending(name)
	if !keep {
		for _, e := range m.Exported {
			e.Export.Deferred = 0
		}
		return
	}
	retire(name)
	update(name, func(s *slot) { s.cur, s.onLoad = s.onLoad, nil })
	m.OnLoad = 0
	m.activate()
}

// OnLoadExport returns an export, known to nobody else, that leads to the
// on_load function.
func (m *Module) OnLoadExport() *Export {
	if m.onLoadExp == nil {
		m.onLoadExp = offheap.New[Export](offheap.Code)
		f := m.FunctionAt(m.OnLoad)
		m.onLoadExp.MFA = f.MFA
		m.onLoadExp.Native, m.onLoadExp.Addr = -1, m.OnLoad
	}
	return m.onLoadExp
}

// Free gives back what the module's instance holds but its literals, which
// live on until no process refers to them.
func (m *Module) Free() {
	for _, e := range m.Patched {
		if UnpatchEntry != nil {
			UnpatchEntry(e)
		}
	}
	offheap.Free(m.Code, m.CodeSize, offheap.Code)
	if m.StringLen > 0 {
		offheap.Free(m.Strings, m.StringLen, offheap.Code)
	}
	if m.onLoadExp != nil {
		offheap.Delete(m.onLoadExp, offheap.Code)
	}
	m.Code, m.Strings, m.Patched, m.onLoadExp = 0, 0, nil, nil
}

// FreeLiterals gives back the module's literals.
func (m *Module) FreeLiterals() {
	if m.LitSize > 0 {
		heap.ReleaseOffHeap(&m.LitOff)
		offheap.FreeLiteral(m.LitStart, m.LitSize)
		m.LitSize = 0
	}
}

// Within tells whether an address is in the module's code.
func (m *Module) Within(a uintptr) bool { return a >= m.Code && a < m.CodeEnd }

// PatchNatives makes the functions that are builtins run them.
func (m *Module) PatchNatives() {
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if e := FindExport(f.Module, f.Function, int(f.Arity)); e != nil && e.Native >= 0 {
			PatchNative(f.Entry(), e.Native)
			m.Patched = append(m.Patched, f.Entry())
		}
	}
}

// Patch makes a function run a builtin row from now on.
func (m *Module) Patch(entry uintptr, row int64) {
	PatchNative(entry, row)
	if !slices.Contains(m.Patched, entry) {
		m.Patched = append(m.Patched, entry)
	}
}

// Find returns a function of the module, or nil.
func (m *Module) Find(fn term.Term, arity int) *Function {
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.Function == fn && f.Arity == uint64(arity) {
			return f
		}
	}
	return nil
}
