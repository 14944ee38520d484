package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/loader"
)

func disasmCmd() *cobra.Command {
	var internal bool
	cmd := &cobra.Command{
		Use: "disasm FILE [NAME[/ARITY]]", Short: "Print the instructions of a .beam file", Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			fn := ""
			if len(args) > 1 {
				fn = args[1]
			}
			return loader.Disasm(b, fn, internal, os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&internal, "internal", false, "print the instructions that run, not the generic ones")
	return cmd
}

func censusCmd() *cobra.Command {
	return &cobra.Command{
		Use: "census DIR…", Short: "Load every module below folders and report what cannot be", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := loader.Census(args, os.Stdout)
			if err != nil {
				return err
			}
			if len(r.Failed) > 0 {
				return exitCode(1)
			}
			return nil
		},
	}
}
