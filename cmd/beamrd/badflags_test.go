package main

import (
	"regexp"
	"strings"
	"testing"
)

// badFlags are emulator flags with values that erl refuses, and some that look
// wrong but are taken.
var badFlags = []string{
	"+zzz", "+P abc", "+P 1", "+P", "+Q abc", "+Q 1", "+t abc", "+t 1", "+S abc", "+S 1:2", "+S 99999", "+SP x", "+SDcpu x", "+SDio 0",
	"+SDio 9999", "+A abc", "+A 5000", "+a 1", "+hms abc", "+hmbs x", "+hmax -1", "+hmaxk x", "+hpds 0", "+hmqd x", "+W x", "+e abc",
	"+R 5", "+T 77", "+C x", "+c x", "+fnx", "+fnuz", "+pc foo", "+px", "+zdbbl x", "+zdbbl 0", "+zdbbl 99999999999", "+zdntgc x",
	"+sbt x", "+swt x", "+sss 1", "+stbt x", "+sub x", "+swct x", "+sbwt x", "+scl x", "+spp x", "+sxx", "+IOt 0", "+IOp 0", "+IOs x", "+IOPt x", "+IOPp x", "+IOPt 200",
	"+JPperf x", "+JDdump x", "+n x", "+l x", "+rg x", "+rg 0", "+dcgx", "+dcg0", "+V", "+K", "+Kx", "+ec",
	"+sct x", "+sct L", "+sct L0-", "+sct L0c0L1", "+sct c0", "+sct L0-2c0-1", "+sct L0,0", "+sct L0-1c0", "+sct L99999999",
	"+sct L0-1n0c0-1", "+sct L0-1c0-1n0-1p0",
	"+MBas zz", "+MBas bf", "+MBe maybe", "+MTe false", "+MIe false", "+MZe false", "+MRe false", "+Mzz", "+MBzz", "+MHmbcgs x",
	"+MHsbct -1", "+Mea foo", "+Mea min", "+Mex", "+Mlpm x", "+Mlx", "+Mdai x", "+Mdx", "+Muycs x", "+Musac x", "+MMscs x", "+MMzz 1",
	"+MYtt x", "+MYe false", "+MYzz", "+MBacul 200", "+MBacul de", "+MTacul 10", "+MBcp Q", "+MBcp B", "+MBt maybe", "+MIt true", "+M",
	"-args_file nosuch", "-boot", "-env A",
}

// emulatorPath is how the emulator names itself.
var emulatorPath = regexp.MustCompile(`\S*/beam\.smp`)

// firstWords is what is said before the usage text, which is our own.
func firstWords(o outcome) string {
	s, _, _ := strings.Cut(o.err, "\nUsage:")
	s, _, _ = strings.Cut(s, "Crash dump is being")
	return emulatorPath.ReplaceAllString(strings.TrimSpace(s), "beam.smp")
}

// TestBadFlags compares exit code and message with erl's.
func TestBadFlags(t *testing.T) {
	needErl(t)
	dir := t.TempDir()
	for _, f := range badFlags {
		args := " " + f + " -noshell -eval 'halt(7).' </dev/null"
		want, got := sh(t, dir, "erl"+args), sh(t, dir, "$E"+args)
		lacksGoTrace(t, got)
		if got.code != want.code {
			t.Errorf("%s: exit code %d, erl's is %d", f, got.code, want.code)
		}
		// A crash during boot is logged before or after the node ends.
		if f != "-boot" && firstWords(got) != firstWords(want) {
			t.Errorf("%s: %q, erl: %q", f, firstWords(got), firstWords(want))
		}
	}
}

// TestTimeFlags compares what is told of the modes of time.
func TestTimeFlags(t *testing.T) {
	needErl(t)
	for _, f := range []string{"", "+c false", "+C single_time_warp", "+C multi_time_warp"} {
		args := " " + f + ` -noshell -eval 'K=[time_warp_mode,time_correction,time_offset,schedulers_active,port_tasks],I=fun() -> [erlang:system_info(X)||X<-K] end,
			io:format("~p~n",[[I(),erlang:system_flag(time_offset,finalize),erlang:system_flag(time_offset,finalize),I()]]),halt(0).' </dev/null`
		want, got := sh(t, t.TempDir(), "erl"+args), sh(t, t.TempDir(), "$E"+args)
		if got.code != 0 || got.out != want.out {
			t.Errorf("%s: %s%.1000s, erl: %s", f, got.out, got.err, want.out)
		}
	}
}

// TestBadArguments calls each command in wrong ways.
func TestBadArguments(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		command string
		code    int
		err     string
	}{
		{"$B run", 1, "usage: beamrd run"},
		{"$B run nosuch.beam", 1, "nosuch.beam"},
		{"$B run --nosuch", 1, "nosuch"},
		{"$B disasm", 1, "arg"},
		{"$B disasm nosuch.beam", 1, "nosuch.beam"},
		{"$B disasm a b c d", 1, "arg"},
		{"$B census", 1, "arg"},
		{"$B census nosuch", 1, "nosuch"},
		{"$B bifs --nosuch", 1, "nosuch"},
		{"$B bifs extra", 1, "extra"},
		{"$B version extra", 1, "extra"},
		{"$B --nosuch", 1, "nosuch"},
		{"$B frobnicate", 1, "frobnicate"},
		{"$B --otp-root", 1, "otp-root"},
		{"$B --otp-root nosuch erl -noshell", 1, "nosuch"},
		{"$B run --otp-root nosuch x.beam", 1, "x.beam"},
	} {
		o := sh(t, dir, c.command+" </dev/null")
		lacksGoTrace(t, o)
		if o.code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.command, o.code, c.code)
		}
		if !strings.Contains(o.err, c.err) || o.out != "" {
			t.Errorf("%s: output %.300q, standard error %.500q lacks %q", c.command, o.out, o.err, c.err)
		}
	}
}
