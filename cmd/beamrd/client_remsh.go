package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/internal/remsh"
)

func remshCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remsh [NAME]", Short: "Attach the terminal to a shell of a node",
		Long: `Attach the terminal to a shell that runs on a node, as erl's -remsh does.

Lines are edited here, with history; Tab completes. Ctrl-D on an empty line
detaches, and the node lives on; Ctrl-C and Ctrl-G lead to a menu, from which
what the shell does can be interrupted. Note that q() stops the node, as in any
shell. Input from a file or pipe is read to its end.
`,
		Args: usage(cobra.MaximumNArgs(1)),
	}
	c := newClient(cmd, answerTime)
	_ = cmd.Flags().MarkHidden("json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := c.named(args); err != nil {
			return err
		}
		if c.json {
			return usageError("a shell has no answer in JSON")
		}
		ctx, cancel := c.context()
		conn, err := c.dial(ctx)
		cancel()
		if err != nil {
			return err
		}
		defer conn.Close()
		return failed(conn, remsh.Run(context.Background(), conn, os.Stdin, os.Stdout))
	}
	return cmd
}
