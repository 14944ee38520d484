// Package dist is the VM's part of distribution: the connections to other
// nodes as entities, the signals of processes that go over them, and the wire
// format of OTP 25 to 29: headers with an atom cache, fragments, control
// messages. Setting connections up is OTP's own work (net_kernel, dist_util),
// in bytecode; a connection is carried by a port or by a process.
//
// What a peer sends is taken for hostile: a packet that is not as it should be
// costs the peer its connection.
package dist

import "github.com/beamrd/beamrd/internal/wire"

// The sets of flags that erts_internal:get_dflags/0 shows.
const (
	FlagsMandatory = wire.FlagExtendedRefs | wire.FlagFunTags | wire.FlagExtendedPids | wire.FlagUTF8Atoms |
		wire.FlagNewFunTags | wire.FlagBigCreation | wire.FlagNewFloats | wire.FlagMapTag | wire.FlagExportPtrTag |
		wire.FlagBitBinaries | wire.FlagHandshake23
	FlagsDefault = FlagsMandatory | wire.FlagDistMonitor | wire.FlagDistMonitorName | wire.FlagSpawn | wire.FlagAlias |
		wire.FlagUnlinkID | wire.FlagUnicodeIO | wire.FlagDistHdrAtomCache | wire.FlagSmallAtomTags | wire.FlagSendSender |
		wire.FlagBigSeqtrace | wire.FlagExitPayload | wire.FlagFragments | wire.FlagV4NC | wire.FlagMandatory25
	FlagsAddable     = FlagsDefault
	FlagsRejectable  = wire.FlagDistHdrAtomCache | wire.FlagHiddenAtomCache | wire.FlagFragments | wire.FlagAtomCache
	FlagsStrictOrder = wire.FlagDistHdrAtomCache
)

const flagsMonitor = wire.FlagDistMonitor | wire.FlagDistMonitorName
