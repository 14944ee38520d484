package sock

import (
	"encoding/binary"
	"math"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/vm/port"
)

// stats are the counters of getstat.
type stats struct {
	recvOct, sendOct          uint64
	recvCnt, sendCnt          uint64
	recvMax, sendMax          uint64
	recvAvg, recvDvi, sendAvg float64
}

func (s *stats) input(n int) {
	s.recvOct += uint64(n)
	s.recvCnt++
	s.recvMax = max(s.recvMax, uint64(n))
	k := float64(s.recvCnt)
	s.recvAvg += (float64(n) - s.recvAvg) / k
	s.recvDvi += (float64(n) - s.recvAvg - s.recvDvi) / k
}

func (s *stats) output(n int) {
	s.sendOct += uint64(n)
	s.sendCnt++
	s.sendMax = max(s.sendMax, uint64(n))
	s.sendAvg += (float64(n) - s.sendAvg) / float64(s.sendCnt)
}

// Packets implements port.PacketCounter.
func (d *desc) Packets() port.PacketStats {
	s := &d.stat
	return port.PacketStats{
		RecvBytes: s.recvOct, RecvCount: s.recvCnt, RecvMax: s.recvMax, RecvAvg: s.recvAvg, RecvDeviation: math.Abs(s.recvDvi),
		SendBytes: s.sendOct, SendCount: s.sendCnt, SendMax: s.sendMax, SendAvg: s.sendAvg, SendPending: d.self.queued(),
	}
}

// getStat answers the counters asked for.
func (d *desc) getStat(b []byte) (port.Reply, bool) {
	out := []byte{}
	for _, k := range b {
		out = append(out, k)
		s := &d.stat
		v := uint64(0)
		switch k {
		case 1:
			v = s.recvCnt
		case 2:
			v = s.recvMax
		case 3:
			v = uint64(s.recvAvg)
		case 4:
			v = uint64(math.Abs(s.recvDvi))
		case 5:
			v = s.sendCnt
		case 6:
			v = s.sendMax
		case 7:
			v = uint64(s.sendAvg)
		case 8:
			v = uint64(d.self.queued())
		case 9:
			out = binary.BigEndian.AppendUint64(out, s.recvOct)
			continue
		case 10:
			out = binary.BigEndian.AppendUint64(out, s.sendOct)
			continue
		default:
			return port.Reply{}, false
		}
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return okReply(out...), len(out) < maxReply
}

// subscribe answers the length of the queue; when it is not empty, the caller
// is told when it is.
func (d *desc) subscribe(b []byte) port.Reply {
	out := []byte{}
	for _, k := range b {
		if k != 1 {
			return errReply(unix.EINVAL)
		}
		n := d.self.queued()
		if n > 0 {
			d.subs = append(d.subs, d.p.Caller())
		}
		out = binary.BigEndian.AppendUint32(append(out, k), uint32(n))
	}
	return okReply(out...)
}
