package node

import (
	"fmt"
	"os"

	"github.com/beamrd/beamrd/dist/epmd"
)

// Epmd acts as the program epmd.
func Epmd(args []string) int {
	self, err := selfPath()
	if err != nil {
		fmt.Fprintf(os.Stderr, "epmd: %v\n", err)
		return 1
	}
	return epmd.Main(self, args, os.Stdout, os.Stderr)
}
