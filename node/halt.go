package node

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/dist"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// restores are run before the program ends (terminal modes).
var restores struct {
	sync.Mutex
	fns []func()
}

// AtExit has f run when the node ends.
func AtExit(f func()) {
	restores.Lock()
	restores.fns = append(restores.fns, f)
	restores.Unlock()
}

func exitNow(code int) {
	restores.Lock()
	for _, f := range restores.fns {
		f()
	}
	os.Exit(code & 0xFF)
}

var haltOnce sync.Mutex

// halt ends the node as erlang:halt/2 asks. It does not return; a second caller
// waits for the first.
func halt(h bif.HaltRequest) {
	haltOnce.Lock() // kept for good
	if h.Flush {
		dist.Halt()
		port.CloseAll(nil)
	}
	switch {
	case h.Abort:
		restores.Lock()
		for _, f := range restores.fns {
			f()
		}
		abort()
	case h.Dump:
		fmt.Fprintf(os.Stderr, "%s\n", h.Slogan)
		crashDump(h.Slogan)
		exitNow(1)
	}
	exitNow(h.Code)
}

// abort ends the program with SIGABRT. Go's runtime keeps a handler for that
// signal which prints all goroutines; another program under the same process id
// has the default action.
func abort() {
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -ABRT $$"}, os.Environ())
	os.Exit(134)
}

// fatal ends the node for an error of its own (ERTS_ERROR_EXIT): message, crash
// dump unless +d, SIGABRT.
func fatal(format string, args ...any) {
	haltOnce.Lock()
	msg := fmt.Sprintf(format, args...)
	fmt.Fprint(os.Stderr, msg)
	if !sysconf.C.NoCrashDump {
		crashDump(msg)
	}
	restores.Lock()
	for _, f := range restores.fns {
		f()
	}
	abort()
}

// bugOnce is held for good by the first bug that is reported.
var bugOnce sync.Mutex

// bugTime bounds the report of a bug: what it looks at may be corrupt, and what
// it waits for may never come.
const bugTime = 20 * time.Second

// bug ends the node because of an error of the VM: message and Go stack on
// standard error, crash dump, SIGABRT. Nothing goes on, as the state may be
// corrupt.
func bug(msg string, stack []byte) {
	if !bugOnce.TryLock() {
		select {} // the first one ends the program
	}
	time.AfterFunc(bugTime, func() { os.Exit(134) })
	fmt.Fprintf(os.Stderr, "%s\n%s", msg, stack)
	if !sysconf.C.NoCrashDump && haltOnce.TryLock() {
		func() {
			debug.SetPanicOnFault(true)
			defer func() {
				if recover() != nil {
					fmt.Fprint(os.Stderr, "failed\n")
				}
			}()
			crashDump(msg)
		}()
	}
	if restores.TryLock() {
		for _, f := range restores.fns {
			f()
		}
	}
	abort()
}

// ertsAllocators are ERTS's names for what a purpose's memory comes from, and of
// the kind of block.
var ertsAllocators = map[offheap.Purpose][2]string{
	offheap.Heap:     {"eheap_alloc", "heap"},
	offheap.Fragment: {"eheap_alloc", "heap_frag"},
	offheap.Binary:   {"binary_alloc", "binary"},
	offheap.Code:     {"ll_alloc", "code"},
	offheap.Literal:  {"literal_alloc", "literal"},
	offheap.Proc:     {"fix_alloc", "proc"},
	offheap.Ets:      {"ets_alloc", "db_term"},
	offheap.Table:    {"ll_alloc", "db_tabs"},
	offheap.Misc:     {"std_alloc", "misc"},
}

// outOfMemory ends the node as ERTS does when memory runs out. The caller may
// hold locks that the dump may want, so its time is bounded.
func outOfMemory(n uintptr, p offheap.Purpose) {
	time.AfterFunc(bugTime, func() { os.Exit(1) })
	a := ertsAllocators[p]
	dumpAndExit(fmt.Sprintf("%s: Cannot allocate %d bytes of memory (of type \"%s\").\n", a[0], n, a[1]))
}

// dumpAndExit ends the node with a message, a crash dump and exit code 1.
func dumpAndExit(msg string) {
	haltOnce.Lock()
	fmt.Fprint(os.Stderr, msg)
	crashDump(msg)
	exitNow(1)
}

// systemProcessExited ends the node: it cannot do without its system processes.
func systemProcessExited(p *proc.Process, reason term.Term) {
	fatal("System process %s terminated: %s\n", p.ID.String(), reason.String())
}

// nextHeapSize is the smallest heap size ERTS uses that holds n words.
func nextHeapSize(n uint64) uint64 { return uint64(heap.NextSize(uintptr(n))) }
