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

func logBadValue(name string) {
	var h heap.Heap
	proc.Log(nil, term.AmError, term.AmError, term.None, term.None, "~s~n", h.Str("Bad value on output port '"+name+"'\n"))
}

// startEpmd starts the port mapper as a daemon if none answers. args are those of
// init, where the node's name is.
func startEpmd(bindir, prog string, args []string) error {
	if prog == "" {
		prog = fmt.Sprintf("\"%s/epmd\" -daemon", bindir)
	}
	cmd := exec.Command("/bin/sh", "-c", prog)
	cmd.Stderr = os.Stderr
	if os.Getenv(epmdEnv) == "" {
		cmd.Env = os.Environ()
		if a := epmdAddresses(args, lookupHost); a != "" {
			cmd.Env = append(cmd.Env, epmdEnv+"="+a)
		}
	}
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); ok {
			return nil // erlexec does not look at its exit status
		}
		return fmt.Errorf("starting epmd: %w", err)
	}
	return nil
}
