package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/top"
)

// TestTop looks once at a node of erl and at one of beamrd, in which a process
// has messages and memory.
func TestTop(t *testing.T) {
	const load = `register(heavy, spawn(fun() -> X = lists:seq(1, 200000), receive never -> length(X) end end)), [heavy ! N || N <- lists:seq(1, 500)].`
	for name, erl := range map[string]bool{"erl": true, "beamrd": false} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.expect("$B top one --once", 3, "")
			c.start(erl, "one", "-eval", load)
			// The node may still be booting.
			c.sh(`until $B rpc erlang whereis heavy | grep -q '<'; do sleep 0.05; done`)
			o := c.sh("$B top --json --limit 3 --sort queue --interval 50ms --ports")
			var s top.Sample
			if err := json.Unmarshal([]byte(o.out), &s); err != nil {
				t.Fatalf("%v: %s%s", err, o.out, o.err)
			}
			p := s.Procs[0]
			if len(s.Procs) != 3 || p.Name != "heavy" || p.Queue != 500 || p.Memory < 1<<20 || p.Status != "waiting" {
				t.Errorf("the first of %d processes is %+v", len(s.Procs), p)
			}
			if s.Node != "one@localhost" || s.OTP != "25" || s.PerSecond == nil || len(s.Schedulers) == 0 || len(s.Ports) != 3 || s.Memory["total"] < 1<<20 {
				t.Errorf("%+v", s)
			}
			if !slices.ContainsFunc(s.Ports, func(p top.PortInfo) bool { return p.Owner != "" && p.Name != "" }) {
				t.Errorf("the ports are %+v", s.Ports)
			}
			o = c.sh("$B top one --once --interval 50ms --sort memory --limit 1")
			if lines := strings.Split(o.out, "\n"); o.code != 0 || !strings.HasPrefix(o.out, "one@localhost  OTP 25") ||
				!strings.Contains(lines[len(lines)-2], " heavy ") {
				t.Errorf("%d %s%s", o.code, o.out, o.err)
			}
			c.expect("$B top one --sort size", 2, "beamrd: --sort size is none of reductions, memory, queue, name, pid\n")
			c.expect("$B top one", 2, "beamrd: top needs a terminal; --once and --json do without\n")
		})
	}
}
