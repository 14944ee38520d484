package node

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/beamrd/beamrd/internal/sysconf"
	"github.com/beamrd/beamrd/vm/port"
)

func versionText() string { return sysconf.C.ErtsVersion }

// crashDump writes erl_crash.dump (ERL_CRASH_DUMP names another file), in the
// format of ERTS 0.5 as far as it goes: header, memory, processes, ports, atoms.
// ERL_CRASH_DUMP_SECONDS of 0 means none, and so does a heart when it is not set;
// a positive number bounds the time.
func crashDump(slogan string) {
	secs := -1
	v, set := os.LookupEnv("ERL_CRASH_DUMP_SECONDS")
	if set {
		secs, _ = strconv.Atoi(v)
	}
	if secs == 0 {
		return
	}
	if secs > 0 {
		time.AfterFunc(time.Duration(secs)*time.Second, func() { os.Exit(1) })
	}
	if port.WarnHeart() && !set {
		return // the heart would not wait for it
	}
	name := os.Getenv("ERL_CRASH_DUMP")
	if name == "" {
		name = "erl_crash.dump"
	}
	fmt.Fprintf(os.Stderr, "\nCrash dump is being written to: %s...", name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		fmt.Fprintf(os.Stderr, "failed: %v\n", err)
		return
	}
	w := bufio.NewWriter(f)
	writeDump(w, slogan)
	w.Flush()
	f.Close()
	fmt.Fprint(os.Stderr, "done\n")
}
