// Package wire has the numbers of Erlang's distribution protocol and of its
// external term format, as OTP's erl_dist_protocol and erl_ext_dist documents
// give them.
package wire

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

// Control messages by number.
const (
	OpLink            = 1
	OpSend            = 2
	OpExit            = 3
	OpUnlink          = 4
	OpRegSend         = 6
	OpGroupLeader     = 7
	OpExit2           = 8
	OpSendTT          = 12
	OpExitTT          = 13
	OpRegSendTT       = 16
	OpExit2TT         = 18
	OpMonitorP        = 19
	OpDemonitorP      = 20
	OpMonitorPExit    = 21
	OpSendSender      = 22
	OpSendSenderTT    = 23
	OpPayloadExit     = 24
	OpPayloadExitTT   = 25
	OpPayloadExit2    = 26
	OpPayloadExit2TT  = 27
	OpPayloadMonPExit = 28
	OpSpawnRequest    = 29
	OpSpawnRequestTT  = 30
	OpSpawnReply      = 31
	OpSpawnReplyTT    = 32
	OpAliasSend       = 33
	OpAliasSendTT     = 34
	OpUnlinkID        = 35
	OpUnlinkIDAck     = 36
)

// Arities of the control messages, the number included.
var Arities = map[int64]int{
	OpLink: 3, OpSend: 3, OpExit: 4, OpUnlink: 3, OpRegSend: 4, OpGroupLeader: 3, OpExit2: 4,
	OpSendTT: 4, OpExitTT: 5, OpRegSendTT: 5, OpExit2TT: 5, OpMonitorP: 4, OpDemonitorP: 4,
	OpMonitorPExit: 5, OpSendSender: 3, OpSendSenderTT: 4, OpPayloadExit: 3, OpPayloadExitTT: 4,
	OpPayloadExit2: 3, OpPayloadExit2TT: 4, OpPayloadMonPExit: 4, OpSpawnRequest: 6,
	OpSpawnRequestTT: 7, OpSpawnReply: 5, OpSpawnReplyTT: 6, OpAliasSend: 3, OpAliasSendTT: 4,
	OpUnlinkID: 4, OpUnlinkIDAck: 4,
}
