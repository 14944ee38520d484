// Command beamrd runs Erlang/OTP's bytecode: `beamrd erl FLAGS…` is `erl`, and
// so is the binary under the name erl.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/beamrd/beamrd/internal/invariants"
)

func main() {
	invariants.OnBug = bug
	defer invariants.Catch()
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:]))
}

// bug reports an error of the program; a node that boots replaces it.
func bug(msg string, stack []byte) {
	fmt.Fprintf(os.Stderr, "%s\n%s", msg, stack)
	os.Exit(134)
}

// run acts under the name that the binary was called by.
func run(name string, args []string) int {
	if f := personas[name]; f != nil {
		return f(args)
	}
	cmd := rootCmd()
	cmd.SetArgs(args)
	if err := cmd.Execute(); err != nil {
		if c, ok := err.(exitCode); ok {
			return int(c)
		}
		fmt.Fprintln(os.Stderr, "beamrd:", err)
		var f *failure
		if errors.As(err, &f) {
			return f.code
		}
		return 1
	}
	return 0
}

// exitCode is an error that has been reported already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
