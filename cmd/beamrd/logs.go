package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/daemon"
)

func logsCmd() *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use: "logs [NAME]", Short: "Show the log of a node that runs as a service", Args: usage(cobra.MaximumNArgs(1)),
		Long: `Show the end of the log of a node that was started by beamrd start: its log file,
also after the node has ended, or the journal where systemd runs it.
`,
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is added, until interrupted")
	cmd.Flags().IntVarP(&lines, "lines", "n", 100, "how many lines of the end to show; -1: all")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%v", err) })
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		src, err := daemon.FindLog(name)
		if err != nil {
			return &failure{codeUnreachable, err}
		}
		if src.Unit != "" {
			return journal(src.Unit, follow, lines)
		}
		if err := daemon.Tail(os.Stdout, src.File, lines, follow); err != nil {
			return &failure{codeFailed, err}
		}
		return nil
	}
	return cmd
}

// journal lets journalctl show the log of a unit.
func journal(unit string, follow bool, lines int) error {
	path, err := exec.LookPath("journalctl")
	if err != nil {
		return &failure{codeFailed, fmt.Errorf("the node logs to the journal of %s, and journalctl is missing", unit)}
	}
	n := "all"
	if lines >= 0 {
		n = strconv.Itoa(lines)
	}
	args := []string{"journalctl", "--unit=" + unit, "--lines=" + n}
	if follow {
		args = append(args, "--follow")
	}
	err = syscall.Exec(path, args, os.Environ())
	return &failure{codeFailed, errors.Join(errors.New("journalctl cannot be run"), err)}
}
