package proc

// ProcState is the part of a descriptor that the scheduler and the signal
// code own.
type ProcState struct{}
