package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/daemon"
	"github.com/beamrd/beamrd/node"
)

func startCmd() *cobra.Command {
	var o daemon.Options
	var detach bool
	c := &cobra.Command{
		Use: "start NAME [flags] [-- FLAGS OF erl…]", Short: "Run a node as a service",
		Long: `Run a node as a service, in the foreground unless --detach is given.

The node is called NAME, with short names unless NAME has a host with a dot in
it; --sname and --name give it another name. What follows -- are flags of erl.
SIGTERM stops the node, SIGHUP reopens its log and reads its configuration
again, SIGUSR1 ends it with a crash dump.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); len(args) > 1 && n != 1 {
				return fmt.Errorf("start takes one name; flags of erl come after -- (got %q)", args[1])
			}
			o.Name, o.Args = args[0], args[1:]
			if detach {
				return startDetached(o)
			}
			return startNode(o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Short, "sname", "", "the node's name, short names")
	f.StringVar(&o.Long, "name", "", "the node's name, long names")
	f.StringVar(&o.CookieFile, "cookie-file", "", "file that holds the cookie, made if it is missing (default: Erlang's own rules)")
	f.StringArrayVar(&o.Config, "config", nil, "configuration file, as -config of erl; may be given again")
	f.StringVar(&o.Boot, "boot", "", "boot script, as -boot of erl")
	f.StringVar(&o.OTPRoot, "otp-root", "", "root of the OTP")
	f.StringVar(&o.StateDir, "state-dir", "", "folder for what lasts (default $STATE_DIRECTORY, or in $XDG_STATE_HOME)")
	f.StringVar(&o.LogFile, "log-file", "", "file for the log (default: standard output; with --detach, in the state directory)")
	f.StringVar(&o.HTTP, "http", "", "serve metrics and health on HOST:PORT of the loopback interface, or unix:PATH")
	f.StringVar(&o.Listen, "listen", "", "IP address on which other nodes are awaited (default: that of the node's host)")
	f.StringVar(&o.Restore, "restore", daemon.RestoreStrict, "when a stored module cannot be loaded again: strict (do not start), lenient (go on); off: load none")
	f.DurationVar(&o.Deadline, "stop-deadline", time.Minute, "how long an orderly stop may take; 0: any time")
	f.BoolVar(&detach, "detach", false, "return when the node is ready, and leave it in the background")
	return c
}

func startNode(o daemon.Options) error {
	err := daemon.Run(o)
	var ue *node.UsageError
	var pe *node.PrintAndExit
	if errors.As(err, &ue) || errors.As(err, &pe) {
		return exitCode(node.Report(err, os.Stdout, os.Stderr))
	}
	return err
}

// startDetached starts this command again in the background, without --detach.
func startDetached(o daemon.Options) error {
	at := slices.Index(os.Args, "--")
	if at < 0 {
		at = len(os.Args)
	}
	for _, a := range os.Args[1:at] {
		if a != "--detach" && a != "--detach=true" {
			o.Program = append(o.Program, a)
		}
	}
	pid, err := daemon.Detach(o)
	if err != nil {
		return err
	}
	fmt.Printf("node %s runs (pid %d)\n", o.Name, pid)
	return nil
}
