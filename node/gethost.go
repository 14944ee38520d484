package node

import (
	"fmt"
	"os"

	"github.com/beamrd/beamrd/io/resolve"
)

// GetHost acts as the port program inet_gethost, through which the node looks
// up names with the system's means.
func GetHost(args []string) int {
	if err := resolve.Serve(os.Stdin, os.Stdout, resolve.Workers(args)); err != nil {
		fmt.Fprintf(os.Stderr, "inet_gethost: %v\n", err)
		return 1
	}
	return 0
}
