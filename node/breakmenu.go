package node

import (
	"bufio"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/ets"
	"github.com/beamrd/beamrd/internal/epoch"
	"github.com/beamrd/beamrd/vm/port"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// breakMenu is shown at Ctrl-C. The node goes on while it waits; ERTS stops it.
func breakMenu() {
	giveBack := port.TakeInput()
	defer giveBack()
	fmt.Print("\nBREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n       (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n")
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		switch b := breakKey(); b {
		case 'a', 'q', '*':
			exitNow(0)
		case 'A':
			dumpAndExit("Crash dump requested by user\n")
		case 'c', 'm':
		case 'p':
			writeProcs(out)
		case 'o':
			writePorts(out)
		case 'i':
			writeMemory(out)
		case 'l':
			writeModules(out, false)
		case 'd':
			writeNode(out)
		case 'D':
			writeTables(out)
		case 'k':
			processKiller(out)
		case 'v':
			fmt.Fprintf(out, "Erlang (BEAM) emulator version %s\n", versionText())
		case '\n':
			continue
		default:
			fmt.Fprint(out, "Unknown command\n\n")
			out.Flush()
			continue
		}
		return
	}
}

// breakKey returns the first letter of a line. The node ends with the input.
func breakKey() byte {
	var b [64]byte
	for {
		switch n, err := unix.Read(0, b[:]); {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: 0, Events: unix.POLLIN}}, -1)
		case err != nil || n == 0:
			exitNow(0)
		default:
			return b[0]
		}
	}
}

// processKiller shows one process after the other, the newest first, and kills
// those it is told to.
func processKiller(w *bufio.Writer) {
	fmt.Fprint(w, "\n\nProcess Information\n\n--------------------------------------------------\n")
	t := epoch.Pin()
	ids := proc.Pids()
	t.Unpin()
	for _, id := range slices.Backward(ids) {
		t := epoch.Pin()
		p := proc.Lookup(id)
		if p != nil {
			writeProc(w, p)
		}
		t.Unpin()
		if p == nil {
			continue
		}
		fmt.Fprint(w, "(k)ill (n)ext (r)eturn:\n")
		w.Flush()
		switch breakKey() {
		case 'k':
			t := epoch.Pin()
			proc.SendExit(nil, ids[0], id, term.AmKill)
			t.Unpin()
		case 'n':
		default:
			return
		}
	}
}

// writeTables describes the tables of ets.
func writeTables(w *bufio.Writer) {
	for _, t := range ets.All() {
		fmt.Fprintf(w, "=ets:%s\nName: %s\nObjects: %d\nWords: %d\n", pidText(t.Owner()), t.Name().String(), t.Items(), t.Words())
	}
}
