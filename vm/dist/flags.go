// Package dist is the VM's part of distribution: the connections to other
// nodes as entities, the signals of processes that go over them, and the wire
// format of OTP 25 to 29: headers with an atom cache, fragments, control
// messages. Setting connections up is OTP's own work (net_kernel, dist_util),
// in bytecode; a connection is carried by a port or by a process.
//
// What a peer sends is taken for hostile: a packet that is not as it should be
// costs the peer its connection.
package dist

// Capability flags of the handshake.
const (
	FlagPublished        = 1 << 0
	FlagAtomCache        = 1 << 1
	FlagExtendedRefs     = 1 << 2
	FlagDistMonitor      = 1 << 3
	FlagFunTags          = 1 << 4
	FlagDistMonitorName  = 1 << 5
	FlagHiddenAtomCache  = 1 << 6
	FlagNewFunTags       = 1 << 7
	FlagExtendedPids     = 1 << 8
	FlagExportPtrTag     = 1 << 9
	FlagBitBinaries      = 1 << 10
	FlagNewFloats        = 1 << 11
	FlagUnicodeIO        = 1 << 12
	FlagDistHdrAtomCache = 1 << 13
	FlagSmallAtomTags    = 1 << 14
	FlagUTF8Atoms        = 1 << 16
	FlagMapTag           = 1 << 17
	FlagBigCreation      = 1 << 18
	FlagSendSender       = 1 << 19
	FlagBigSeqtrace      = 1 << 20
	FlagExitPayload      = 1 << 22
	FlagFragments        = 1 << 23
	FlagHandshake23      = 1 << 24
	FlagUnlinkID         = 1 << 25
	FlagMandatory25      = 1 << 26
	FlagSpawn            = 1 << 32
	FlagNameMe           = 1 << 33
	FlagV4NC             = 1 << 34
	FlagAlias            = 1 << 35
)

// The sets of flags that erts_internal:get_dflags/0 shows.
const (
	FlagsMandatory = FlagExtendedRefs | FlagFunTags | FlagExtendedPids | FlagUTF8Atoms |
		FlagNewFunTags | FlagBigCreation | FlagNewFloats | FlagMapTag | FlagExportPtrTag |
		FlagBitBinaries | FlagHandshake23
	FlagsDefault = FlagsMandatory | FlagDistMonitor | FlagDistMonitorName | FlagSpawn | FlagAlias |
		FlagUnlinkID | FlagUnicodeIO | FlagDistHdrAtomCache | FlagSmallAtomTags | FlagSendSender |
		FlagBigSeqtrace | FlagExitPayload | FlagFragments | FlagV4NC | FlagMandatory25
	FlagsAddable     = FlagsDefault
	FlagsRejectable  = FlagDistHdrAtomCache | FlagHiddenAtomCache | FlagFragments | FlagAtomCache
	FlagsStrictOrder = FlagDistHdrAtomCache
)

const flagsMonitor = FlagDistMonitor | FlagDistMonitorName

// Control messages.
const (
	opLink            = 1
	opSend            = 2
	opExit            = 3
	opUnlink          = 4
	opRegSend         = 6
	opGroupLeader     = 7
	opExit2           = 8
	opSendTT          = 12
	opExitTT          = 13
	opRegSendTT       = 16
	opExit2TT         = 18
	opMonitorP        = 19
	opDemonitorP      = 20
	opMonitorPExit    = 21
	opSendSender      = 22
	opSendSenderTT    = 23
	opPayloadExit     = 24
	opPayloadExitTT   = 25
	opPayloadExit2    = 26
	opPayloadExit2TT  = 27
	opPayloadMonPExit = 28
	opSpawnRequest    = 29
	opSpawnRequestTT  = 30
	opSpawnReply      = 31
	opSpawnReplyTT    = 32
	opAliasSend       = 33
	opAliasSendTT     = 34
	opUnlinkID        = 35
	opUnlinkIDAck     = 36
)
