package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/beamrd/beamrd/node"
)

// personas are the names of OTP's programs that this binary answers to.
var personas = map[string]func(args []string) int{
	"erl":          func(args []string) int { return erl("", args) },
	"erlexec":      func(args []string) int { return erl("", args) },
	"erlc":         func(args []string) int { return via(node.ErlcArgs(args)) },
	"escript":      func(args []string) int { return via(node.EscriptArgs(args)) },
	"heart":        node.Heart,
	"epmd":         node.Epmd,
	"inet_gethost": node.GetHost,
}

func rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use: "beamrd", Short: "Run Erlang/OTP's bytecode", SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(erlCmd(), erlcCmd(), escriptCmd(), runCmd(), versionCmd(), bifsCmd(), censusCmd(), disasmCmd())
	root.AddCommand(startCmd(), loadCmd(), unloadCmd(), modulesCmd(), logsCmd(), epmdCmd(), pingCmd(), rpcCmd(), evalCmd(), statusCmd(), nodesCmd(), stopCmd(), remshCmd(), topCmd())
	return root
}

func erlCmd() *cobra.Command {
	return &cobra.Command{
		Use: "erl [--otp-root DIR] FLAGS…", Short: "Start a node, like erl", DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			root, args := otpRoot(args)
			return exitCode(erl(root, args))
		},
	}
}

// otpRoot takes a leading --otp-root off.
func otpRoot(args []string) (string, []string) {
	if len(args) >= 2 && args[0] == "--otp-root" {
		return args[1], args[2:]
	}
	return "", args
}

// erl starts a node and waits for its end, which ends the program.
func erl(root string, args []string) int {
	n, err := node.Start(node.Options{OTPRoot: root, Args: args})
	if err != nil {
		return node.Report(err, os.Stdout, os.Stderr)
	}
	n.Wait()
	return 0
}

// via starts erl with translated arguments.
func via(t *node.Translated, err error) int {
	if err != nil {
		return node.Report(err, os.Stdout, os.Stderr)
	}
	for k, v := range t.Env {
		os.Setenv(k, v)
	}
	return erl("", t.Args)
}

func erlcCmd() *cobra.Command {
	return &cobra.Command{
		Use: "erlc ARGS…", Short: "Compile, like erlc", DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return exitCode(personas["erlc"](args)) },
	}
}

func escriptCmd() *cobra.Command {
	return &cobra.Command{
		Use: "escript ARGS…", Short: "Run a script, like escript", DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return exitCode(personas["escript"](args)) },
	}
}

func epmdCmd() *cobra.Command {
	return &cobra.Command{
		Use: "epmd ARGS…", Short: "The port mapper, like epmd", DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error { return exitCode(node.Epmd(args)) },
	}
}
