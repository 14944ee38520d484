package invariants

import (
	"fmt"
	"runtime/debug"
)

// OnBug, when set, is told of a bug of the VM: a failed assertion, or a panic
// or a fault of memory that Catch caught. It gets the message, which begins
// with BUG:, and the Go stack, and does not return: the state may be corrupt,
// so nothing may go on.
var OnBug func(msg string, stack []byte)

// Failf reports a bug of the VM and does not return.
func Failf(format string, args ...any) {
	panic("BUG: " + fmt.Sprintf(format, args...))
}

// Assertf fails with the message unless cond holds. Guard calls on hot paths
// with Enabled: the arguments are evaluated either way.
func Assertf(cond bool, format string, args ...any) {
	if !cond {
		Failf(format, args...)
	}
}

// Catch hands a panic of its caller to OnBug; without OnBug the panic goes on.
// Defer it in every goroutine that runs code of the VM. The panic's frames are
// still below, so the stack shows where it happened.
func Catch() {
	v := recover()
	if v == nil {
		return
	}
	if OnBug == nil {
		panic(v)
	}
	msg, ok := v.(string)
	if !ok {
		msg = "BUG: " + fmt.Sprint(v)
	}
	OnBug(msg, debug.Stack())
	panic(v)
}
