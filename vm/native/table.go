package native

import (
	"fmt"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/term"
)

type rowKey struct {
	m, f string
	a    int
}

// Table holds all rows; code refers to them by index.
var (
	Table []*Row
	index = map[rowKey]int{}
)

// Install enters rows and points their exports at them (NIF rows wait for
// load_nif). Call before the node starts, after the engine set code's hooks.
func Install(rows []Row) error {
	for i := range rows {
		r := &rows[i]
		k := rowKey{r.Module, r.Name, r.Arity}
		if _, dup := index[k]; dup {
			return fmt.Errorf("native: %s:%s/%d is declared twice", r.Module, r.Name, r.Arity)
		}
		n := len(Table)
		index[k] = n
		Table = append(Table, r)
		if r.Flags&NIF == 0 {
			e := code.GetExport(term.Intern(r.Module), term.Intern(r.Name), r.Arity)
			e.Native = int64(n)
			code.SetNative(e, int64(n))
		}
	}
	return nil
}

// Lookup returns the index of a row.
func Lookup(module, name string, arity int) (int, bool) {
	n, ok := index[rowKey{module, name, arity}]
	return n, ok
}

// NifsOf returns the indexes of a module's NIF rows.
func NifsOf(module string) (rows []int) {
	for i, r := range Table {
		if r.Flags&NIF != 0 && r.Module == module {
			rows = append(rows, i)
		}
	}
	return rows
}
