package main

import (
	"path/filepath"
	"testing"
)

// TestForeignPatterns runs patterns that erl's PCRE compiled, such as stand as
// literals in modules that were compiled there.
func TestForeignPatterns(t *testing.T) {
	needErl(t)
	src, err := filepath.Abs("../../testdata/re/re8.erl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if o := sh(t, dir, "erlc "+src+" && erl -noshell -run re8 write pats -run init stop"); o.code != 0 {
		t.Fatal(o.out, o.err)
	}
	o := sh(t, dir, "$E -noshell -run re8 check pats -run init stop")
	if o.code != 0 || o.out != "85 patterns\n" {
		t.Error(o.out, o.err)
	}
}
