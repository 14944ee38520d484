package node

import (
	"fmt"
	"strings"

	"github.com/beamrd/beamrd/internal/cputopo"
)

// pair reads "N", "N:M" or ":M" as sscanf does. has tells which were there.
func pair(v string) (a, b int, hasA, hasB, ok bool) {
	if n, err := fmt.Sscanf(v, "%d:%d", &a, &b); n == 2 && err == nil {
		return a, b, true, true, true
	}
	if n, _ := fmt.Sscanf(v, "%d", &a); n == 1 {
		return a, 0, true, false, true
	}
	if n, _ := fmt.Sscanf(v, ":%d", &b); n == 1 {
		return 0, b, false, true, true
	}
	return 0, 0, false, false, false
}

func (p *emuParser) schedFlag(rest, a string) error {
	c := p.c
	switch {
	case strings.HasPrefix(rest, "P"):
		return p.percent(rest[1:], "bad schedulers percentage specifier %s", &p.schedPct, &p.onlinePct)
	case strings.HasPrefix(rest, "DPcpu"):
		return p.percent(rest[5:], "bad dirty CPU schedulers percentage specifier %s", &p.dirtyPct, &p.dirtyOnlinePct)
	case strings.HasPrefix(rest, "Dcpu"):
		v, err := p.value(rest[4:])
		if err != nil {
			return err
		}
		tot, onl, ok := p.count(v, &c.DirtyCPU, &c.DirtyCPUOnline)
		if !ok {
			return emuUsage("bad amount of dirty CPU schedulers %s", v)
		}
		if c.DirtyCPU < 1 || c.DirtyCPU > maxSchedulers {
			return emuUsage("bad amount of dirty CPU schedulers %d", tot)
		}
		if c.DirtyCPUOnline < 1 || c.DirtyCPU < c.DirtyCPUOnline {
			return emuUsage("bad amount of dirty CPU schedulers online %d (total amount of dirty CPU schedulers %d)", onl, c.DirtyCPU)
		}
		return nil
	case strings.HasPrefix(rest, "Dio"):
		return p.number(rest[3:], "bad number of dirty I/O schedulers", 1, maxThreads, &c.DirtyIO)
	case strings.HasPrefix(rest, "D"):
		return emuUsage("bad or missing dirty scheduler specifier: %s", a)
	}
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	tot, _, ok := p.count(v, &c.Schedulers, &c.Online)
	if !ok {
		return emuUsage("bad amount of schedulers %s", v)
	}
	if c.Schedulers < 1 || c.Schedulers > maxSchedulers {
		return emuUsage("bad amount of schedulers %d", tot)
	}
	if c.Online < 1 || c.Schedulers < c.Online {
		return emuUsage("bad amount of schedulers online %d (total amount of schedulers %d)", c.Online, c.Schedulers)
	}
	return nil
}

// count reads a total and a number online; values below 1 count from the
// default.
func (p *emuParser) count(v string, total, online *int) (tot, onl int, ok bool) {
	tot, onl, hasTot, hasOnl, ok := pair(v)
	if !ok {
		return 0, 0, false
	}
	n := numCPU()
	if !hasTot {
		tot = n
	}
	if !hasOnl {
		onl = min(tot, *online)
	}
	if *total = tot; tot <= 0 {
		*total = n + tot
	}
	if *online = onl; onl <= 0 {
		*online = n + onl
	}
	return tot, onl, true
}

func (p *emuParser) percent(rest, what string, total, online *int) error {
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	tot, onl, hasTot, hasOnl, ok := pair(v)
	if !hasTot {
		tot = 100
	}
	if !hasOnl {
		onl = min(tot, 100)
	}
	if !ok || tot < 0 || onl < 0 {
		return emuUsage(what, v)
	}
	*total, *online = tot, onl
	return nil
}

// schedulers applies the percentages and the bounds between the counts.
func (p *emuParser) schedulers() error {
	c := p.c
	c.AsyncThreads = max(1, c.AsyncThreads)
	if p.schedPct != 100 || p.onlinePct != 100 {
		c.Schedulers = max(1, c.Schedulers*p.schedPct/100)
		c.Online = max(1, c.Online*p.onlinePct/100)
		if c.Schedulers > maxSchedulers {
			return emuUsage("bad schedulers percentage %d (total amount of schedulers %d)", p.schedPct, c.Schedulers)
		}
		if c.Schedulers < c.Online {
			return emuUsage("bad schedulers online percentage %d (total amount of schedulers %d, online %d)", p.onlinePct, c.Schedulers, c.Online)
		}
	}
	c.DirtyCPU = c.DirtyCPU * p.dirtyPct / 100
	c.DirtyCPUOnline = c.DirtyCPUOnline * p.dirtyOnlinePct / 100
	c.DirtyCPU = max(1, min(c.DirtyCPU, c.Schedulers))
	c.DirtyCPUOnline = max(1, min(c.DirtyCPUOnline, c.Online))
	return nil
}

var (
	busyWait   = []string{"none", "very_short", "short", "medium", "long", "very_long"}
	wakeup     = []string{"very_low", "low", "medium", "high", "very_high"}
	cleanup    = []string{"very_lazy", "lazy", "medium", "eager", "very_eager"}
	bindTypes  = map[string]string{"u": "unbound", "ns": "no_spread", "ts": "thread_spread", "ps": "processor_spread", "s": "spread", "nnts": "no_node_thread_spread", "nnps": "no_node_processor_spread", "tnnps": "thread_no_node_processor_spread", "db": "thread_no_node_processor_spread"}
	stackFlags = []struct{ name, what string }{
		{"ssdcpu", "bad stack size for dirty CPU scheduler threads"},
		{"ssdio", "bad stack size for dirty IO scheduler threads"},
		{"ss", "bad stack size for scheduler threads"},
	}
	wordFlags = []struct {
		name, what string
		words      []string
	}{
		{"bwtdcpu", "bad dirty CPU scheduler busy wait threshold: %s", busyWait},
		{"bwtdio", "bad dirty IO scheduler busy wait threshold: %s", busyWait},
		{"bwt", "bad scheduler busy wait threshold: %s", busyWait},
		{"cl", "bad scheduler compact load value '%s'", []string{"true", "false"}},
		{"wct", "scheduler wake cleanup threshold: %s", cleanup},
		{"wtdcpu", "dirty CPU scheduler wakeup threshold: %s", wakeup},
		{"wtdio", "dirty IO scheduler wakeup threshold: %s", wakeup},
		{"wt", "scheduler wakeup threshold: %s", wakeup},
		{"ws", "scheduler wakeup strategy: %s", []string{"default", "legacy"}},
		{"ub", "bad scheduler utilization balancing  value '%s'", []string{"true", "false"}},
	}
)

// sched reads +s flags. Go's threads are not ours to bind, spin or size, so
// most are only checked.
func (p *emuParser) sched(rest, a string) error {
	c := p.c
	switch {
	case strings.HasPrefix(rest, "bt"), strings.HasPrefix(rest, "tbt"):
		v, err := p.value(strings.TrimPrefix(strings.TrimPrefix(rest, "t"), "bt"))
		if err != nil {
			return err
		}
		if _, ok := bindTypes[v]; !ok {
			return emuUsage("setting scheduler bind type '%s' failed: invalid type", v)
		}
		return nil
	case strings.HasPrefix(rest, "ct"):
		return p.topology(rest[2:])
	case strings.HasPrefix(rest, "ecio"):
		_, err := p.value(rest[4:])
		return err
	case strings.HasPrefix(rest, "pp"):
		return p.boolean(rest[2:], "bad port parallelism scheduling hint %s", &c.PortParallelism)
	case strings.HasPrefix(rest, "fwi"):
		return p.number(rest[3:], "bad scheduler forced wakeup interval", 0, 1<<31-1, nil)
	case strings.HasPrefix(rest, "srct"):
		c.SkipTopology = true
		return nil
	}
	for _, f := range stackFlags {
		if strings.HasPrefix(rest, f.name) {
			return p.number(rest[len(f.name):], f.what, minStackKW, maxStackKW, nil)
		}
	}
	for _, f := range wordFlags {
		if strings.HasPrefix(rest, f.name) {
			_, err := p.choice(rest[len(f.name):], f.what, f.words...)
			return err
		}
	}
	return emuUsage("bad scheduling option %s", a)
}

// topology reads +sct, which stands for what the system would tell.
func (p *emuParser) topology(rest string) error {
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	if p.c.CPUTopology, err = cputopo.Parse(v); err != nil {
		return emuUsage("bad cpu topology '%s': %v", v, err)
	}
	p.c.SkipTopology = true
	return nil
}
