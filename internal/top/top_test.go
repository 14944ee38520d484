package top

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/beamrd/beamrd/dist/etf"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files")

func a(s string) etf.Atom { return etf.Atom(s) }

func kv(k string, v etf.Term) etf.Tuple { return etf.Tuple{a(k), v} }

// node answers as a node does; what it tells grows with each sample.
type node struct {
	samples int64
	waits   []int64
	fail    error
}

func (n *node) Call(_ context.Context, mod, fun string, args ...etf.Term) (etf.Term, error) {
	if n.fail != nil {
		return nil, n.fail
	}
	switch mod + ":" + fun {
	case "erl_scan:string":
		return etf.Tuple{a("ok"), etf.List{}, int64(1)}, nil
	case "erl_parse:parse_exprs":
		return etf.Tuple{a("ok"), a("forms")}, nil
	case "lists:map":
		r := etf.List{}
		for range args[1].(etf.List) {
			r = append(r, etf.Tuple{a("gen_server"), a("begin at"), int64(2)})
		}
		return r, nil
	case "erl_eval:exprs":
		n.samples++
		f := fieldsOf(args[1])
		n.waits = append(n.waits, num(f["Wait"]))
		return etf.Tuple{a("value"), n.sample(f["WithPorts"] == etf.Term(true)), etf.List{}}, nil
	}
	return nil, errors.New("undef " + mod + ":" + fun)
}

func (n *node) sample(ports bool) etf.Term {
	k := n.samples
	busy := func(id, a, t int64) etf.Tuple { return etf.Tuple{id, a, t} }
	proc := func(id uint32, name, cur string, reds, mem, q int64) etf.Term {
		registered := etf.Term(etf.List{})
		if name != "" {
			registered = a(name)
		}
		return etf.Tuple{etf.Pid{Node: "n@h", ID: id}, etf.List{
			kv("registered_name", registered), kv("initial_call", etf.Tuple{a("proc_lib"), a("init_p"), int64(5)}),
			kv("current_function", etf.Tuple{a("gen_server"), a(cur), int64(7)}), kv("status", a("waiting")),
			kv("reductions", reds), kv("memory", mem), kv("message_queue_len", q)}}
	}
	list := etf.List{}
	if ports {
		list = etf.List{
			etf.Tuple{etf.Port{Node: "n@h", ID: 7}, etf.List{kv("name", etf.Chars("tcp_inet")), kv("connected", etf.Pid{Node: "n@h", ID: 9}),
				kv("input", k*1000), kv("output", k*10)}, kv("queue_size", int64(3)), kv("memory", int64(40))},
			etf.Tuple{etf.Port{Node: "n@h", ID: 8}, a("undefined"), a("undefined"), a("undefined")},
		}
	}
	return etf.List{
		kv("node", a("n@h")), kv("otp", etf.Chars("25")), kv("erts", etf.Chars("13.1.5")), kv("micros", k*1_000_000),
		kv("wall", 90_061_000*k), kv("runtime", k*500), kv("processes", int64(4)), kv("process_limit", int64(262144)),
		kv("ports", int64(2)), kv("port_limit", int64(65536)), kv("atoms", int64(9000)), kv("atom_limit", int64(1048576)),
		kv("tables", int64(20)), kv("memory", etf.List{kv("total", int64(9<<20)), kv("processes", int64(4<<20)), kv("code", int64(1500))}),
		kv("run_queues", etf.List{int64(1), int64(0), int64(0)}), kv("reductions", k*1_234_567), kv("switches", k*100), kv("gcs", k),
		kv("in", k*2048), kv("out", int64(0)), kv("schedulers", int64(2)), kv("dirty_cpu", int64(1)),
		kv("busy", etf.Tuple{etf.List{busy(1, 0, 0), busy(2, 0, 0), busy(3, 0, 0), busy(4, 0, 0)},
			etf.List{busy(2, 50, 100), busy(1, 100, 100), busy(3, 0, 100), busy(4, 25, 100)}}),
		kv("procs", etf.List{
			proc(1, "init", "loop", 100, 5000, 0),
			proc(2, "", "loop", 1000*k, 900, 0),
			proc(3, "evil\x1b[2Jname", "loop", 500*k*k, 70000, 12),
			proc(4, "日本語の名前", "loop", 1, 1, 0),
			etf.Tuple{etf.Pid{Node: "n@h", ID: 5}, a("undefined")},
		}),
		kv("port_list", list),
	}
}

// golden compares with testdata/NAME.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile("testdata/"+name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

func TestOnce(t *testing.T) {
	for name, v := range map[string]View{
		"processes.txt": {Sort: ByReductions},
		"memory.txt":    {Sort: ByMemory, Reverse: true},
		"ports.txt":     {Ports: true},
	} {
		var b bytes.Buffer
		v.Interval = time.Second
		s, err := Once(t.Context(), &node{}, &v, 0)
		if err != nil {
			t.Fatal(err)
		}
		v.Text(s, &b, 120)
		golden(t, name, b.Bytes())
	}
}

func TestJSON(t *testing.T) {
	n := &node{}
	s, err := Once(t.Context(), n, &View{Ports: true, Interval: 2 * time.Second}, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "once.json", append(b, '\n'))
	if len(n.waits) != 2 || n.waits[0] != 0 || n.waits[1] != 2000 {
		t.Errorf("the node waited %v", n.waits)
	}
}

// TestFrames has screens of all sizes: no line may be too long, nor too many.
func TestFrames(t *testing.T) {
	src, err := NewSource(t.Context(), &node{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := src.Sample(t.Context(), 0, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		s.Schedulers = append(s.Schedulers, Scheduler{Kind: "normal", ID: 7, Busy: 0.5})
	}
	for width := 1; width < 200; width += 7 {
		for height := 1; height < 40; height++ {
			for _, ports := range []bool{false, true} {
				v := View{Ports: ports, Offset: 3}
				lines, _ := v.Frame(s, width, height)
				if len(lines) > height {
					t.Fatalf("%d lines in %d", len(lines), height)
				}
				for _, l := range lines {
					if l = plain(l); runewidth.StringWidth(l) > width || strings.ContainsRune(l, 0x1b) {
						t.Fatalf("%d columns: %q", width, l)
					}
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	keys, rest := splitKeys([]byte("rq\x1b[A\x1bOB\x1b[5~\x1b[1~x\x1b["))
	if got := strings.Join(keys, " "); got != "r q "+keyUp+" "+keyDn+" "+pgUp+" "+home+" x" || string(rest) != "\x1b[" {
		t.Errorf("%q, rest %q", got, rest)
	}
	v := View{Interval: time.Second}
	for _, k := range []string{"m", "i", "t", "+", " ", keyDn, pgDn} {
		if v.Press(k, 10) {
			t.Errorf("%q quits", k)
		}
	}
	if v.Sort != ByMemory || !v.Reverse || !v.Ports || v.Interval != 2*time.Second || !v.Paused || v.Offset != 11 {
		t.Errorf("%+v", v)
	}
	if from, to := v.Shown(5, 3); from != 2 || to != 5 {
		t.Errorf("shown %d to %d", from, to)
	}
	for _, k := range []string{"q", "\x03"} {
		if !v.Press(k, 10) {
			t.Errorf("%q does not quit", k)
		}
	}
}
