package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
)

// maxFile bounds what a compressed file may expand to.
const maxFile = 1 << 30

// Chunk is a chunk of a .beam file.
type Chunk struct {
	ID   string // four bytes
	Off  int    // of its data within the file
	Data []byte
}

// Decompress undoes the gzip compression of a whole .beam file; a file that is
// not compressed is returned as it is.
func Decompress(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != 0x1f || b[1] != 0x8b {
		return b, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, chunkErr("", 0, "gzip: %v", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxFile+1))
	if err != nil {
		return nil, chunkErr("", 0, "gzip: %v", err)
	}
	if len(out) > maxFile {
		return nil, chunkErr("", 0, "gzip: larger than %d bytes", maxFile)
	}
	return out, nil
}

// iffForm returns the bytes of the FOR1 form b starts with: what follows its
// size, cut at the size. ok is false if b is no form or is cut short.
func iffForm(b []byte) (form []byte, ok bool) {
	if len(b) < 8 || string(b[:4]) != "FOR1" {
		return nil, false
	}
	n := binary.BigEndian.Uint32(b[4:])
	if uint64(n) > uint64(len(b)-8) {
		return nil, false
	}
	return b[8 : 8+n], true
}

// Chunks returns the chunks of a .beam file (not compressed), in the file's
// order. The data is shared with b.
func Chunks(b []byte) ([]Chunk, error) {
	form, ok := iffForm(b)
	if !ok {
		return nil, chunkErr("", 0, "not an IFF file of form FOR1, or cut short")
	}
	if len(form) < 4 || string(form[:4]) != "BEAM" {
		return nil, chunkErr("", 8, "the form is not BEAM")
	}
	var cs []Chunk
	for p := 4; p < len(form); {
		if len(form)-p < 8 {
			return nil, chunkErr("", 8+p, "chunk header cut short")
		}
		id, n := string(form[p:p+4]), uint64(binary.BigEndian.Uint32(form[p+4:]))
		p += 8
		if padded := (n + 3) &^ 3; padded > uint64(len(form)-p) {
			return nil, chunkErr(id, -1, "%d bytes announced, %d left", n, len(form)-p)
		}
		cs = append(cs, Chunk{ID: id, Off: 8 + p, Data: form[p : p+int(n) : p+int(n)]})
		p += int(n+3) &^ 3
	}
	return cs, nil
}

// FindChunk returns the data of a chunk of a file, as erts_internal:beamfile_chunk/2
// does: unlike Chunks it does not mind what follows the chunk.
func FindChunk(b []byte, id string) (off int, data []byte, ok bool) {
	form, ok := iffForm(b)
	if !ok || len(form) < 4 {
		return 0, nil, false
	}
	for p := 4; len(form)-p >= 8; {
		n := uint64(binary.BigEndian.Uint32(form[p+4:]))
		cid := string(form[p : p+4])
		p += 8
		if n > uint64(len(form)-p) {
			return 0, nil, false
		}
		if cid == id {
			return 8 + p, form[p : p+int(n)], true
		}
		if p += int(n+3) &^ 3; p > len(form) {
			break
		}
	}
	return 0, nil, false
}
