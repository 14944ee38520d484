package node

import (
	"fmt"
	"io"
	"strings"
)

// erlexecUsage is what follows a refused command line of `erl`.
const erlexecUsage = "Usage: erl [-version] [-sname NAME | -name NAME] [-noshell] [-noinput] [-env VAR VALUE] " +
	"[-compile file ...] [-make] [-man [manopts] MANPAGE] [-x] [-emu_args] [-start_epmd BOOLEAN] " +
	"[-emu_type TYPE] [-emu_flavor FLAVOR] [-args_file FILENAME] [+A THREADS] [+a SIZE] [+B[c|d|i]] " +
	"[+c [BOOLEAN]] [+C MODE] [+dcg DECENTRALIZED_COUNTER_GROUPS_LIMIT] [+h HEAP_SIZE_OPTION] " +
	"[+J[Pperf] JIT_OPTION] [+M<SUBSWITCH> <ARGUMENT>] [+P MAX_PROCS] [+Q MAX_PORTS] [+R COMPAT_REL] " +
	"[+r] [+rg READER_GROUPS_LIMIT] [+s<SUBSWITCH> SCHEDULER_OPTION] " +
	"[+S NO_SCHEDULERS:NO_SCHEDULERS_ONLINE] [+SP PERCENTAGE_SCHEDULERS:PERCENTAGE_SCHEDULERS_ONLINE] " +
	"[+T LEVEL] [+V] [+v] [+W<i|w|e>] [+z MISC_OPTION] [args ...]\n"

// emuFlagHelp lists the emulator's flags: flag, argument, meaning.
var emuFlagHelp = [][3]string{
	{"-a", "size", "stack size of async threads in kilo words, 16 to 8192 (checked only)"},
	{"-A", "number", "async threads, 1 to 1024 (checked only)"},
	{"-B", "[c|d|i]", "Ctrl-C: c interrupts the shell, d or nothing ends the node, i is ignored"},
	{"-c", "bool", "time correction"},
	{"-C", "mode", "no_time_warp | single_time_warp | multi_time_warp"},
	{"-d", "", "no crash dump for internal errors"},
	{"-dcg", "number", "groups of decentralized counters (checked only)"},
	{"-fn", "u|a|l", "how file names are interpreted"},
	{"-hms", "size", "minimum heap size in words"},
	{"-hmbs", "size", "minimum virtual binary heap size in words"},
	{"-hmax", "size", "maximum heap size in words"},
	{"-hmaxk", "bool", "kill at the maximum heap size"},
	{"-hmaxel", "bool", "report at the maximum heap size"},
	{"-hpds", "size", "initial size of process dictionaries"},
	{"-hmqd", "val", "message queue data: off_heap | on_heap"},
	{"-IOp", "number", "poll sets"},
	{"-IOt", "number", "poll threads"},
	{"-IOPp", "number", "poll sets in percent of the poll threads"},
	{"-IOPt", "number", "poll threads in percent of the schedulers"},
	{"-i", "module", "boot module"},
	{"-J", "option", "JIT options (checked only)"},
	{"-M", "<X> <Y>", "memory allocators (checked only)"},
	{"-n", "s|a|d", "signals to ports (checked only)"},
	{"-pc", "set", "printable characters: latin1 | unicode"},
	{"-P", "number", "maximum number of processes, 1024 to 134217727"},
	{"-Q", "number", "maximum number of ports, 1024 to 134217727"},
	{"-R", "number", "compatibility release"},
	{"-r", "", "move ets blocks on reallocation (checked only)"},
	{"-rg", "amount", "reader groups (checked only)"},
	{"-s", "<X> <Y>", "scheduling: bt bwt bwtdcpu bwtdio cl ct ecio fwi pp srct ss ssdcpu ssdio tbt ub wct ws wt wtdcpu wtdio"},
	{"-S", "n1:n2", "schedulers and schedulers online, 1 to 1024"},
	{"-SP", "p1:p2", "the same in percent"},
	{"-SDcpu", "n1:n2", "dirty CPU schedulers and those online, 1 to 1024"},
	{"-SDPcpu", "p1:p2", "the same in percent"},
	{"-SDio", "n", "dirty I/O schedulers, 1 to 1024"},
	{"-t", "size", "maximum number of atoms, 8192 to 2147483647"},
	{"-T", "number", "modified timing level, 0 to 9"},
	{"-V", "", "print the version"},
	{"-W", "i|w|e", "mapping of warnings"},
	{"-zdbbl", "size", "distribution buffer busy limit in kilobytes"},
	{"-zdntgc", "time", "delay of node table collection in seconds, or infinity"},
	{"-zebwt", "val", "ets busy wait (checked only)"},
	{"-zosrl", "number", "outstanding requests of system processes"},
}

// printUsage writes what a refused command line shows.
func printUsage(w io.Writer, e *UsageError, emuName string) {
	io.WriteString(w, e.Msg)
	switch {
	case e.Bare:
	case e.Erlexec:
		io.WriteString(w, erlexecUsage)
	default:
		var b strings.Builder
		fmt.Fprintf(&b, "Usage: %s [flags] [ -- [init_args] ]\nThe flags are:\n\n", emuName)
		for _, f := range emuFlagHelp {
			fmt.Fprintf(&b, "%-14s %s\n", f[0]+" "+f[1], f[2])
		}
		b.WriteString("\nNote that if the emulator is started with erlexec (typically\nfrom the erl script), these flags should be specified with +.\n\n\n")
		io.WriteString(w, b.String())
	}
}
