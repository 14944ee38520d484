package pcre

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"sync"
	"testing"
)

func TestMatch(t *testing.T) {
	c, err := Compile([]byte(`(a)(?<n>b)?(z)?c`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Captures != 3 || !reflect.DeepEqual(c.Names, []Name{{"n", 2}}) {
		t.Fatal(c.Captures, c.Names)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				pos, rc := c.Match([]byte("xxabc"), 0, 0, 0, 0)
				if rc != 3 || !reflect.DeepEqual(pos, []int{2, 5, 2, 3, 3, 4, Unset, Unset}) {
					t.Error(rc, pos)
				}
			}
		})
	}
	wg.Wait()
	if _, rc := c.Match([]byte("nope"), 0, 0, 0, 0); rc != NoMatch {
		t.Fatal(rc)
	}
	if _, rc := c.Match([]byte("abc"), 9, 0, 0, 0); rc != BadOffset {
		t.Fatal(rc)
	}
}

func TestManyGroups(t *testing.T) {
	c, err := Compile(bytes.Repeat([]byte("(a)"), 100), Options{})
	if err != nil {
		t.Fatal(err)
	}
	pos, rc := c.Match(bytes.Repeat([]byte("a"), 100), 0, 0, 0, 0)
	if rc != 101 || pos[200] != 99 {
		t.Fatal(rc, pos)
	}
}

func TestLimit(t *testing.T) {
	c, _ := Compile([]byte(`(a+)*b|c$d`), Options{})
	if _, rc := c.Match(bytes.Repeat([]byte("a"), 40), 0, 0, 1000, 0); rc != MatchLimit && rc != NoMatch {
		t.Fatal(rc)
	}
}

func TestErrors(t *testing.T) {
	for p, want := range map[string]Error{
		"(":         {"missing )", 1},
		`\L`:        {`PCRE does not support \L, \l, \N{name}, \U, or \u`, 1},
		"(?<=a*)b":  {"lookbehind assertion is not fixed length", 6},
		"(?&foo)":   {"reference to non-existent subpattern", 6},
		"[[.a.]]":   {"POSIX collating elements are not supported", 1},
		"(?<1a>x)":  {"group name must start with a non-digit", 3},
		`\o`:        {`missing opening brace after \o`, 1},
		"[:alpha:]": {"POSIX named classes are supported only within a class", 0},
	} {
		_, err := Compile([]byte(p), Options{})
		if err == nil || *err != want {
			t.Errorf("%s: %+v, want %+v", p, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte("(?<n>a|b)*[x-z]{2,3}?$"), []byte("abxyz"), uint32(0))
	f.Add([]byte(`\p{L}+(?=x)`), []byte("\xff\xfe"), uint32(UTF))
	f.Fuzz(func(t *testing.T, p, s []byte, flags uint32) {
		flags &= Caseless | Multiline | Dotall | Extended | UTF | UCP | Dupnames | Ungreedy
		c, err := Compile(p, Options{Flags: flags})
		if err != nil {
			if err.Offset < 0 || err.Text == "" {
				t.Fatal(err)
			}
			return
		}
		pos, rc := c.Match(s, 0, 0, 1000, 100)
		for i := 0; i < 2*rc; i++ {
			if pos[i] < Unset || pos[i] > len(s) {
				t.Fatal(pos)
			}
		}
	})
}

// code8 is a compiled pattern of PCRE 8 with one group, named n, and some code.
func code8(code ...byte) []byte {
	b := make([]byte, header8)
	copy(b, []byte{0x45, 0x52, 0x43, 0x50})
	binary.LittleEndian.PutUint64(b[16:], 1<<64-1)
	binary.LittleEndian.PutUint16(b[30:], 1) // groups
	binary.LittleEndian.PutUint16(b[34:], header8)
	binary.LittleEndian.PutUint16(b[36:], 4)
	binary.LittleEndian.PutUint16(b[38:], 1)
	b = append(append(b, 0, 1, 'n', 0), code...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	return b
}

func TestDecompile(t *testing.T) {
	for want, code := range map[string][]byte{
		`(?<n>a)*b`:       {131, 0, 16, 146, 133, 0, 7, 0, 1, 29, 97, 121, 0, 7, 29, 98, 120, 0, 16, 0},
		`(?<n>a){2,3}`:    {131, 0, 34, 133, 0, 7, 0, 1, 29, 97, 120, 0, 7, 133, 0, 7, 0, 1, 29, 97, 120, 0, 7, 146, 133, 0, 7, 0, 1, 29, 97, 120, 0, 7, 120, 0, 34, 0},
		`(?<n>a)\x{2b}|b`: {131, 0, 15, 133, 0, 7, 0, 1, 29, 97, 120, 0, 7, 29, 43, 119, 0, 5, 29, 98, 120, 0, 20, 0},
	} {
		text, _, err := Decompile(code8(code...))
		if err != nil || string(text) != want {
			t.Errorf("%s, %v; want %s", text, err, want)
		}
	}
	for _, b := range [][]byte{nil, make([]byte, header8), code8(), code8(131, 0, 5, 0, 7, 120, 0, 5, 0), code8(131, 0, 3, 120, 0, 3), code8(131, 0, 0, 120, 0, 0, 0)} {
		if text, _, err := Decompile(b); err == nil {
			t.Errorf("%x became %s", b, text)
		}
	}
}

// FuzzDecompile takes any bytes for code: what can be read must compile or be
// refused, and never be run as it is.
func FuzzDecompile(f *testing.F) {
	f.Add(code8(131, 0, 16, 146, 133, 0, 7, 0, 1, 29, 97, 121, 0, 7, 29, 98, 120, 0, 16, 0)[header8+4:], uint32(0))
	f.Fuzz(func(t *testing.T, code []byte, flags uint32) {
		b := code8(code...)
		binary.LittleEndian.PutUint32(b[8:], flags)
		if text, o, err := Decompile(b); err == nil {
			Compile(text, o)
		}
	})
}
