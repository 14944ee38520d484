package proc

import (
	"math/rand/v2"
	"testing"

	"github.com/beamrd/beamrd/internal/offheap"
)

// TestWheelFiresOnTime sets timers near and far, cancels some, and advances by
// uneven steps: each must fire once, in the step that reaches its tick.
func TestWheelFiresOnTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	w := &wheel{}
	w.publish()
	want := map[*Timer]int64{}
	for step := 0; step < 3000; step++ {
		for range r.IntN(4) {
			tm := offheap.New[Timer](offheap.Proc)
			tm.due = w.cur + 1 + r.Int64N(1<<(1+r.IntN(30)))
			want[tm] = tm.due
			w.add(tm)
		}
		for tm := range want {
			if r.IntN(50) == 0 {
				w.take(tm)
				delete(want, tm)
			}
			break
		}
		from, to := w.cur, w.cur+r.Int64N(1<<(1+r.IntN(22)))
		w.advance(to, func(tm *Timer) {
			due, ok := want[tm]
			if !ok {
				t.Fatal("a timer fired that was not set")
			}
			if due <= from || due > to || w.cur != due {
				t.Fatalf("due at %d fired at %d in the step (%d,%d]", due, w.cur, from, to)
			}
			delete(want, tm)
		})
		for _, due := range want {
			if due <= to {
				t.Fatalf("due at %d has not fired at %d", due, to)
			}
			if w.next.Load() > due*tickNanos {
				t.Fatalf("the wheel says %d, but a timer is due at %d", w.next.Load()/tickNanos, due)
			}
		}
	}
}

// TestTree compares a tree with a map under random changes.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var root *Node
	have := map[Key]*Node{}
	for range 20000 {
		k := Key{r.Uint64N(300), r.Uint64N(3)}
		switch n := find(root, k); {
		case n != have[k]:
			t.Fatalf("find %v", k)
		case n == nil:
			n = newNode(nodeLink, k, 0)
			insert(&root, n)
			have[k] = n
		case r.IntN(2) == 0:
			if remove(&root, k) != n {
				t.Fatalf("remove %v", k)
			}
			n.free()
			delete(have, k)
		}
	}
	var last *Key
	count := 0
	each(root, func(n *Node) {
		if last != nil && !last.less(n.key) {
			t.Fatal("out of order")
		}
		last = &n.key
		count++
	})
	if count != len(have) {
		t.Fatalf("%d nodes, want %d", count, len(have))
	}
	for root != nil {
		takeMin(&root).free()
		count--
	}
	if count != 0 {
		t.Fatal("takeMin lost nodes")
	}
}
