package lint

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const maxLines = 800

// mayUseUnsafe lists where the unsafe package is imported, and why.
var mayUseUnsafe = map[string]string{
	"internal/futex":   "the address of the word that the kernel waits on",
	"internal/pcre":    "the C interface of the translated library",
	"internal/zlib":    "the C interface of the translated library",
	"internal/offheap": "the accessors of memory outside the Go heap",
	"internal/sysnet":  "system calls on socket addresses",
	"vm/term":          "word access in tagged terms",
	"vm/heap":          "word access in heap objects",
	"vm/gc":            "the copy loop",
	"vm/num":           "limbs seen as words of math/big",
	"vm/interp":        "the engine's loop",
	"vm/code":          "offsets of engine-visible fields",
	"vm/proc":          "offsets of engine-visible fields; off-heap queues",
}

func goFiles(t *testing.T, f func(path string, src string)) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() && (rel == "build" || rel == "bin" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		b, err := os.ReadFile(p)
		if err == nil {
			f(rel, string(b))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func generated(src string) bool {
	s := bufio.NewScanner(strings.NewReader(src))
	for i := 0; i < 3 && s.Scan(); i++ {
		if strings.HasPrefix(s.Text(), "// Code generated") {
			return true
		}
	}
	return false
}

func TestFileSize(t *testing.T) {
	goFiles(t, func(path, src string) {
		if n := strings.Count(src, "\n"); n > maxLines && !generated(src) {
			t.Errorf("%s has %d lines; split it by idea (at most %d)", path, n, maxLines)
		}
	})
}

func TestUnsafe(t *testing.T) {
	goFiles(t, func(path, src string) {
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(src, "\t\"unsafe\"\n") && !strings.Contains(src, "import \"unsafe\"") {
			return
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if _, ok := mayUseUnsafe[strings.TrimSuffix(dir, "/_ops")]; !ok {
			t.Errorf("%s imports unsafe; use internal/offheap's accessors, or add the package with its reason", path)
		}
	})
}

func TestNoInit(t *testing.T) {
	goFiles(t, func(path, src string) {
		if strings.Contains(src, "\nfunc init()") {
			t.Errorf("%s registers through init(); rows are listed in bif/all.go", path)
		}
	})
}
