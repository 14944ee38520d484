package node

import (
	"bufio"
	"fmt"
	"os"

	"github.com/beamrd/beamrd/vm/proc"
)

// breakMenu is shown at Ctrl-C. The node goes on while it waits; ERTS stops it.
func breakMenu() {
	fmt.Print("\nBREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n       (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n")
	r := bufio.NewReader(os.Stdin)
	for {
		b, err := r.ReadByte()
		if err != nil {
			exitNow(0)
		}
		switch b {
		case 'a':
			exitNow(0)
		case 'A':
			dumpAndExit("Crash dump requested by user\n")
		case 'c', 'q':
			return
		case 'p', 'i':
			fmt.Printf("%d processes\n", proc.Count())
		case 'v':
			fmt.Printf("Erlang (BEAM) emulator version %s\n", versionText())
		case '\n':
			continue
		default:
			fmt.Printf("Unknown command\n")
		}
		return
	}
}
