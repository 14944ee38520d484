package etf

import "encoding/binary"

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
	if b[0] != tagSmallInteger {
		return nil, d.fail("malformed export")
	}
	return Export{m, f, int(b[1])}, nil
}

// identity reads a pid, port or reference, of the present or an old kind.
func (d *Decoder) identity(tag byte) (Term, error) {
	d.off++
	refs := 1
	if tag == tagNewReference || tag == tagNewerReference {
		b, err := d.take(2)
		if err != nil {
			return nil, err
		}
		if refs = int(binary.BigEndian.Uint16(b)); refs < 1 || refs > maxRefNumbers {
			return nil, d.fail("malformed reference")
		}
	}
	node, err := d.atom()
	if err != nil {
		return nil, err
	}
	creation := 4
	if tag == tagPid || tag == tagPort || tag == tagReference || tag == tagNewReference {
		creation = 1
	}
	ids := 4 * refs
	if tag == tagPid || tag == tagNewPid || tag == tagV4Port {
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
	case tagPid, tagNewPid:
		return Pid{node, be.Uint32(b), be.Uint32(b[4:]), c(b[8:])}, nil
	case tagPort, tagNewPort:
		return Port{node, uint64(be.Uint32(b)), c(b[4:])}, nil
	case tagV4Port:
		return Port{node, be.Uint64(b), c(b[8:])}, nil
	}
	r := Ref{Node: node, Len: uint8(refs)}
	if tag == tagReference {
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
