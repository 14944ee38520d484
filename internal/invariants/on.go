//go:build invariants

package invariants

// Enabled tells whether this is an invariants build.
const Enabled = true
