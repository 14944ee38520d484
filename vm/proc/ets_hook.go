package proc

// EtsExit gives the tables of an exiting process to their heirs or deletes
// them, and releases its fixations. It does a slice of work and returns false
// while there is more. The tables package sets it; exit code calls it after
// the process is marked as exiting and before its name goes.
var EtsExit func(p *Process) (done bool)

// FlagEtsSuperUser lets a process use tables regardless of their protection
// (erts_internal:ets_super_user/1, for the code server of the debugger tools).
const FlagEtsSuperUser = 1 << 40
