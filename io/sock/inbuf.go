package sock

import "github.com/beamrd/beamrd/vm/port"

// inBuf holds what was read and not delivered. limit is how much it may hold at
// present: the option buffer, or more when a packet that has begun is longer.
type inBuf struct {
	b      []byte // from the start; b[start:end] is data
	start  int
	end    int
	limit  int
	remain int  // bytes to read before there can be a packet; 0: not known
	on     bool // in use, even if empty
	full   bool // the last read filled all of the room
	spare  []byte
}

// maxSpare is the largest buffer that is kept for the next time.
const maxSpare = 64 << 10

// alloc begins with an empty buffer.
func (i *inBuf) alloc(n int) {
	if len(i.spare) >= n {
		i.b, i.spare = i.spare, nil
	} else {
		i.b = make([]byte, n)
	}
	i.start, i.end, i.limit, i.on = 0, 0, n, true
}

func (i *inBuf) clear() {
	spare := i.spare
	if len(i.b) <= maxSpare && len(i.b) > len(spare) {
		spare = i.b
	}
	*i = inBuf{spare: spare}
}

func (i *inBuf) data() []byte { return i.b[i.start:i.end] }
func (i *inBuf) size() int    { return i.end - i.start }

// compact moves the data to the start.
func (i *inBuf) compact() {
	if i.start > 0 {
		copy(i.b, i.b[i.start:i.end])
		i.start, i.end = 0, i.end-i.start
	}
}

// believed is how much room is made for a packet on the strength of its length
// alone: a peer may promise more than it will ever send.
const believed = 64 << 10

// expand lets the buffer hold n bytes of data. Room for them is made as they
// come.
func (i *inBuf) expand(n int) {
	i.compact()
	if i.limit < n {
		i.limit = n
		i.grow(min(n, believed))
	}
}

// grow makes room for n bytes of data.
func (i *inBuf) grow(n int) {
	if len(i.b) < n {
		b := make([]byte, n)
		copy(b, i.b[:i.end])
		i.b = b
	}
}

// room returns where up to n bytes are to be read to. A full buffer is made
// twice as large, as far as it may be.
func (i *inBuf) room(n int) []byte {
	if i.end == len(i.b) {
		i.grow(min(i.limit, max(2*i.end, believed)))
	}
	return i.b[i.end:min(i.end+n, len(i.b))]
}

// push puts bytes back in front.
func (i *inBuf) push(b []byte) {
	n := len(b) + i.size()
	nb := make([]byte, n, n+i.limit)
	copy(nb, b)
	copy(nb[len(b):], i.data())
	limit := i.limit
	if i.on {
		limit += len(b)
	} else {
		limit = len(b)
	}
	if len(nb) < limit {
		nb = append(nb, make([]byte, limit-len(nb))...)
	}
	i.b, i.start, i.end, i.limit, i.remain, i.on = nb, 0, n, limit, 0, true
}

// outQueue holds what is to be written.
type outQueue struct {
	bufs   [][]byte
	size   int
	gone   uint64 // bytes that have left the front
	leases []lease
}

// lease is what was lent for bytes of the queue that end at a position, counted
// as gone is.
type lease struct {
	end  uint64
	lent port.Lease
}

func (q *outQueue) clear() {
	for _, l := range q.leases {
		l.lent.Release()
	}
	*q = outQueue{}
}

// hold keeps what was lent until all that is in the queue has left it.
func (q *outQueue) hold(l port.Lease) {
	q.leases = append(q.leases, lease{q.gone + uint64(q.size), l})
}

// put appends buffers from an offset on.
func (q *outQueue) put(bufs [][]byte, skip int) {
	for _, b := range bufs {
		if skip >= len(b) {
			skip -= len(b)
			continue
		}
		q.bufs = append(q.bufs, b[skip:])
		q.size += len(b) - skip
		skip = 0
	}
}

// drop removes n bytes from the front.
func (q *outQueue) drop(n int) {
	q.size -= n
	q.gone += uint64(n)
	i := 0
	for ; n > 0; i++ {
		if n < len(q.bufs[i]) {
			q.bufs[i] = q.bufs[i][n:]
			break
		}
		n -= len(q.bufs[i])
		q.bufs[i] = nil
	}
	q.bufs = q.bufs[i:]
	if q.size == 0 {
		q.bufs = nil
	}
	for len(q.leases) > 0 && q.leases[0].end <= q.gone {
		q.leases[0].lent.Release()
		q.leases = q.leases[1:]
	}
}
