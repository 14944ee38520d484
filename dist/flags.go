package dist

// Capabilities, as the handshake tells them.
const (
	flagPublished        = 1 << 0
	flagExtendedRefs     = 1 << 2
	flagDistMonitor      = 1 << 3
	flagFunTags          = 1 << 4
	flagDistMonitorName  = 1 << 5
	flagNewFunTags       = 1 << 7
	flagExtendedPids     = 1 << 8
	flagExportPtrTag     = 1 << 9
	flagBitBinaries      = 1 << 10
	flagNewFloats        = 1 << 11
	flagUnicodeIO        = 1 << 12
	flagDistHdrAtomCache = 1 << 13
	flagSmallAtomTags    = 1 << 14
	flagUTF8Atoms        = 1 << 16
	flagMapTag           = 1 << 17
	flagBigCreation      = 1 << 18
	flagSendSender       = 1 << 19
	flagExitPayload      = 1 << 22
	flagFragments        = 1 << 23
	flagHandshake23      = 1 << 24
	flagUnlinkID         = 1 << 25
	flagMandatory25      = 1 << 26
	flagSpawn            = 1 << 32
	flagNameMe           = 1 << 33
	flagV4NC             = 1 << 34
	flagAlias            = 1 << 35

	// flagsMandatory are those without which OTP 25 refuses a peer, and so
	// does this package.
	flagsMandatory = flagExtendedRefs | flagFunTags | flagExtendedPids | flagUTF8Atoms | flagNewFunTags |
		flagBigCreation | flagNewFloats | flagMapTag | flagExportPtrTag | flagBitBinaries | flagHandshake23

	flagsOurs = flagsMandatory | flagDistMonitor | flagDistMonitorName | flagUnicodeIO | flagDistHdrAtomCache |
		flagSmallAtomTags | flagSendSender | flagExitPayload | flagFragments | flagUnlinkID | flagMandatory25 |
		flagSpawn | flagV4NC | flagAlias
)

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

// arities of the control messages, the number included.
var arities = map[int64]int{
	opLink: 3, opSend: 3, opExit: 4, opUnlink: 3, opRegSend: 4, opGroupLeader: 3, opExit2: 4,
	opSendTT: 4, opExitTT: 5, opRegSendTT: 5, opExit2TT: 5, opMonitorP: 4, opDemonitorP: 4,
	opMonitorPExit: 5, opSendSender: 3, opSendSenderTT: 4, opPayloadExit: 3, opPayloadExitTT: 4,
	opPayloadExit2: 3, opPayloadExit2TT: 4, opPayloadMonPExit: 4, opSpawnRequest: 6,
	opSpawnRequestTT: 7, opSpawnReply: 5, opSpawnReplyTT: 6, opAliasSend: 3, opAliasSendTT: 4,
	opUnlinkID: 4, opUnlinkIDAck: 4,
}
