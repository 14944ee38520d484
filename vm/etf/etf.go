package etf

import "github.com/beamrd/beamrd/internal/offheap"

func addrOf[T any](p *T) uintptr { return offheap.Addr(p) }
