// Package cputopo knows processors: which there are (Detect), which the flag
// +sct says there are (Parse), and whether a description makes sense (Verify).
package cputopo

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MaxID is the largest identifier of anything in a topology.
const MaxID = 0xffff

// CPU is a logical processor and where it is. A Node outside the processor, or
// a ProcessorNode inside it, is a NUMA node; -1 means there is none.
type CPU struct{ Node, Processor, ProcessorNode, Core, Thread, Logical int }

// What is wrong with a description, in the words of ERTS.
var (
	ErrID        = errors.New("invalid identifier")
	ErrRange     = errors.New("invalid identifier range")
	ErrHierarchy = errors.New("invalid hierarchy")
	ErrType      = errors.New("invalid identifier type")
	ErrNodes     = errors.New("invalid nodes declaration")
	ErrNoLogical = errors.New("missing logical identifier")
	ErrLogical   = errors.New("not unique logical identifiers")
	ErrEntities  = errors.New("not unique entities")
	ErrMissing   = errors.New("missing cpu topology")
)

// The levels of an entry from the inside out; they must be named in this order.
const (
	logical = iota
	thread
	core
	processorNode
	processor
	node
	levels
)

// Parse reads the value of +sct: entries separated by colons, in each a letter
// (L, t, c, p, n) per level and its identifiers, as "L0-3c0-3p0". The result is
// in order of place.
func Parse(s string) ([]CPU, error) {
	if s == "" {
		return nil, ErrMissing
	}
	var all []CPU
	for s != "" {
		ids, rest, err := entry(s)
		if err != nil {
			return nil, err
		}
		s = rest
		for i, l := range ids[logical] {
			at := func(level int) int {
				if len(ids[level]) == 1 {
					return ids[level][0]
				}
				return ids[level][i]
			}
			all = append(all, CPU{at(node), at(processor), at(processorNode), at(core), at(thread), l})
		}
	}
	return all, Verify(all)
}

// entry reads one entry and the colon behind it.
func entry(s string) (ids [levels][]int, rest string, err error) {
	ids = [levels][]int{thread: {0}, core: {0}, processorNode: {-1}, processor: {0}, node: {-1}}
	last := -1 // the level read before
	for s != "" && s[0] != ':' {
		level := strings.IndexByte("Ltc-pn", s[0])
		if level < 0 || s[0] == '-' {
			level = strings.IndexByte("LTC-PN", s[0])
		}
		if level < 0 || s[0] == '-' {
			return ids, "", ErrType
		}
		entryText, _, _ := strings.Cut(s, ":")
		if level == node && last < processor && strings.ContainsAny(entryText, "pP") {
			level = processorNode
		}
		if level <= last {
			return ids, "", ErrHierarchy
		}
		last = level
		if ids[level], s, err = sequence(s[1:]); err != nil {
			return ids, "", err
		}
	}
	if len(ids[logical]) == 0 {
		return ids, "", ErrNoLogical
	}
	for _, l := range ids[thread:] {
		if len(l) != 1 && len(l) != len(ids[logical]) {
			return ids, "", ErrRange
		}
	}
	return ids, strings.TrimPrefix(s, ":"), nil
}

// sequence reads numbers and ranges between commas.
func sequence(s string) (ids []int, rest string, err error) {
	for {
		from, r, ok := number(s)
		if !ok {
			return nil, "", ErrID
		}
		s = r
		to := from
		if strings.HasPrefix(s, "-") {
			if to, s, ok = number(s[1:]); !ok {
				return nil, "", ErrRange
			}
		}
		step := 1
		if to < from {
			step = -1
		}
		for ; from != to; from += step {
			ids = append(ids, from)
		}
		ids = append(ids, to)
		if !strings.HasPrefix(s, ",") {
			return ids, s, nil
		}
		s = s[1:]
	}
}

func number(s string) (n int, rest string, ok bool) {
	end := 0
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	return n, s[end:], err == nil && n <= MaxID
}

// Verify sorts a topology by place and tells what is wrong with it.
func Verify(all []CPU) error {
	if len(all) == 0 {
		return nil
	}
	seen := make(map[int]bool, len(all))
	for _, c := range all {
		if seen[c.Logical] {
			return ErrLogical
		}
		seen[c.Logical] = true
	}
	slices.SortStableFunc(all, byProcessor)
	for i := range all[1:] {
		if byProcessor(all[i], all[i+1]) == 0 {
			return ErrEntities
		}
	}
	return nodes(all)
}

// nodes checks that either no CPU has a NUMA node or each has one, inside or
// outside its processor, and that a processor does not lie in two.
func nodes(all []CPU) error {
	none := all[0].Node < 0 && all[0].ProcessorNode < 0
	for i := range all[1:] {
		prev, c := all[i], all[i+1]
		inside, outside := c.ProcessorNode >= 0, c.Node >= 0
		if none && (inside || outside) || !none && inside == outside ||
			!none && c.Processor == prev.Processor && c.Node != prev.Node {
			return ErrNodes
		}
	}
	return nil
}

func byProcessor(a, b CPU) int {
	return cmp.Or(a.Processor-b.Processor, a.Node-b.Node, a.ProcessorNode-b.ProcessorNode, a.Core-b.Core, a.Thread-b.Thread)
}

// Detect reads the topology that Linux tells in the folder system (as
// /sys/devices/system); nil when it does not.
func Detect(system string) []CPU {
	dirs, _ := filepath.Glob(filepath.Join(system, "node/node[0-9]*"))
	numa := len(dirs) > 0
	if !numa {
		dirs = []string{filepath.Join(system, "cpu")}
	}
	var all []CPU
	for _, d := range dirs {
		n := -1
		if numa {
			n, _ = strconv.Atoi(strings.TrimPrefix(filepath.Base(d), "node"))
		}
		cpus, _ := filepath.Glob(filepath.Join(d, "cpu[0-9]*"))
		for _, c := range cpus {
			l, err1 := strconv.Atoi(strings.TrimPrefix(filepath.Base(c), "cpu"))
			p, err2 := fileNumber(c + "/topology/physical_package_id")
			k, err3 := fileNumber(c + "/topology/core_id")
			if err := errors.Join(err1, err2, err3); err == nil {
				all = append(all, CPU{n, p, -1, k, 0, l})
			}
		}
	}
	nodesInside(all)
	slices.SortFunc(all, byPlace)
	for i := range all {
		if i > 0 && sameCore(all[i-1], all[i]) {
			all[i].Thread = all[i-1].Thread + 1
		}
	}
	return all
}

// nodesInside makes the nodes of processors that lie in several nodes nodes
// within the processor.
func nodesInside(all []CPU) {
	of, several := map[int]int{}, map[int]bool{}
	for _, c := range all {
		if n, ok := of[c.Processor]; ok && n != c.Node {
			several[c.Processor] = true
		}
		of[c.Processor] = c.Node
	}
	for i, c := range all {
		if several[c.Processor] {
			all[i].Node, all[i].ProcessorNode = -1, c.Node
		}
	}
}

// byPlace orders CPUs from the outside in.
func byPlace(a, b CPU) int {
	return cmp.Or(a.Node-b.Node, a.Processor-b.Processor, a.ProcessorNode-b.ProcessorNode, a.Core-b.Core, a.Logical-b.Logical)
}

func sameCore(a, b CPU) bool {
	a.Thread, a.Logical = b.Thread, b.Logical
	return a == b
}

// fileNumber reads a file that holds a number.
func fileNumber(name string) (int, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
