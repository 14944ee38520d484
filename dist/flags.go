package dist

import "github.com/beamrd/beamrd/internal/wire"

// Capabilities that connections of this package need and have.
const (
	// flagsMandatory are those without which OTP 25 refuses a peer, and so
	// does this package.
	flagsMandatory = wire.FlagExtendedRefs | wire.FlagFunTags | wire.FlagExtendedPids | wire.FlagUTF8Atoms | wire.FlagNewFunTags |
		wire.FlagBigCreation | wire.FlagNewFloats | wire.FlagMapTag | wire.FlagExportPtrTag | wire.FlagBitBinaries | wire.FlagHandshake23

	flagsOurs = flagsMandatory | wire.FlagDistMonitor | wire.FlagDistMonitorName | wire.FlagUnicodeIO | wire.FlagDistHdrAtomCache |
		wire.FlagSmallAtomTags | wire.FlagSendSender | wire.FlagExitPayload | wire.FlagFragments | wire.FlagUnlinkID | wire.FlagMandatory25 |
		wire.FlagSpawn | wire.FlagV4NC | wire.FlagAlias
)
