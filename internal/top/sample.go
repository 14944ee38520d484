package top

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/beamrd/beamrd/dist/etf"
)

// Sample is what a node was like at one moment, and over the time since an
// earlier one.
type Sample struct {
	Node string `json:"node"`
	OTP  string `json:"otp_release"`
	ERTS string `json:"erts_version"`

	Micros   int64 `json:"monotonic_us"` // the node's monotonic time
	UptimeMS int64 `json:"uptime_ms"`

	Processes    int64 `json:"processes"`
	ProcessLimit int64 `json:"process_limit"`
	PortCount    int64 `json:"ports"`
	PortLimit    int64 `json:"port_limit"`
	Atoms        int64 `json:"atoms"`
	AtomLimit    int64 `json:"atom_limit"`
	Tables       int64 `json:"ets_tables"`

	Memory    map[string]int64 `json:"memory"` // bytes, as erlang:memory/0
	RunQueues []int64          `json:"run_queues"`

	// Totals since the node started.
	Reductions  int64 `json:"reductions"`
	Switches    int64 `json:"context_switches"`
	Collections int64 `json:"garbage_collections"`
	BytesIn     int64 `json:"bytes_in"`
	BytesOut    int64 `json:"bytes_out"`
	RuntimeMS   int64 `json:"runtime_ms"`

	// Schedulers over the time that the sample took; empty when it took none.
	Schedulers []Scheduler `json:"schedulers"`

	// PerSecond is relative to the sample before; nil in the first.
	PerSecond *Rates `json:"per_second"`

	Procs []Process  `json:"process_list"`
	Ports []PortInfo `json:"port_list,omitempty"`
}

// Rates are what the totals of a sample grew by in a second.
type Rates struct {
	Seconds     float64 `json:"seconds"` // between the samples
	Reductions  float64 `json:"reductions"`
	Switches    float64 `json:"context_switches"`
	Collections float64 `json:"garbage_collections"`
	BytesIn     float64 `json:"bytes_in"`
	BytesOut    float64 `json:"bytes_out"`
	CPU         float64 `json:"cpu"` // seconds of processor time
}

// Scheduler says how busy a scheduler was: Busy is from 0 to 1.
type Scheduler struct {
	ID   int64   `json:"id"`
	Kind string  `json:"kind"` // normal, dirty_cpu or dirty_io
	Busy float64 `json:"busy"`
}

// Process is a process.
type Process struct {
	Pid        string `json:"pid"`
	Name       string `json:"name,omitempty"` // registered
	Initial    string `json:"initial_call"`
	Current    string `json:"current_function"`
	Status     string `json:"status"`
	Reductions int64  `json:"reductions"`
	Memory     int64  `json:"memory"` // bytes
	Queue      int64  `json:"message_queue_len"`

	// Rate is the reductions a second since the sample before, or since the
	// process was first seen.
	Rate float64 `json:"reductions_per_second"`

	pid etf.Pid
}

// PortInfo is a port.
type PortInfo struct {
	Port      string  `json:"port"`
	Name      string  `json:"name"` // of its driver or program
	Owner     string  `json:"connected"`
	In        int64   `json:"input"`  // bytes
	Out       int64   `json:"output"` // bytes
	Queue     int64   `json:"queue_size"`
	Memory    int64   `json:"memory"`
	RateIn    float64 `json:"input_per_second"`
	RateOut   float64 `json:"output_per_second"`
	RegName   string  `json:"registered_name,omitempty"`
	SystemPID int64   `json:"os_pid,omitempty"`
}

// gather is evaluated on the node, with Wait and WithPorts bound: it measures
// the schedulers for Wait milliseconds and then takes the rest. Everything is
// inside a fun, so that no binding comes back with the value.
const gather = `(fun() ->
  {Busy0, Busy1} = case Wait of
    0 -> {undefined, undefined};
    _ ->
      erlang:system_flag(scheduler_wall_time, true),
      B0 = erlang:statistics(scheduler_wall_time_all),
      receive after Wait -> ok end,
      {B0, erlang:statistics(scheduler_wall_time_all)}
  end,
  {Reductions, _} = erlang:statistics(reductions),
  {Switches, _} = erlang:statistics(context_switches),
  {GCs, _, _} = erlang:statistics(garbage_collection),
  {{input, In}, {output, Out}} = erlang:statistics(io),
  {Wall, _} = erlang:statistics(wall_clock),
  {Runtime, _} = erlang:statistics(runtime),
  [{node, erlang:node()},
   {otp, erlang:system_info(otp_release)},
   {erts, erlang:system_info(version)},
   {micros, erlang:monotonic_time(microsecond)},
   {wall, Wall}, {runtime, Runtime},
   {processes, erlang:system_info(process_count)},
   {process_limit, erlang:system_info(process_limit)},
   {ports, erlang:system_info(port_count)},
   {port_limit, erlang:system_info(port_limit)},
   {atoms, erlang:system_info(atom_count)},
   {atom_limit, erlang:system_info(atom_limit)},
   {tables, erlang:length(ets:all())},
   {memory, erlang:memory()},
   {run_queues, erlang:statistics(run_queue_lengths_all)},
   {reductions, Reductions}, {switches, Switches}, {gcs, GCs}, {in, In}, {out, Out},
   {schedulers, erlang:system_info(schedulers)},
   {dirty_cpu, erlang:system_info(dirty_cpu_schedulers)},
   {busy, {Busy0, Busy1}},
   {procs, [{P, erlang:process_info(P, [registered_name, initial_call, current_function, status,
                                        reductions, memory, message_queue_len])} || P <- erlang:processes()]},
   {port_list, case WithPorts of
      true -> [{P, erlang:port_info(P), erlang:port_info(P, queue_size), erlang:port_info(P, memory)} || P <- erlang:ports()];
      false -> []
    end}]
end)().`

// fields are the values of a property list by their keys.
type fields map[etf.Atom]etf.Term

func fieldsOf(t etf.Term) fields {
	l, _ := t.(etf.List)
	f := make(fields, len(l))
	for _, e := range l {
		if p, ok := e.(etf.Tuple); ok && len(p) == 2 {
			if k, ok := p[0].(etf.Atom); ok {
				f[k] = p[1]
			}
		}
	}
	return f
}

// num returns an integer; one that does not fit is the largest there is.
func num(t etf.Term) int64 {
	switch n := t.(type) {
	case int64:
		return n
	case *big.Int:
		if n.IsInt64() {
			return n.Int64()
		}
		return 1<<63 - 1
	}
	return 0
}

func (f fields) num(k etf.Atom) int64 { return num(f[k]) }

// text returns an atom or a string.
func text(t etf.Term) string {
	switch v := t.(type) {
	case etf.Atom:
		return string(v)
	case etf.Binary:
		return string(v)
	case etf.List:
		rs := make([]rune, len(v))
		for i, c := range v {
			rs[i] = rune(num(c))
		}
		return string(rs)
	}
	return ""
}

// mfa formats {Module, Function, Arity}.
func mfa(t etf.Term) string {
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 3 {
		return ""
	}
	return fmt.Sprintf("%s:%s/%d", etf.Format(v[0]), etf.Format(v[1]), num(v[2]))
}

// pidText is how the node itself writes its pid.
func pidText(p etf.Pid) string { return fmt.Sprintf("<0.%d.%d>", p.ID, p.Serial) }

// decode reads the value of gather.
func decode(t etf.Term) (*Sample, error) {
	f := fieldsOf(t)
	if _, ok := f["procs"].(etf.List); !ok {
		return nil, fmt.Errorf("the node's answer is not understood: %.200s", etf.Format(t))
	}
	s := &Sample{
		Node: text(f["node"]), OTP: text(f["otp"]), ERTS: text(f["erts"]),
		Micros: f.num("micros"), UptimeMS: f.num("wall"), RuntimeMS: f.num("runtime"),
		Processes: f.num("processes"), ProcessLimit: f.num("process_limit"),
		PortCount: f.num("ports"), PortLimit: f.num("port_limit"),
		Atoms: f.num("atoms"), AtomLimit: f.num("atom_limit"), Tables: f.num("tables"),
		Reductions: f.num("reductions"), Switches: f.num("switches"), Collections: f.num("gcs"),
		BytesIn: f.num("in"), BytesOut: f.num("out"), Memory: map[string]int64{},
	}
	for k, v := range fieldsOf(f["memory"]) {
		s.Memory[string(k)] = num(v)
	}
	queues, _ := f["run_queues"].(etf.List)
	for _, q := range queues {
		s.RunQueues = append(s.RunQueues, num(q))
	}
	s.Schedulers = busy(f["busy"], f.num("schedulers"), f.num("dirty_cpu"))
	for _, p := range f["procs"].(etf.List) {
		if p, ok := process(p); ok {
			s.Procs = append(s.Procs, p)
		}
	}
	ports, _ := f["port_list"].(etf.List)
	for _, p := range ports {
		if p, ok := portOf(p); ok {
			s.Ports = append(s.Ports, p)
		}
	}
	return s, nil
}

// busy compares two lists of {Id, Active, Total}. Normal schedulers have the
// first numbers, dirty CPU schedulers the next.
func busy(t etf.Term, normal, dirtyCPU int64) []Scheduler {
	pair, ok := t.(etf.Tuple)
	if !ok || len(pair) != 2 {
		return nil
	}
	before := map[int64][2]int64{}
	each := func(t etf.Term, f func(id, active, total int64)) {
		l, _ := t.(etf.List)
		for _, e := range l {
			if e, ok := e.(etf.Tuple); ok && len(e) == 3 {
				f(num(e[0]), num(e[1]), num(e[2]))
			}
		}
	}
	each(pair[0], func(id, a, t int64) { before[id] = [2]int64{a, t} })
	var r []Scheduler
	each(pair[1], func(id, a, t int64) {
		b, ok := before[id]
		if !ok || t <= b[1] {
			return
		}
		s := Scheduler{ID: id, Kind: "normal", Busy: min(1, max(0, float64(a-b[0])/float64(t-b[1])))}
		if id > normal+dirtyCPU {
			s.Kind = "dirty_io"
		} else if id > normal {
			s.Kind = "dirty_cpu"
		}
		r = append(r, s)
	})
	slices.SortFunc(r, func(a, b Scheduler) int { return cmp.Compare(a.ID, b.ID) })
	return r
}

// process reads {Pid, Info}; false for a process that was gone.
func process(t etf.Term) (p Process, ok bool) {
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 2 {
		return p, false
	}
	if p.pid, ok = v[0].(etf.Pid); !ok {
		return p, false
	}
	if _, ok = v[1].(etf.List); !ok {
		return p, false
	}
	f := fieldsOf(v[1])
	p.Pid, p.Name = pidText(p.pid), text(f["registered_name"])
	p.Initial, p.Current, p.Status = mfa(f["initial_call"]), mfa(f["current_function"]), text(f["status"])
	p.Reductions, p.Memory, p.Queue = f.num("reductions"), f.num("memory"), f.num("message_queue_len")
	return p, true
}

// portOf reads {Port, Info, {queue_size, N}, {memory, N}}; false for a port that
// was closed.
func portOf(t etf.Term) (p PortInfo, ok bool) {
	v, ok := t.(etf.Tuple)
	if !ok || len(v) != 4 {
		return p, false
	}
	id, ok := v[0].(etf.Port)
	if !ok {
		return p, false
	}
	if _, ok = v[1].(etf.List); !ok {
		return p, false
	}
	f, g := fieldsOf(v[1]), fieldsOf(etf.List{v[2], v[3]})
	p = PortInfo{Port: fmt.Sprintf("#Port<0.%d>", id.ID), Name: text(f["name"]), In: f.num("input"), Out: f.num("output"),
		Queue: g.num("queue_size"), Memory: g.num("memory"), RegName: text(f["registered_name"]), SystemPID: f.num("os_pid")}
	if o, ok := f["connected"].(etf.Pid); ok {
		p.Owner = pidText(o)
	}
	return p, true
}
