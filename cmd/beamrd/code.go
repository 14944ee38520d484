package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/loader"
)

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
