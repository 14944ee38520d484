package node

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/beamrd/beamrd/loader"
)

// preloadedOrder is the order in which OTP 25 lists its preloaded modules. What
// an installation has beyond that comes after, in the order of names.
var preloadedOrder = []string{
	"erts_code_purger", "erl_init", "init", "prim_buffer", "prim_eval", "prim_inet", "prim_file", "zlib",
	"socket_registry", "prim_socket", "prim_net", "prim_zip", "erl_prim_loader", "erlang", "erts_internal",
	"erl_tracer", "erts_literal_area_collector", "erts_dirty_process_signal_handler", "atomics", "counters", "persistent_term",
}

// preloaded is a module that exists before any other is loaded.
type preloaded struct {
	name string
	beam []byte
}

// findPreloaded returns the preloaded modules of an OTP: from lib/erts-V/ebin,
// or, where a release was stripped of that, out of its emulator binary.
func findPreloaded(o *OTP) ([]preloaded, error) {
	dirs := []string{
		filepath.Join(o.Root, "lib", "erts-"+o.ErtsVersion, "ebin"),
		filepath.Join(o.Root, "erts-"+o.ErtsVersion, "ebin"),
		filepath.Join(o.Root, "erts-"+o.ErtsVersion, "preloaded", "ebin"),
	}
	for _, d := range dirs {
		files, _ := filepath.Glob(filepath.Join(d, "*.beam"))
		if len(files) == 0 {
			continue
		}
		byName := map[string][]byte{}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			byName[trimExt(filepath.Base(f))] = b
		}
		for n, b := range byName {
			s, err := loader.StripPreloaded(b)
			if err != nil {
				return nil, fmt.Errorf("preloaded module %s: %w", n, err)
			}
			byName[n] = s
		}
		return ordered(byName), nil
	}
	emu := filepath.Join(o.Root, "erts-"+o.ErtsVersion, "bin", "beam.smp")
	b, err := os.ReadFile(emu)
	if err != nil {
		return nil, fmt.Errorf("no preloaded modules: neither %s nor an emulator binary: %w", dirs[0], err)
	}
	byName := carve(b)
	if len(byName["init"]) == 0 {
		return nil, fmt.Errorf("no preloaded modules in %s", emu)
	}
	return ordered(byName), nil
}

func trimExt(s string) string { return s[:len(s)-len(filepath.Ext(s))] }

func ordered(byName map[string][]byte) (ms []preloaded) {
	for _, n := range preloadedOrder {
		if b := byName[n]; b != nil {
			ms = append(ms, preloaded{n, b})
			delete(byName, n)
		}
	}
	for _, n := range sortedKeys(byName) {
		ms = append(ms, preloaded{n, byName[n]})
	}
	return ms
}

// carve finds the .beam files that an emulator binary contains.
func carve(b []byte) map[string][]byte {
	found := map[string][]byte{}
	for off := 0; ; {
		i := bytes.Index(b[off:], []byte("FOR1"))
		if i < 0 || off+i+12 > len(b) {
			return found
		}
		at := off + i
		off = at + 4
		size := int(binary.BigEndian.Uint32(b[at+4:])) + 8
		if size < 12 || at+size > len(b) || string(b[at+8:at+12]) != "BEAM" {
			continue
		}
		f, err := loader.Parse(b[at : at+size])
		if err != nil {
			continue
		}
		found[f.Module.Atom().String()] = b[at : at+size]
		off = at + size
	}
}
