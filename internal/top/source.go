package top

import (
	"context"
	"fmt"
	"time"

	"github.com/beamrd/beamrd/dist/etf"
)

// Caller calls functions of a node; *dist.Conn is one.
type Caller interface {
	Call(ctx context.Context, mod, fun string, args ...etf.Term) (etf.Term, error)
}

// Source takes samples of a node. It keeps the samples before for rates.
type Source struct {
	c        Caller
	forms    etf.Term // gather, parsed by the node
	last     *Sample
	reds     map[etf.Pid]int64  // at the last sample
	initials map[etf.Pid]string // of processes of proc_lib, as far as they were asked for
}

// NewSource prepares for taking samples.
func NewSource(ctx context.Context, c Caller) (*Source, error) {
	s := &Source{c: c, initials: map[etf.Pid]string{}}
	tokens, err := s.ok(ctx, 3, "erl_scan", "string", etf.Chars(gather))
	if err != nil {
		return nil, err
	}
	s.forms, err = s.ok(ctx, 2, "erl_parse", "parse_exprs", tokens)
	return s, err
}

// ok calls a function that returns {ok, Value, …}.
func (s *Source) ok(ctx context.Context, arity int, mod, fun string, arg etf.Term) (etf.Term, error) {
	t, err := s.c.Call(ctx, mod, fun, arg)
	if err != nil {
		return nil, err
	}
	v, isTuple := t.(etf.Tuple)
	if !isTuple || len(v) != arity || v[0] != etf.Term(etf.Atom("ok")) {
		return nil, fmt.Errorf("%s:%s: %.200s", mod, fun, etf.Format(t))
	}
	return v[1], nil
}

// Sample waits and then takes a sample; without a wait nothing is told of the
// schedulers. Rates are over the time since the last call.
func (s *Source) Sample(ctx context.Context, wait time.Duration, ports bool) (*Sample, error) {
	bindings := etf.List{
		etf.Tuple{etf.Atom("Wait"), wait.Milliseconds()},
		etf.Tuple{etf.Atom("WithPorts"), ports},
	}
	t, err := s.c.Call(ctx, "erl_eval", "exprs", s.forms, bindings)
	if err != nil {
		return nil, err
	}
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 3 {
		return nil, fmt.Errorf("erl_eval:exprs: %.200s", etf.Format(t))
	}
	n, err := decode(v[1])
	if err != nil {
		return nil, err
	}
	s.rates(n)
	return n, nil
}

// rates fills in what is relative to the last sample, and makes n the last.
func (s *Source) rates(n *Sample) {
	reds := make(map[etf.Pid]int64, len(n.Procs))
	var seconds float64
	ports := map[string]*PortInfo{}
	if s.last != nil {
		seconds = float64(n.Micros-s.last.Micros) / 1e6
		n.PerSecond = perSecond(s.last, n, seconds)
		for i := range s.last.Ports {
			ports[s.last.Ports[i].Port] = &s.last.Ports[i]
		}
	}
	for i := range n.Procs {
		p := &n.Procs[i]
		reds[p.pid] = p.Reductions
		if seconds > 0 {
			p.Rate = float64(max(0, p.Reductions-s.reds[p.pid])) / seconds
		}
		if in := s.initials[p.pid]; in != "" {
			p.Initial = in
		}
	}
	for i := range n.Ports {
		p := &n.Ports[i]
		if old := ports[p.Port]; old != nil && seconds > 0 {
			p.RateIn, p.RateOut = float64(p.In-old.In)/seconds, float64(p.Out-old.Out)/seconds
		}
	}
	for pid := range s.initials {
		if _, ok := reds[pid]; !ok {
			delete(s.initials, pid)
		}
	}
	s.last, s.reds = n, reds
}

func perSecond(old, n *Sample, seconds float64) *Rates {
	if seconds <= 0 {
		return nil
	}
	r := func(a, b int64) float64 { return float64(max(0, b-a)) / seconds }
	return &Rates{
		Seconds: seconds, Reductions: r(old.Reductions, n.Reductions), Switches: r(old.Switches, n.Switches),
		Collections: r(old.Collections, n.Collections), BytesIn: r(old.BytesIn, n.BytesIn), BytesOut: r(old.BytesOut, n.BytesOut),
		CPU: r(old.RuntimeMS, n.RuntimeMS) / 1000,
	}
}

// procLib is where processes of OTP's behaviours start.
const procLib = "proc_lib:init_p/"

// Translate finds out where processes that proc_lib started really began. Only
// those that are shown are worth the question.
func (s *Source) Translate(ctx context.Context, ps []*Process) error {
	var ask etf.List
	var whose []*Process
	for _, p := range ps {
		if len(p.Initial) > len(procLib) && p.Initial[:len(procLib)] == procLib {
			ask = append(ask, p.pid)
			whose = append(whose, p)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	t, err := s.c.Call(ctx, "lists", "map", etf.Export{Module: "proc_lib", Function: "translate_initial_call", Arity: 1}, ask)
	if err != nil {
		return err
	}
	l, ok := t.(etf.List)
	if !ok || len(l) != len(whose) {
		return fmt.Errorf("lists:map: %.200s", etf.Format(t))
	}
	for i, p := range whose {
		if m := mfa(l[i]); m != "" {
			p.Initial = m
			s.initials[p.pid] = m
		}
	}
	return nil
}
