package node

import (
	"os"
	"path/filepath"
	"strings"
)

// RunArgs makes erl's command line for `beamrd run FILE.beam
// [MODULE:FUNCTION] [-- ARGS…]`: the module is loaded from the file, the function
// (main by default) called without arguments, or with the list of ARGS when
// there is a "--", and the result printed; on failure class, reason and stack
// trace, and exit code 1.
func RunArgs(args []string) ([]string, error) {
	var rest []string
	call := "[]"
	for i, a := range args {
		if a == "--" {
			args, rest, call = args[:i], args[i+1:], "[init:get_plain_arguments()]"
			break
		}
	}
	if len(args) < 1 || len(args) > 2 {
		return nil, &UsageError{Msg: "usage: beamrd run FILE.beam [MODULE:FUNCTION] [-- ARGS…]\n", Bare: true}
	}
	file := args[0]
	if _, err := os.Stat(file); err != nil {
		return nil, &UsageError{Msg: "beamrd: " + err.Error() + "\n", Bare: true}
	}
	mod, fun := strings.TrimSuffix(filepath.Base(file), ".beam"), "main"
	if len(args) == 2 {
		m, f, ok := strings.Cut(args[1], ":")
		if !ok {
			m, f = mod, args[1]
		}
		mod, fun = m, f
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	driver := `{ok,[[RunFile,RunMod,RunFun]]} = init:get_argument(beamrd_run),` +
		`M=list_to_atom(RunMod),F=list_to_atom(RunFun),A=` + call + `,` +
		`case code:load_abs(filename:rootname(RunFile)) of {module,_}->ok; ` +
		`{error,E}->io:format(standard_error,"beamrd: ~ts cannot be loaded: ~p~n",[RunFile,E]),halt(1) end,` +
		`try apply(M,F,A) of ` +
		`R->io:format("~p~n",[R]),halt(0) ` +
		`catch C:R:S->io:format(standard_error,"~ts~n",[erl_error:format_exception(C,R,S)]),halt(1) end.`
	out := []string{"-noshell", "-boot", "start_clean", "-beamrd_run", abs, mod, fun, "-eval", driver}
	if len(rest) > 0 {
		out = append(append(out, "-extra"), rest...)
	}
	return out, nil
}
