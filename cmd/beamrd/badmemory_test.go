package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/internal/invariants"
)

// TestOutOfMemory lets each kind of memory run out under a limit of the address
// space. erl names the allocator, writes a dump and ends with 1, and so does
// this. (The C library of a test binary would take 64 MB for each thread.)
func TestOutOfMemory(t *testing.T) {
	needErl(t)
	if invariants.Enabled && testing.Short() {
		t.Skip("fills memory")
	}
	for _, c := range []struct{ name, limit, expr, err string }{
		{"heap", "3000000", `F=fun F(X)->F([X|lists:seq(1,1000000)]) end,F([]).`, `eheap_alloc: Cannot allocate `},
		{"messages", "3000000", `P=spawn(fun()->receive never->ok end end),F=fun F(X)->P!{X,lists:seq(1,20000)},F(X+1) end,F(0).`, `eheap_alloc: Cannot allocate `},
		{"binaries", "3000000", `F=fun F(X)->F([binary:copy(<<1>>,30000000)|X]) end,F([]).`, `binary_alloc: Cannot allocate 30000000 bytes of memory (of type "binary").`},
		{"tables", "3000000", `T=ets:new(t,[]),L=lists:seq(1,20000),F=fun F(X)->ets:insert(T,{X,L}),F(X+1) end,F(0).`, `ets_alloc: Cannot allocate 320056 bytes of memory (of type "db_term").`},
		{"one large binary", "unlimited", `binary:copy(<<1>>,1 bsl 39).`, `binary_alloc: Cannot allocate 549755813888 bytes of memory (of type "binary").`},
		{"one large list of binaries", "unlimited", `list_to_binary(lists:duplicate(400000,<<0:8000000>>)).`, `binary_alloc: Cannot allocate 400000000000 bytes of memory (of type "binary").`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			o := sh(t, dir, `export MALLOC_ARENA_MAX=1; ulimit -v `+c.limit+`; $E -noshell -kernel logger_level none -eval '`+c.expr+`' </dev/null`)
			lacksGoTrace(t, o)
			if o.code != 1 || !strings.HasPrefix(o.err, c.err) || !strings.Contains(o.err, "\nCrash dump is being written to: ") || !strings.HasSuffix(o.err, "...done\n") {
				t.Errorf("exit code %d, standard error %.2000q", o.code, o.err)
			}
			dump, err := os.ReadFile(filepath.Join(dir, "dump"))
			if !strings.HasPrefix(string(dump), "=erl_crash_dump:0.5\n") || !strings.Contains(string(dump), "\nSlogan: "+c.err) {
				t.Errorf("the dump begins with %.200q (%v)", dump, err)
			}
		})
	}
}

// TestSizesTooLarge asks for what no machine has: an exception, and the node
// lives.
func TestSizesTooLarge(t *testing.T) {
	needErl(t)
	o := sh(t, t.TempDir(), `$E -noshell -eval 'R=fun(F) -> try F() catch C:E -> {C,E} end end, N=1 bsl 62,
		io:format("~p~n",[[R(F) || F <- [fun() -> binary:copy(<<1>>,N) end, fun() -> <<0:(N*16)>> end, fun() -> <<0:N>> end,
			fun() -> 1 bsl N end, fun() -> list_to_binary(lists:duplicate(4000000,<<0:80000000>>)) end,
			fun() -> erlang:make_tuple(1 bsl 24,a) end, fun() -> list_to_tuple(lists:seq(1,1 bsl 24)) end,
			fun() -> list_to_atom(lists:duplicate(256,$a)) end, fun() -> spawn_opt(fun() -> ok end,[{min_heap_size,1 bsl 70}]) end,
			fun() -> list_to_integer(lists:duplicate(16#FFFFFF,$9)) end]]]),halt(0).' </dev/null`)
	want := "[{error,system_limit},{error,system_limit},{error,system_limit},{error,system_limit},{error,system_limit}," +
		"{error,badarg},{error,badarg},{error,system_limit},{error,badarg},{error,system_limit}]"
	if got := strings.Join(strings.Fields(o.out), ""); got != want || o.code != 0 {
		t.Errorf("exit code %d, output %s, standard error %.1000s", o.code, got, o.err)
	}
}
