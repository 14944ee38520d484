package loader

import "crypto/md5"

// checksum is the MD5 of the chunks that make up a module's identity, as
// module_info(md5) reports it. The OldUniq fields of FunT count as zero.
func checksum(atoms string, by map[string][]byte) (sum [16]byte) {
	h := md5.New()
	for _, id := range []string{atoms, "Code", "StrT", "ImpT", "ExpT"} {
		h.Write(by[id])
	}
	if fun := by["FunT"]; len(fun) >= 4 {
		h.Write(fun[:4])
		for fun = fun[4:]; len(fun) >= 24; fun = fun[24:] {
			h.Write(fun[:20])
			h.Write([]byte{0, 0, 0, 0})
		}
	}
	h.Write(by["LitT"])
	h.Write(by["Meta"])
	h.Sum(sum[:0])
	return sum
}
