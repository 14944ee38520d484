package invariants

import "fmt"

// DumpHook, when set, is called with the message before Failf panics, so that
// the node can write a dump while the state is still intact.
var DumpHook func(msg string)

// Failf reports a bug of the VM and does not return.
func Failf(format string, args ...any) {
	msg := "BUG: " + fmt.Sprintf(format, args...)
	if DumpHook != nil {
		DumpHook(msg)
	}
	panic(msg)
}

// Assertf fails with the message unless cond holds. Guard calls on hot paths
// with Enabled: the arguments are evaluated either way.
func Assertf(cond bool, format string, args ...any) {
	if !cond {
		Failf(format, args...)
	}
}
