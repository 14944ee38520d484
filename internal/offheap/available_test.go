package offheap

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestFreeOf(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal: 9 kB\nMemAvailable:  100 kB\nSwapFree:   20 kB\n": 120 << 10,
		"MemAvailable: 7 kB\n":       7 << 10,
		"MemTotal: 9 kB\n":           math.MaxUint64,
		"MemAvailable: x kB\n":       math.MaxUint64,
		"MemAvailable:\nSwapFree: 1": math.MaxUint64,
	} {
		if got := freeOf(text); got != want {
			t.Errorf("freeOf(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestGroupsLeave(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("a/b/memory.max", "max\n")
	put("a/b/memory.current", "50\n")
	put("a/memory.max", "1000\n")
	put("a/memory.current", "300\n")
	put("over/memory.max", "1000\n")
	put("over/memory.current", "3000\n")
	put("memory/v1/memory.limit_in_bytes", "90\n")
	put("memory/v1/memory.usage_in_bytes", "50\n")
	for groups, want := range map[string]uint64{
		"0::/a/b\n":                         700,
		"0::/over\n":                        0,
		"0::/nosuch\n":                      math.MaxUint64,
		"4:memory:/v1\n3:cpu:/a\n0::/a/b\n": 40,
		"0::/../../a\n":                     700,
		"junk":                              math.MaxUint64,
	} {
		if got := groupsLeave(root, groups); got != want {
			t.Errorf("groupsLeave(%q) = %d, want %d", groups, got, want)
		}
	}
}
