// Package lint holds the rules of the house as tests.
package lint

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/beamrd/beamrd/"

// allowed is the import order: a package may import those listed for it and
// what those may import in turn. Nothing else inside the project.
var allowed = map[string][]string{
	"internal/invariants": nil,
	"internal/offheap":    {"internal/invariants"},
	"internal/epoch":      {"internal/invariants"},
	"internal/zlib":       nil,
	"internal/futex":      nil,
	"internal/pcre":       nil,
	"internal/libm":       nil,
	"internal/cputopo":    nil,
	"internal/sysconf":    {"internal/cputopo"},
	"internal/sysnet":     nil,
	"internal/wire":       nil,
	"internal/floattext":  nil,
	"replay":              nil,
	"vm/atom":             nil,
	"vm/term":             {"vm/atom", "internal/offheap"},
	"vm/op":               {"vm/term"},
	"vm/heap":             {"vm/term"},
	"vm/maps":             {"vm/heap"},
	"vm/gc":               {"vm/heap"},
	"vm/num":              {"vm/heap", "internal/floattext"},
	"vm/bits":             {"vm/heap", "vm/num"},
	"vm/etf":              {"vm/heap", "vm/maps", "vm/num", "internal/wire", "internal/zlib", "vm/code"},
	"vm/code":             {"vm/op", "vm/heap", "internal/epoch"},
	"vm/proc":             {"vm/code", "vm/maps", "replay", "internal/futex"},
	"vm/port":             {"vm/proc", "internal/sysconf"},
	"vm/dist":             {"vm/etf", "vm/port", "internal/sysconf"},
	"dist/epmd":           nil,
	"dist/etf":            {"internal/wire", "internal/floattext"},
	"dist":                {"dist/epmd", "dist/etf"},
	"internal/remsh":      {"dist"},
	"vm/native":           {"vm/proc", "vm/gc"},
	"vm/trace":            {"vm/native", "vm/matchspec", "vm/etf", "vm/port"},
	"loader/spec":         {"vm/code", "vm/op"},
	"loader":              {"loader/spec", "vm/code", "vm/etf"},
	"vm/interp":           {"vm/trace", "vm/native", "vm/bits", "vm/maps", "vm/num", "loader/spec"},
	"sched":               {"vm/proc", "internal/futex"},
	"dirty":               {"vm/proc", "sched"},
	"vm/matchspec":        {"vm/heap", "vm/maps", "vm/num"},
	"ets":                 {"vm/proc", "vm/matchspec", "vm/etf"},
	"io/poll":             {"internal/invariants", "internal/futex"},
	"io/file":             {"io/poll"},
	"io/packet":           nil,
	"io/sock":             {"io/file", "io/packet", "io/poll", "io/resolve", "internal/sysnet", "vm/port"},
	"io/esock":            {"io/file", "io/poll", "internal/sysnet", "vm/proc"},
	"io/resolve":          {"internal/invariants"},
	"io/tty":              {"io/poll", "vm/port"},
	"io/port":             {"io/file", "vm/port"},
	"io/ramfile":          {"io/file", "vm/port"},
	"store":               nil,
	"daemon":              {"node", "dist"},
	"bif": {"vm/interp", "loader", "store", "sched", "dirty", "ets", "vm/port", "vm/dist", "vm/etf", "vm/maps", "vm/bits",
		"io/file", "io/packet", "io/poll", "io/resolve", "io/tty", "io/port", "io/ramfile", "io/sock", "io/esock", "internal/sysnet", "internal/zlib", "internal/pcre", "internal/libm"},
	"observe":      {"bif"},
	"node":         {"bif", "observe", "dist/epmd"},
	"internal/top": {"dist"},
	"cmd/beamrd":   {"daemon", "node", "dist", "internal/top", "internal/remsh"},
}

type pkg struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var ps []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return ps
		} else if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
}

func reach(name string, into map[string]bool) {
	for _, n := range allowed[name] {
		if !into[n] {
			into[n] = true
			reach(n, into)
		}
	}
}

// Packages below testOnly serve tests and may be imported by tests alone.
func testOnly(name string) bool {
	return strings.HasPrefix(name, "internal/termgen") || name == "internal/oracle" || strings.HasPrefix(name, "internal/fixture") ||
		strings.HasPrefix(name, "vm/native/nativetest") || name == "internal/lint"
}

func TestImportOrder(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(name) || strings.Contains(name, "/_") || strings.HasPrefix(name, "internal/") && len(p.Imports) == 0 {
			continue
		}
		if _, ok := allowed[name]; !ok {
			t.Errorf("package %s is not in the import order", name)
			continue
		}
		may := map[string]bool{}
		reach(name, may)
		if may[name] {
			t.Errorf("the import order of %s is a cycle", name)
		}
		for _, i := range p.Imports {
			if in, ok := strings.CutPrefix(i, module); ok && !may[in] {
				t.Errorf("%s imports %s, which the import order does not allow", name, in)
			}
			if i == "C" {
				t.Errorf("%s uses cgo", name)
			}
		}
	}
}
