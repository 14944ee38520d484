package bif

import (
	"fmt"
	"os"

	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var codeNifRows = []native.Row{
	{Module: "erlang", Name: "load_nif", Arity: 2, Fn: codeLoadNif},
}

var (
	amLoadFailed = term.Intern("load_failed")
	amBadLib     = term.Intern("bad_lib")
	amReload     = term.Intern("reload")
	amOldCode    = term.Intern("old_code")
	amLoadNif    = term.Intern("load")
)

// nifLoad holds what is to be done when a module loads its NIFs: it gets the
// load information and tells whether loading goes on.
var nifLoad = map[string]func(c *native.Call, info term.Term) bool{
	"prim_file":   func(_ *native.Call, info term.Term) bool { return PrimFileLoaded(info) },
	"prim_socket": func(_ *native.Call, info term.Term) bool { return primSocketLoaded(info) },
}

// codeLoadNif is erlang:load_nif(Path, LoadInfo). The NIFs are those declared
// for the calling module, wherever the path leads; for a module without any
// the C library at the path would be needed.
func codeLoadNif(c *native.Call) term.Term {
	path, ok := nativeName(c.Arg(0), true)
	if !ok {
		return c.Badarg()
	}
	m, fn := code.Find(c.P.IP)
	if m == nil {
		return nifError(c, amBadLib, "load_nif/2 must be explicitly called from the NIF module. It cannot be called through apply/3.")
	}
	switch {
	case m == code.Old(m.Name):
		return nifError(c, amOldCode, "Calling load_nif from old module '%s' not allowed", fn.Module)
	case m.HasNifs:
		return nifError(c, amReload, "NIF library already loaded (reload disallowed since OTP 20).")
	}
	name := m.Name.Atom().String()
	rows := native.NifsOf(name)
	if len(rows) == 0 && nifLoad[name] == nil {
		return noLibrary(c, string(path))
	}
	if load := nifLoad[name]; load != nil && !load(c, c.Arg(1)) {
		return nifError(c, amLoadNif, "Library load-call unsuccessful (%d).", 1)
	}
	stopAll(c, func() {
		for _, r := range rows {
			row := native.Table[r]
			// What this release's module does not have is not missed.
			if f := m.Find(term.Intern(row.Name), row.Arity); f != nil {
				m.Patch(f.Entry(), int64(r))
				m.Nifs = append(m.Nifs, f.MFA)
			}
		}
		m.HasNifs = true
	})
	return term.AmOk
}

// noLibrary says why the C library at a path is not loaded.
func noLibrary(c *native.Call, path string) term.Term {
	file := path + ".so"
	if _, err := os.Stat(file); err != nil {
		return nifError(c, amLoadFailed, "Failed to load NIF library: '%s: cannot open shared object file: No such file or directory'", file)
	}
	return nifError(c, amLoadFailed, "Failed to load NIF library %s: 'native C libraries cannot be loaded'", path)
}

func nifError(c *native.Call, reason term.Term, format string, args ...any) term.Term {
	h := &c.P.Heap
	return c.ErrorTuple(h.Tuple(reason, h.Str(fmt.Sprintf(format, args...))))
}
