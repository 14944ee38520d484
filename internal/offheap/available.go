package offheap

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// bigRequest is the size in bytes from which a request is compared with what
// the machine has. Memory is reserved without the kernel's accounting, so that
// asking for too much would not fail but get the node killed, without a word,
// once the memory is written to.
const bigRequest = 64 << 20

// outOfMemory ends the program. No lock of this package is held.
var outOfMemory = func(n uintptr, p Purpose) {
	fmt.Fprintf(os.Stderr, "beamrd: cannot allocate %d bytes of memory (for %s)\n", n, p)
	os.Exit(1)
}

// SetOutOfMemory replaces what happens when n bytes cannot be had for a
// purpose. The function must not return.
func SetOutOfMemory(f func(n uintptr, p Purpose)) { outOfMemory = f }

// Available returns how many more bytes the machine and the control groups of
// this process can give, as far as they tell; the largest number if they do not.
func Available() uintptr {
	least := uint64(math.MaxUint64)
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		least = min(least, freeOf(string(b)))
	}
	if b, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		least = min(least, groupsLeave("/sys/fs/cgroup", string(b)))
	}
	return uintptr(least)
}

// freeOf reads /proc/meminfo: memory that is free or can be freed, and swap.
func freeOf(meminfo string) uint64 {
	sum, found := uint64(0), false
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "MemAvailable:" && f[0] != "SwapFree:" {
			continue
		}
		if kb, err := strconv.ParseUint(f[1], 10, 53); err == nil {
			sum += kb << 10
			found = found || f[0] == "MemAvailable:"
		}
	}
	if !found {
		return math.MaxUint64
	}
	return sum
}

// groupsLeave returns the least that the limits of a process's control groups
// leave, the group's and those of the groups it lies in. groups is the text of
// /proc/PID/cgroup (lines ID:CONTROLLERS:PATH), root where the groups are
// mounted; version 2, and the memory controller of version 1.
func groupsLeave(root, groups string) uint64 {
	least := uint64(math.MaxUint64)
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		dir, limit, used := root, "memory.max", "memory.current"
		if f[1] != "" {
			if f[1] != "memory" {
				continue
			}
			dir, limit, used = filepath.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"
		}
		for p := filepath.Clean("/" + f[2]); ; p = filepath.Dir(p) {
			most, ok1 := number(filepath.Join(dir, p, limit))
			now, ok2 := number(filepath.Join(dir, p, used))
			if ok1 && ok2 {
				least = min(least, most-min(most, now))
			}
			if p == "/" {
				break
			}
		}
	}
	return least
}

// number reads a file that holds a number, and nothing such as "max".
func number(name string) (uint64, bool) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}
