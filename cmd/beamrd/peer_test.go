package main

import (
	"os"
	"strings"
	"testing"
)

// TestPeer asserts that the nodes which a program starts with peer, as OTP's
// suites do, run on the very executable that runs the program, at any depth,
// and that no installed erl gets in between.
func TestPeer(t *testing.T) {
	needErl(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const program = `Exe = fun() -> {ok, F} = file:read_link("/proc/self/exe"), F end,
		Start = fun() -> {ok, P, _} = peer:start_link(#{connection => standard_io}), P end,
		P = Start(),
		Call = fun(M, F, A) -> peer:call(P, M, F, A) end,
		{ok, Theirs} = Call(file, read_link, ["/proc/self/exe"]),
		{ok, Tokens, _} = erl_scan:string("{ok, P, _} = peer:start_link(#{connection => standard_io}),
			R = peer:call(P, file, read_link, [\"/proc/self/exe\"]), peer:stop(P), R."),
		{ok, Exprs} = erl_parse:parse_exprs(Tokens),
		{value, {ok, Below}, _} = Call(erl_eval, exprs, [Exprs, []]),
		Flavor = Call(erlang, system_info, [emu_flavor]),
		peer:stop(P),
		io:format("~s~n~s~n~s~n~s~n", [Exe(), Theirs, Below, Flavor]),
		halt().`
	o := sh(t, t.TempDir(), `$E -noshell -kernel logger_level none -eval "$PROGRAM"`, "PROGRAM="+program)
	want := strings.Repeat(self+"\n", 3) + "emu\n"
	if o.out != want || o.code != 0 {
		t.Errorf("got %q, code %d (%s), want %q", o.out, o.code, o.err, want)
	}
}
