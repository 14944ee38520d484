package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/node"
)

func versionCmd() *cobra.Command {
	var root string
	c := &cobra.Command{
		Use: "version", Short: "Show the versions of beamrd and of the OTP it boots", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Println("beamrd", node.Version)
			otp, err := node.FindOTP(root)
			if err != nil {
				return err
			}
			fmt.Printf("OTP %s %s, ERTS %s, in %s\n", otp.Release, otp.Version, otp.ErtsVersion, otp.Root)
			return nil
		},
	}
	c.Flags().StringVar(&root, "otp-root", "", "root of the OTP")
	return c
}

func bifsCmd() *cobra.Command {
	var missing bool
	c := &cobra.Command{
		Use: "bifs", Short: "List the builtins, or those of OTP 25 that are missing", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			node.ListBuiltins(os.Stdout, missing)
			return nil
		},
	}
	c.Flags().BoolVar(&missing, "missing", false, "list the builtins of OTP 25 that are not there")
	return c
}

func runCmd() *cobra.Command {
	return &cobra.Command{
		Use: "run FILE.beam [MODULE:FUNCTION] [-- ARGS…]", Short: "Boot, call a function and print its result",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			root, args := otpRoot(args)
			t, err := node.RunArgs(args)
			if err != nil {
				return exitCode(node.Report(err, os.Stdout, os.Stderr))
			}
			return exitCode(erl(root, t))
		},
	}
}
