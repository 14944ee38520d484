package etf

import (
	"bytes"
	"testing"
)

// FuzzUnmarshal reads bytes. What passes must be written and read back as the
// same.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range samples {
		if b, err := Marshal(s.t); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte("\x83l\x00\x00\x00\x01a\x01l\x00\x00\x00\x01a\x02a\x03"))
	f.Add([]byte("\x83P\x00\x00\x00\x02x\x9cK\x04\x00\x00b\x00b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Unmarshal(b)
		if err != nil {
			return
		}
		out, err := Marshal(v)
		if err != nil {
			t.Fatalf("%x is read but not written: %v", b, err)
		}
		back, err := Unmarshal(out)
		if err != nil {
			t.Fatalf("%x is not read back: %v", out, err)
		}
		again, err := Marshal(back)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%x is not written again as %x", again, out)
		}
		Format(v)
		JSON(v)
	})
}

// FuzzParse reads text. What passes has text that is read as the same term.
func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add(s.text)
	}
	f.Add(`#{<<1:3>> => "a\x{3bb}\^C", 'b c' => [16#ff, 1_0.5e-3|$\n]}.`)
	f.Fuzz(func(t *testing.T, s string) {
		p := Parser{Local: "a@h", Creation: 7}
		v, err := p.Parse(s)
		if err != nil {
			return
		}
		text := string((&Formatter{Local: "a@h"}).Append(nil, v))
		back, err := p.Parse(text)
		if err != nil || !Equal(back, v) {
			t.Fatalf("%q is written as %q, which is read as %#v, %v", s, text, back, err)
		}
	})
}
