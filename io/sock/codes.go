package sock

// controlMagic is added to the operations of port_control/3.
const controlMagic = 0x03f1a300

// The operations of prim_inet.
const (
	reqOpen          = 1
	reqClose         = 2
	reqConnect       = 3
	reqPeer          = 4
	reqName          = 5
	reqBind          = 6
	reqSetOpts       = 7
	reqGetOpts       = 8
	reqGetStat       = 11
	reqGetHostname   = 12
	reqFdOpen        = 13
	reqGetFd         = 14
	reqGetType       = 15
	reqGetStatus     = 16
	reqGetServByName = 17
	reqGetServByPort = 18
	reqSetName       = 19
	reqSetPeer       = 20
	reqGetIfList     = 21
	reqIfGet         = 22
	reqIfSet         = 23
	reqSubscribe     = 24
	reqGetIfAddrs    = 25
	reqAccept        = 26
	reqListen        = 27
	reqIgnoreFd      = 28
	reqGetLAddrs     = 29
	reqGetPAddrs     = 30
	reqRecv          = 42
	reqUnrecv        = 43
	reqShutdown      = 44
	reqSendfile      = 45
	reqPacketRecv    = 60
)

// State bits, as getstatus shows them.
const (
	fOpen   = 0x01
	fActive = 0x04
	fListen = 0x08
	fCon    = 0x10
	fAcc    = 0x20
	fBusy   = 0x80
	fMulti  = 0x100

	stClosed         = 0
	stOpen           = fOpen
	stConnected      = fOpen | fActive
	stConnecting     = fOpen | fCon
	stListening      = fOpen | fListen
	stAccepting      = stListening | fAcc
	stMultiAccepting = stAccepting | fMulti
)

// Values of the option active.
const (
	passive = iota
	active
	once
	multi
)

const (
	defBuffer = 1460
	minBuffer = 1
	maxPacket = 0x4000000 // of recv/2
	maxReply  = 64 << 10  // of getopts, getstat
	infinity  = 0xFFFFFFFF
)

// Options of setopts and getopts.
const (
	optReuseAddr      = 0
	optKeepalive      = 1
	optDontroute      = 2
	optLinger         = 3
	optBroadcast      = 4
	optOobInline      = 5
	optSndbuf         = 6
	optRcvbuf         = 7
	optPriority       = 8
	optTos            = 9
	optNodelay        = 10
	optMcastIf        = 11
	optMcastTTL       = 12
	optMcastLoop      = 13
	optAddMember      = 14
	optDropMember     = 15
	optV6Only         = 16
	optBuffer         = 20
	optHeader         = 21
	optActive         = 22
	optPacket         = 23
	optMode           = 24
	optDeliver        = 25
	optExitOnClose    = 26
	optHigh           = 27
	optLow            = 28
	optSendTimeout    = 30
	optDelaySend      = 31
	optPacketSize     = 32
	optReadPackets    = 33
	optRaw            = 34
	optSendTimeoutEnd = 35
	optMsgqHigh       = 36
	optMsgqLow        = 37
	optNetns          = 38
	optShowReset      = 39
	optLineDelim      = 40
	optTclass         = 41
	optBindToDevice   = 42
	optRecvTos        = 43
	optRecvTclass     = 44
	optPktOptions     = 45
	optTTL            = 46
	optRecvTTL        = 47
	optNopush         = 48
	optDebug          = 99
)

// Ancillary data that is asked for.
const (
	cmsgTos = 1 << iota
	cmsgTclass
	cmsgTTL
)
