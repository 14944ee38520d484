package observe

import (
	"runtime"
	"strconv"

	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/code"
)

// ownFigures are those that no other Erlang has.
func ownFigures(version string) []figure {
	c := &sysconf.C
	fs := []figure{
		{"build_info", "The versions of the node, as labels.", gauge, []string{"version", "otp_release", "erts_version", "goversion"}, func(e emit) {
			e(1, version, c.Release, c.ErtsVersion, runtime.Version())
		}},
		{"dirty_busy", "Dirty schedulers that are at work.", gauge, []string{"pool"}, func(e emit) {
			e(float64(dirty.CPU.Busy()), "cpu")
			e(float64(dirty.IO.Busy()), "io")
		}},
		{"modules", "Loaded modules.", gauge, nil, func(e emit) { e(float64(len(code.LoadedModules()))) }},
		{"offheap_bytes", "Memory outside the Go heap, by what it is for.", gauge, []string{"purpose"}, func(e emit) {
			for _, p := range offheap.Purposes() {
				n, _ := offheap.Usage(p)
				e(float64(n), p.String())
			}
		}},
		{"offheap_blocks", "Blocks of memory outside the Go heap, by what they are for.", gauge, []string{"purpose"}, func(e emit) {
			for _, p := range offheap.Purposes() {
				_, n := offheap.Usage(p)
				e(float64(n), p.String())
			}
		}},
	}
	return append(fs, schedulerFigures()...)
}

// schedulerFigures tell what each scheduler does; the label is its number as
// system_info(scheduler_id) shows it.
func schedulerFigures() []figure {
	each := func(f func(i int) float64) func(emit) {
		return func(e emit) {
			for i := range sched.Count() {
				e(f(i), strconv.Itoa(i+1))
			}
		}
	}
	label := []string{"scheduler"}
	return []figure{
		{"scheduler_active_seconds_total", "Time that a scheduler has worked, or looked for work.", counter, label, each(func(i int) float64 {
			a, _ := sched.WallTime(i)
			return float64(a) / 1e9
		})},
		{"scheduler_wall_seconds_total", "Time since a scheduler started.", counter, label, each(func(i int) float64 {
			_, t := sched.WallTime(i)
			return float64(t) / 1e9
		})},
		{"scheduler_run_queue_length", "Processes that wait for a scheduler.", gauge, label, func(e emit) {
			for i, n := range sched.Queued() {
				e(float64(n), strconv.Itoa(i+1))
			}
		}},
		{"scheduler_steals_total", "Times that a scheduler took processes of another.", counter, nil, func(e emit) { e(float64(sched.Totals().Steals)) }},
		{"scheduler_parks_total", "Times that a scheduler went to sleep.", counter, nil, func(e emit) { e(float64(sched.Totals().Parks)) }},
		{"scheduler_wakes_total", "Times that a scheduler was woken by another thread.", counter, nil, func(e emit) { e(float64(sched.Totals().Wakes)) }},
		{"scheduler_slot_hits_total", "Times that a process ran at once after the one that woke it.", counter, nil, func(e emit) { e(float64(sched.Totals().SlotHits)) }},
	}
}
