// Package observe lets others look at a node over HTTP: figures in Prometheus'
// text format, whether the node lives and is ready, and Go's profiles.
//
//	/metrics       figures; see below
//	/healthz       200 when every scheduler passes a safe point in time, else 503
//	/readyz        200 when the boot is done and the node is not stopping, else 503
//	/debug/pprof/  profiles of the Go program (net/http/pprof)
//
// Figures that prometheus.erl knows have its names, labels and types, as of its
// version 6: erlang_vm_memory_*, erlang_vm_statistics_*, erlang_vm_* of
// system_info and erlang_vm_dist_* of connections. What only this node has is
// called beamrd_*; process_* and go_* are those of Prometheus' client.
// Microstate accounting (erlang_vm_msacc_*) and the figures of the processes
// behind a connection (erlang_vm_dist_proc_*) are not there.
//
// Reading never stops or interrupts a scheduler: everything comes from counters
// that the schedulers write anyway. Only the profiles cost something while they
// are taken, and /readyz runs a process of a few hundred reductions.
//
// There is no authentication, so the server listens where only this machine
// reaches it; see Listen.
package observe
