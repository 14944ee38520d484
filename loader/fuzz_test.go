package loader

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/beamrd/beamrd/vm/op"
)

// load must do no worse than refuse.
func load(b []byte) {
	if p, err := Prepare(b); err == nil {
		p.Drop()
	}
}

// fixture compiles testdata/*.erl of this package and returns the files.
func fixtures(t testing.TB) (bs [][]byte) {
	erlc, err := exec.LookPath("erlc")
	if err != nil {
		return nil
	}
	src, _ := filepath.Glob("testdata/*.erl")
	dir := t.TempDir()
	if out, err := exec.Command(erlc, append([]string{"+no_docs", "-o", dir}, src...)...).CombinedOutput(); err != nil {
		t.Fatalf("erlc: %v\n%s", err, out)
	}
	beams, _ := filepath.Glob(filepath.Join(dir, "*.beam"))
	for _, p := range beams {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		bs = append(bs, strip(b))
	}
	return bs
}

// strip keeps the chunks that loading reads.
func strip(b []byte) []byte {
	cs, err := Chunks(b)
	if err != nil {
		return b
	}
	var body bytes.Buffer
	body.WriteString("BEAM")
	for _, c := range cs {
		switch c.ID {
		case "Dbgi", "Docs", "Abst":
			continue
		}
		body.WriteString(c.ID)
		body.Write(u32(nil, len(c.Data)))
		body.Write(c.Data)
		for body.Len()%4 != 0 {
			body.WriteByte(0)
		}
	}
	return append(append([]byte("FOR1"), u32(nil, body.Len())...), body.Bytes()...)
}

// TestTruncated loads each beginning of a file, and the file with single bytes
// changed: whatever it says, loading ends with an error or with code.
func TestTruncated(t *testing.T) {
	for _, b := range fixtures(t) {
		for n := range b {
			load(b[:n])
		}
		r := rand.New(rand.NewPCG(1, uint64(len(b))))
		c := bytes.Clone(b)
		for n := range c {
			old := c[n]
			for _, v := range []byte{old ^ 1<<r.IntN(8), 0, 0xff, byte(r.Uint32())} {
				c[n] = v
				load(c)
			}
			c[n] = old
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, b := range fixtures(f) {
		f.Add(b)
	}
	for _, c := range craftedFiles {
		f.Add(one(c.arity, c.body).file())
	}
	f.Fuzz(func(t *testing.T, b []byte) { load(b) })
}

// FuzzCode changes the code alone: the container and tables stay in order.
func FuzzCode(f *testing.F) {
	for _, c := range craftedFiles {
		b := newBuilder()
		b.fn("f", c.arity, 1)
		c.body(b)
		f.Add(b.code)
	}
	for _, b := range fixtures(f) {
		if p, err := Parse(b); err == nil {
			f.Add(p.Code.Data)
			p.Free()
		}
	}
	f.Fuzz(func(t *testing.T, c []byte) {
		b := newBuilder()
		for _, a := range []string{"f", "g", "erlang", "setelement", "a", "b", "element", "ok"} {
			b.atom(a)
		}
		b.imp("erlang", "setelement", 3)
		b.imp("erlang", "element", 2)
		b.imp("m", "g", 1)
		b.labels = len(c)/2 + 1
		b.funcs = bytes.Count(c, []byte{byte(op.GFuncInfo)})
		for n := range 3 {
			b.funcs = n
			b.code = c
			load(b.file())
		}
	})
}
