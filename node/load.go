package node

import "github.com/beamrd/beamrd/loader"

// loadPreloaded loads a module before the node runs.
func loadPreloaded(m preloaded) error {
	_, err := loader.Preload(m.beam)
	return err
}
