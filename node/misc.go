package node

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/beamrd/beamrd/bif"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

func systemVersionText() string { return bif.SystemVersion() }

// logError reports an error of the node to the logger, as ERTS's error reports
// without a process do.
func logError(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	var h heap.Heap
	am := term.Intern
	meta := bif.FlatMap(&h, am("pid"), term.AmUndefined, am("gl"), term.AmUndefined,
		am("error_logger"), bif.FlatMap(&h, am("emulator"), term.True, am("tag"), am("error")),
		am("time"), h.Int(bif.SystemMicros()))
	m := h.Tuple(am("log"), am("error"), h.Str("~s~n"), h.List(h.Str(msg)), meta)
	if !proc.SendBuilt(term.None, am("logger"), m, &h) {
		fmt.Fprintln(os.Stderr, msg)
	}
}

func logBadValue(name string) { logError("Bad value on output port '%s'\n", name) }

// startEpmd starts the port mapper as a daemon if none answers. Ours is the one
// of the OTP until the node brings its own.
func startEpmd(otp *OTP, prog string) error {
	if prog == "" {
		prog = fmt.Sprintf("\"%s/erts-%s/bin/epmd\" -daemon", otp.Root, otp.ErtsVersion)
	}
	cmd := exec.Command("/bin/sh", "-c", prog)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); ok {
			return nil // erlexec does not look at its exit status
		}
		return fmt.Errorf("starting epmd: %w", err)
	}
	return nil
}
