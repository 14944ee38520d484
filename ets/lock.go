package ets

import "sync"

// rwlock is a reader-writer lock on a cache line of its own. It spins a little
// before it parks, since sections are short and waking a thread is not.
type rwlock struct {
	mu sync.RWMutex
	_  [40]byte
}

const lockSpins = 40

func (l *rwlock) lock(write bool) {
	if write {
		for range lockSpins {
			if l.mu.TryLock() {
				return
			}
		}
		l.mu.Lock()
		return
	}
	for range lockSpins {
		if l.mu.TryRLock() {
			return
		}
	}
	l.mu.RLock()
}

func (l *rwlock) unlock(write bool) {
	if write {
		l.mu.Unlock()
	} else {
		l.mu.RUnlock()
	}
}

// lockKey takes the lock that guards a hash value's bucket.
func (t *Table) lockKey(hash uint32, write bool) *rwlock {
	l := &t.locks[hash&uint32(len(t.locks)-1)]
	l.lock(write)
	return l
}

// lockAll takes every lock of the table, in order.
func (t *Table) lockAll(write bool) {
	for i := range t.locks {
		t.locks[i].lock(write)
	}
}

func (t *Table) unlockAll(write bool) {
	for i := range t.locks {
		t.locks[i].unlock(write)
	}
}
