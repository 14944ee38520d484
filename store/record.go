package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// Keys: "format" names this layout; "generation" holds the number of the last
// change; "module/NAME" an Info, "code/NAME" the bytes of the module.
const (
	formatKey     = "format"
	formatName    = "beamrd modules 1"
	generationKey = "generation"
	infoPrefix    = "module/"
	codePrefix    = "code/"
)

func infoKey(name string) []byte { return []byte(infoPrefix + name) }
func codeKey(name string) []byte { return []byte(codePrefix + name) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends a checksum.
func seal(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var errChecksum = errors.New("the checksum is wrong")

func unseal(b []byte) ([]byte, error) {
	n := len(b) - 4
	if n < 0 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return nil, errChecksum
	}
	return b[:n], nil
}

func encodeGeneration(g uint64) []byte { return seal(binary.BigEndian.AppendUint64(nil, g)) }

func decodeGeneration(b []byte) (uint64, error) {
	b, err := unseal(b)
	if err == nil && len(b) != 8 {
		err = fmt.Errorf("%d bytes where 8 belong", len(b))
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b), nil
}

// encodeInfo writes a record: all of an Info but the name, which is the key's,
// in the order of decodeInfo, big endian, with a checksum.
func encodeInfo(i *Info) []byte {
	b := binary.BigEndian.AppendUint64(nil, i.Generation)
	b = binary.BigEndian.AppendUint32(b, i.Seq)
	b = binary.BigEndian.AppendUint64(b, uint64(i.Loaded.UnixNano()))
	b = binary.BigEndian.AppendUint64(b, uint64(i.Size))
	b = append(append(b, i.Digest[:]...), i.MD5[:]...)
	return seal(append(b, i.File...))
}

const infoSize = 8 + 4 + 8 + 8 + 32 + 16

// decodeInfo reads a record; what cannot be read is Damaged.
func decodeInfo(name string, b []byte) Info {
	b, err := unseal(b)
	if err == nil && len(b) < infoSize {
		err = fmt.Errorf("%d bytes where at least %d belong", len(b), infoSize)
	}
	if err != nil {
		return Info{Name: name, Damaged: "the record: " + err.Error()}
	}
	i := Info{
		Name: name, Generation: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint32(b[8:]),
		Loaded: time.Unix(0, int64(binary.BigEndian.Uint64(b[12:]))), Size: int(binary.BigEndian.Uint64(b[20:])),
		File: string(b[infoSize:]),
	}
	copy(i.Digest[:], b[28:])
	copy(i.MD5[:], b[60:])
	return i
}
