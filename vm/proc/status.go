package proc

// StatusText names the state of a process as crash dumps do.
func (p *Process) StatusText() string {
	s := p.load()
	switch {
	case s&stFree != 0:
		return "Non Existing"
	case s&stExiting != 0:
		return "Exiting"
	case s&stGC != 0:
		return "Garbing"
	case s&stSuspended != 0:
		return "Suspended"
	case s&(stRunning|stDirtyRun) != 0:
		return "Running"
	case s&(stActive|stQueued) != 0:
		return "Scheduled"
	}
	return "Waiting"
}
