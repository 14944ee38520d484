package proc

// FlagEtsSuperUser lets a process use tables regardless of their protection
// (erts_internal:ets_super_user/1).
const FlagEtsSuperUser = 1 << 40
