package etf

import (
	"encoding/binary"

	"github.com/beamrd/beamrd/internal/wire"
)

func (d *Decoder) export() (Term, error) {
	d.off++
	m, err := d.atom()
	if err != nil {
		return nil, err
	}
	f, err := d.atom()
	if err != nil {
		return nil, err
	}
	b, err := d.take(2)
	if err != nil {
		return nil, err
	}
	if b[0] != wire.TagSmallInteger {
		return nil, d.fail("malformed export")
	}
	return Export{m, f, int(b[1])}, nil
}

// identity reads a pid, port or reference, of the present or an old kind.
func (d *Decoder) identity(tag byte) (Term, error) {
	d.off++
	refs := 1
	if tag == wire.TagNewReference || tag == wire.TagNewerReference {
		b, err := d.take(2)
		if err != nil {
			return nil, err
		}
		if refs = int(binary.BigEndian.Uint16(b)); refs < 1 || refs > wire.MaxRefNumbers {
			return nil, d.fail("malformed reference")
		}
	}
	node, err := d.atom()
	if err != nil {
		return nil, err
	}
	creation := 4
	if tag == wire.TagPid || tag == wire.TagPort || tag == wire.TagReference || tag == wire.TagNewReference {
		creation = 1
	}
	ids := 4 * refs
	if tag == wire.TagPid || tag == wire.TagNewPid || tag == wire.TagV4Port {
		ids = 8
	}
	b, err := d.take(ids + creation)
	if err != nil {
		return nil, err
	}
	be := binary.BigEndian
	c := func(b []byte) uint32 {
		if creation == 1 {
			return uint32(b[0])
		}
		return be.Uint32(b)
	}
	switch tag {
	case wire.TagPid, wire.TagNewPid:
		return Pid{node, be.Uint32(b), be.Uint32(b[4:]), c(b[8:])}, nil
	case wire.TagPort, wire.TagNewPort:
		return Port{node, uint64(be.Uint32(b)), c(b[4:])}, nil
	case wire.TagV4Port:
		return Port{node, be.Uint64(b), c(b[8:])}, nil
	}
	r := Ref{Node: node, Len: uint8(refs)}
	if tag == wire.TagReference {
		// The number comes before the creation here.
		r.ID[0], r.Creation = be.Uint32(b), c(b[4:])
		return r, nil
	}
	r.Creation = c(b)
	for i := range refs {
		r.ID[i] = be.Uint32(b[creation+4*i:])
	}
	return r, nil
}
