package loader

import (
	"encoding/binary"
	"sort"
)

// keptChunks are what OTP keeps of a preloaded module when it builds it into
// the emulator: no line numbers, attributes or compile information, which shows
// in stack traces and module_info.
var keptChunks = map[string]bool{"Code": true, "AtU8": true, "Atom": true, "ImpT": true, "ExpT": true, "StrT": true,
	"FunT": true, "LitT": true, "Type": true}

// StripPreloaded makes of a .beam file what the emulator would contain of it.
func StripPreloaded(b []byte) ([]byte, error) {
	cs, err := Chunks(b)
	if err != nil {
		return nil, err
	}
	sort.Slice(cs, func(i, j int) bool { return cs[i].ID < cs[j].ID })
	body := []byte("BEAM")
	for _, c := range cs {
		if keptChunks[c.ID] {
			body = binary.BigEndian.AppendUint32(append(body, c.ID...), uint32(len(c.Data)))
			body = append(body, c.Data...)
			body = append(body, make([]byte, -len(c.Data)&3)...)
		}
	}
	return append(binary.BigEndian.AppendUint32([]byte("FOR1"), uint32(len(body))), body...), nil
}
