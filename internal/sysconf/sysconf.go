// Package sysconf holds what the node was started with: which OTP, which
// limits, which emulator flags. It is filled in once, before the first process
// exists, and only read afterwards (but for the fields guarded by atomics).
package sysconf

import (
	"runtime"

	"github.com/beamrd/beamrd/internal/cputopo"
)

// Config is everything that is fixed at start. The zero value of a field that
// needs one is replaced by Default.
type Config struct {
	Root        string // OTP's root directory
	Bindir      string // folder of our own links (see node)
	Progname    string // the word that starts another node
	EmuName     string // argv[0] of the emulator, for messages
	Release     string // OTP release, "25"
	ErtsVersion string // "13.1.5"
	OTPVersion  string // "25.2.3", or "" when there is no OTP_VERSION file

	EmuArgs  []string // emulator flags as given, in the form "-P", "2000"
	InitArgs []string // what erl_init:start/2 gets
	InitMod  string   // +i, init

	MaxProcs int // +P
	MaxPorts int // +Q
	MaxAtoms int // +t
	MaxEts   int // +e, ERL_MAX_ETS_TABLES

	Logical         int // logical processors configured
	Schedulers      int // +S, first number
	Online          int // +S, second number
	DirtyCPU        int // +SDcpu
	DirtyCPUOnline  int
	DirtyIO         int // +SDio
	AsyncThreads    int // +A
	MinHeap         int // words, +hms
	MinBinVHeap     int // words, +hmbs
	MaxHeap         int // words, +hmax; 0 is none
	MaxHeapKill     bool
	MaxHeapLog      bool
	PdSize          int  // +hpds
	OffHeapMsgs     bool // +hmqd
	FullsweepAfter  int
	FnEncoding      FnEncoding // +fn
	FnWarn          FnWarn
	PrintUnicode    bool // +pc unicode
	NoLineInfo      bool // +L
	NoCrashDump     bool // +d
	EtsCompress     bool // +ec
	WarnMap         string
	TimeWarp        string // no_time_warp …
	TimeCorrection  bool
	TimingLevel     int // +T, -1 is none
	DistBufBusy     int // bytes, +zdbbl
	NodeTabDelay    int // seconds, +zdntgc; -1 is infinity
	SysOutstanding  int // +zosrl
	PortParallelism bool
	BindType        string        // +sbt
	CPUTopology     []cputopo.CPU // +sct
	SkipTopology    bool          // +ssrct, or +sct: the system is not asked
	CompatRel       int           // +R
	IgnoreBreak     bool          // +Bi
	ReplaceIntr     bool          // +Bc
	NoBreakHandler  bool          // +B, +Bd
	PollThreads     int           // +IOt
	PollSets        int           // +IOp
	WordSize        int
	Debug           map[string]bool // BEAMRD_DEBUG, split at commas
}

// FnEncoding is how file names are interpreted.
type FnEncoding uint8

// The encodings of +fn.
const (
	FnAuto FnEncoding = iota
	FnLatin1
	FnUTF8
)

// FnWarn says what happens to names that cannot be decoded.
type FnWarn uint8

// The letters after +fnu and +fna.
const (
	FnWarning FnWarn = iota
	FnIgnore
	FnError
)

// C is the configuration of this node.
var C = Default()

// Default returns what `erl` starts with when no flag is given.
func Default() Config {
	n := runtime.NumCPU()
	return Config{
		Release: "25", ErtsVersion: "13.1.5", InitMod: "init", EmuName: "beam.smp", Progname: "erl",
		MaxProcs: 262144, MaxPorts: 65536, MaxAtoms: 1048576, MaxEts: 8192,
		Logical: n, Schedulers: n, Online: n, DirtyCPU: n, DirtyCPUOnline: n, DirtyIO: 10, AsyncThreads: 1,
		MinHeap: 233, MinBinVHeap: 32768, MaxHeapKill: true, MaxHeapLog: true, PdSize: 8, FullsweepAfter: 65535,
		WarnMap: "warning", TimeWarp: "no_time_warp", TimeCorrection: true, TimingLevel: -1,
		DistBufBusy: 1 << 20, NodeTabDelay: 60, SysOutstanding: 2 * n, BindType: "unbound", CompatRel: 25,
		PollThreads: 1, PollSets: 1, WordSize: 8,
	}
}

// Debugging tells whether BEAMRD_DEBUG names a topic.
func Debugging(topic string) bool { return C.Debug[topic] }
