package loader

import "testing"

// BenchmarkPrepare loads a few modules of every size.
func BenchmarkPrepare(b *testing.B) {
	var bs [][]byte
	n := 0
	for _, m := range [][2]string{{"stdlib", "lists"}, {"stdlib", "gen_server"}, {"kernel", "application_controller"}, {"stdlib", "erl_parse"}, {"kernel", "code_server"}} {
		bs = append(bs, lib(b, m[0], m[1]))
		n += len(bs[len(bs)-1])
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range bs {
			p, err := Prepare(c)
			if err != nil {
				b.Fatal(err)
			}
			p.Drop()
		}
	}
}
