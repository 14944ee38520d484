//go:build !invariants

// Package invariants holds the assertions of the `invariants` build.
//
// Enabled is a constant, so code guarded by it is compiled out of a plain
// build. A failed assertion is a bug of the VM, never the fault of input.
package invariants

// Enabled tells whether this is an invariants build.
const Enabled = false
