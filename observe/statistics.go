package observe

import (
	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/dirty"
	"github.com/beamrd/beamrd/sched"
	"github.com/beamrd/beamrd/vm/gc"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
)

const wordBytes = 8

// statisticsFigures are those of prometheus_vm_statistics_collector:
// erlang:statistics/1.
func statisticsFigures() []figure {
	return []figure{
		{"bytes_output_total", "Bytes output to ports.", counter, nil, func(e emit) { _, out := port.Traffic(); e(float64(out)) }},
		{"bytes_received_total", "Bytes received through ports.", counter, nil, func(e emit) { in, _ := port.Traffic(); e(float64(in)) }},
		{"context_switches_total", "Context switches since the node started.", counter, nil, func(e emit) { e(float64(sched.Totals().Switches)) }},
		{"dirty_cpu_run_queue_length", "Calls that wait for a dirty CPU scheduler.", gauge, nil, value(dirty.CPU.Queued)},
		{"dirty_io_run_queue_length", "Calls that wait for a dirty I/O scheduler.", gauge, nil, value(dirty.IO.Queued)},
		{"garbage_collection_number_of_gcs_total", "Garbage collections since the node started.", counter, nil, func(e emit) {
			n, _ := gc.Stats()
			e(float64(n))
		}},
		{"garbage_collection_bytes_reclaimed_total", "Bytes reclaimed by garbage collections.", counter, nil, func(e emit) {
			_, words := gc.Stats()
			e(float64(words * wordBytes))
		}},
		{"garbage_collection_words_reclaimed_total", "Words reclaimed by garbage collections.", counter, nil, func(e emit) {
			_, words := gc.Stats()
			e(float64(words))
		}},
		{"reductions_total", "Reductions of all processes.", counter, nil, func(e emit) { e(float64(sched.Totals().Reductions)) }},
		{"run_queues_length", "Processes that wait in the normal run queues.", gauge, nil, func(e emit) {
			n := 0
			for _, l := range sched.Queued() {
				n += l
			}
			e(float64(n))
		}},
		{"runtime_seconds_total", "Processor time of all threads; it may be more than real time.", counter, nil, func(e emit) {
			e(float64(bif.CPUMillis()) / 1e3)
		}},
		{"wallclock_time_seconds_total", "Real time since the node started.", counter, nil, func(e emit) { e(float64(proc.MonotonicNow()) / 1e9) }},
	}
}
