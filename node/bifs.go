package node

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/beamrd/beamrd/bif"
)

// Version is beamrd's own version.
const Version = "0.1-dev"

// builtins25 lists the builtins of OTP 25: module, name, arity, and how many
// modules of a plain boot and of kernel, stdlib and compiler import each.
//
//go:embed builtins25.tsv
var builtins25 string

// ListBuiltins writes the builtins that there are, or the missing ones of OTP
// 25, the most used first where the list has them so.
func ListBuiltins(w io.Writer, missing bool) {
	have := map[string]bool{}
	for _, rows := range bif.All() {
		for _, r := range rows {
			mfa := r.Module + ":" + r.Name + "/" + strconv.Itoa(r.Arity)
			have[mfa] = true
			if !missing {
				fmt.Fprintln(w, mfa)
			}
		}
	}
	if !missing {
		return
	}
	n, total := 0, 0
	for _, l := range strings.Split(builtins25, "\n") {
		f := strings.Split(l, "\t")
		if len(f) < 5 {
			continue
		}
		total++
		if mfa := f[0] + ":" + f[1] + "/" + f[2]; !have[mfa] {
			n++
			fmt.Fprintf(w, "%-52s boot %s, libraries %s\n", mfa, f[3], f[4])
		}
	}
	fmt.Fprintf(w, "%d of %d missing\n", n, total)
}
