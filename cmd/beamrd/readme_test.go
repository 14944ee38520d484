package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the commands of the README's section on services as they
// stand there, and compares what they print; … stands for anything.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "\n## A node as a service\n\n")
	if !ok {
		t.Fatal("the README lacks the section")
	}
	block, _, _ := strings.Cut(text, "\n\n")
	s := newService(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "beamrd")); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, step := range strings.Split("\n"+block, "\n    $ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		want = strings.TrimPrefix(strings.ReplaceAll("\n"+want, "\n    ", "\n"), "\n")
		o := s.sh("PATH=" + bin + ":$PATH; " + command)
		re := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), "…", ".*")
		if o.code != 0 || !regexp.MustCompile("^"+re+"$").MatchString(strings.TrimSpace(o.out)) {
			t.Fatalf("$ %s\n%s%s(exit code %d), want\n%s", command, o.out, o.err, o.code, want)
		}
		n++
	}
	if n < 10 {
		t.Errorf("only %d commands found", n)
	}
}
