package loader

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
)

// Prepared modules that were not loaded are worth keeping for a while: a node
// checks a file as a whole before it changes anything, and then is asked to
// load it; what was refused because old code runs is sent again. Code, though,
// belongs to one module instance, with its literals and its place in memory. So
// the cache gives a prepared module away, once, to whoever prepares the same
// bytes.
const keptBytes = 32 << 20 // of code and literals

// kept is an entry of the cache: whoever claims it has the module.
type kept struct {
	p       *Prepared
	claimed atomic.Bool
}

func (k *kept) claim() bool { return !k.claimed.Swap(true) }

var (
	cacheOnce sync.Once
	cache     *ristretto.Cache[string, *kept]
	keptNow   atomic.Int64 // entries not claimed; while there are none nothing is hashed
)

func openCache() {
	c, err := ristretto.NewCache(&ristretto.Config[string, *kept]{
		NumCounters: 10_000, MaxCost: keptBytes, BufferItems: 64,
		// Called for all that leaves the cache or does not get in.
		OnExit: func(k *kept) { k.drop() },
	})
	if err == nil {
		cache = c
	}
}

func (k *kept) drop() {
	if k != nil && k.claim() {
		keptNow.Add(-1)
		k.p.Drop()
	}
}

// Keep keeps a prepared module, of which b are the bytes, for the next Prepare of
// the same bytes, or drops it. It is not the caller's any more.
func (p *Prepared) Keep(b []byte) {
	cacheOnce.Do(openCache)
	if cache == nil || p.Taken() {
		p.Drop()
		return
	}
	sum := sha256.Sum256(b)
	k := &kept{p: p}
	keptNow.Add(1)
	if !cache.Set(string(sum[:]), k, int64(p.mod.CodeSize+p.mod.LitSize)) {
		k.drop()
		return
	}
	cache.Wait()
}

// keptFor returns the module kept for these bytes, or nil.
func keptFor(b []byte) *Prepared {
	if keptNow.Load() == 0 {
		return nil
	}
	sum := sha256.Sum256(b)
	key := string(sum[:])
	k, ok := cache.Get(key)
	if !ok || !k.claim() {
		return nil
	}
	keptNow.Add(-1)
	cache.Del(key)
	return k.p
}

// dropKept empties the cache.
func dropKept() {
	if cache != nil {
		cache.Clear()
	}
}
