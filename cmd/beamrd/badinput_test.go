package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What users and their surroundings get wrong: each ends with a message and an
// exit code, those of erl where it has the case.
func TestBadInput(t *testing.T) {
	needErl(t)
	lists, err := exec.Command("erl", "-noshell", "-eval", `io:put_chars(code:which(lists)),halt().`).Output()
	if err != nil {
		t.Fatal(err)
	}
	beam, err := os.ReadFile(string(lists))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bad := append([]byte(nil), beam[:len(beam)/2]...)
	for name, b := range map[string][]byte{"half.beam": bad, "empty.beam": nil, "junk.beam": []byte("FOR1\xff\xff\xff\xffBEAM")} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, command string
		code          int
		out, err      string // must be contained
	}{
		{"unknown flag", "$E +zzz", 1, "", "bad -z option -zzz"},
		{"bad number", "$E +P abc", 1, "", "bad number of processes abc"},
		{"flag without value", "$E +P", 1, "", "Missing argument(s) for '+P'"},
		{"bad boot file", "$E -noshell -boot nosuch", 1, "cannot get bootfile", "init terminating in do_boot"},
		{"no OTP", "BEAMRD_OTP_ROOT=/nonexistent $E -noshell", 1, "", "/nonexistent"},
		{"half a module", "$B run half.beam", 1, "", "half"},
		{"empty module", "$B run empty.beam", 1, "", "empty"},
		{"junk module", "$B run junk.beam", 1, "", "junk"},
		{"no module", "$B run none.beam", 1, "", "none.beam"},
		{"no such command", "$B frobnicate", 1, "", "frobnicate"},
		{"full output", `$E -noshell -eval 'io:format("hi~n"),halt(3).' >/dev/full`, 3, "", ""},
		{"full file", `$E -noshell -eval 'io:format("~p",[file:write_file("/dev/full",<<1>>)]),halt().'`, 0, "{error,enospc}", ""},
		{"closed output", `$E -noshell -eval 'io:format("hi~n"),halt(3).' >&-`, 3, "", ""},
		{"closed input", `$E -noshell -eval 'io:format("~p",[io:get_line("")]),halt(3).' <&-`, 3, "eof", ""},
		{"out of atoms", `$E +t 8192 -noshell -eval '[list_to_atom("a"++integer_to_list(I))||I<-lists:seq(1,9000)],halt().'`, 1, "", "no more index entries in atom_tab (max=8192)"},
		{"out of processes", `$E +P 1024 -noshell -eval 'R=(catch [spawn(fun() -> receive a->a end end)||_<-lists:seq(1,2000)]),io:format("~p",[element(1,element(2,R))]),halt(0).'`, 0, "system_limit", ""},
		{"heap limit", `$E -noshell -eval '{_,M}=spawn_opt(fun() -> length(lists:seq(1,1000000)) end,[monitor,{max_heap_size,#{size=>10000,error_logger=>false}}]),receive {_,M,_,_,R}->io:format("~p",[R]) end,halt(0).'`, 0, "killed", ""},
		{"no process 0", `$E -noshell -eval 'exit(whereis(init),kill),receive after infinity->ok end.'`, -1, "", "System process <0.0.0> terminated: killed"},
		{"address space", `ulimit -v 2000000; $E -noshell`, 1, "", "address space"},
		{"bytes that are no UTF-8", `$E -noshell -s erlang halt -extra $(printf '\xff\xfeabc')`, 0, "", ""},
		{"deep terms", `$E -noshell -eval 'D=lists:foldl(fun(I,A)->{I,A} end,[],lists:seq(1,1000000)),D=binary_to_term(term_to_binary(D)),garbage_collect(),spawn_monitor(fun()->exit(erlang:phash2(D)) end),H=erlang:phash2(D),receive {_,_,_,_,H}->io:format("same") end,halt(0).'`, 0, "same", ""},
		{"tuple limit", `$E -noshell -eval 'io:format("~p",[element(1,element(2,catch list_to_tuple(lists:seq(1,1 bsl 24))))]),halt(0).'`, 0, "", ""},
		{"bignum limit", `$E -noshell -eval 'io:format("~p",[element(1,element(2,catch 1 bsl (1 bsl 40)))]),halt(0).'`, 0, "system_limit", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := sh(t, dir, c.command+" </dev/null")
			if strings.Contains(c.command, "<&-") {
				o = sh(t, dir, c.command)
			}
			lacksGoTrace(t, o)
			if o.code != c.code && !(c.code == -1 && o.code == 134) {
				t.Errorf("exit code %d, want %d", o.code, c.code)
			}
			if !strings.Contains(o.out, c.out) {
				t.Errorf("output %.500q lacks %q", o.out, c.out)
			}
			if !strings.Contains(o.err, c.err) {
				t.Errorf("standard error %.500q lacks %q", o.err, c.err)
			}
		})
	}
}

// TestHostileModules loads modules with one byte changed, on one node.
func TestHostileModules(t *testing.T) {
	needErl(t)
	o := sh(t, t.TempDir(), `$E -noshell -eval '{ok,B}=file:read_file(code:which(queue)),N=byte_size(B),
		F=fun(I)-><<H:I/binary,X,T/binary>> =B,<<H/binary,(X bxor (1 bsl (I rem 8))),T/binary>> end,
		R=[case erlang:prepare_loading(queue,F(I)) of M when is_reference(M)->ok; {error,E} when is_atom(E)->E end||I<-lists:seq(0,N-1,37)],
		[{error,badfile}=erlang:prepare_loading(queue,binary:part(B,0,I))||I<-lists:seq(0,N-1,501)],
		io:format("loaded ~p~n",[length(R)]),halt(0).' </dev/null`)
	lacksGoTrace(t, o)
	if o.code != 0 || !strings.Contains(o.out, "loaded ") {
		t.Errorf("exit code %d, output %.1000s, standard error %.3000s", o.code, o.out, o.err)
	}
}
