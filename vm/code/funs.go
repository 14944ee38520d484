package code

import (
	"sync"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/term"
)

// Fun entries are made by the loader, for the lambdas of a module, and by
// whoever decodes a fun of a module that is not loaded (yet). Everything that
// a call relies on is part of the key: a fun that names a lambda of a loaded
// module, but not its arity or number of free variables, gets an entry of its
// own that leads nowhere.
type funKey struct {
	m                     term.Term
	idx, old, arity, free uint64
	uniq                  [16]byte
}

var (
	funMu sync.RWMutex
	funs  = map[funKey]*FunEntry{}
)

// GetFun returns the fun entry of a lambda, making it if need be. arity does
// not count the numFree free variables.
func GetFun(m term.Term, oldUniq uint64, uniq [16]byte, index, arity, numFree uint64) *FunEntry {
	k := funKey{m, index, oldUniq, arity, numFree, uniq}
	funMu.RLock()
	f := funs[k]
	funMu.RUnlock()
	if f != nil {
		return f
	}
	funMu.Lock()
	defer funMu.Unlock()
	if f = funs[k]; f != nil {
		return f
	}
	f = offheap.New[FunEntry](offheap.Code)
	f.Module, f.OldUniq, f.Uniq, f.Index, f.Arity, f.NumFree = m, oldUniq, uniq, index, arity, numFree
	f.OldIdx = index
	f.Addr = UnloadedFun
	funs[k] = f
	return f
}

// Loaded tells whether a call of the fun leads to code.
func (f *FunEntry) Loaded() bool { return f.Load() != UnloadedFun }
