package loader

import "github.com/beamrd/beamrd/vm/op"

// The shape of each instruction's operands, a letter each:
//
//	u number            a atom              t constant
//	s X, Y or constant  r X or Y            d X or Y, written
//	y Y                 x X                 l float register
//	f label or none     L label             C label of a function's entry
//	w s or number       m s or l            n m, written
//	b number, or one too big (of bits)      W w or b
//	A allocation        e list              T label or atom
//	U label, atom or number
//	k X, Y, constant or number (never read as a register by the verifier)
//
// Instructions without a shape are not supported: they raise an error that
// names them.
var shapes = [op.MaxGeneric + 1]string{
	op.GLabel: "u", op.GFuncInfo: "aau", op.GIntCodeEnd: "-",
	op.GCall: "uC", op.GCallLast: "uCu", op.GCallOnly: "uC",
	op.GCallExt: "uu", op.GCallExtLast: "uuu", op.GCallExtOnly: "uu",
	op.GBif0: "ud", op.GBif1: "fusd", op.GBif2: "fussd", op.GBif3: "fusssd",
	op.GGcBif1: "fuusd", op.GGcBif2: "fuussd", op.GGcBif3: "fuusssd",
	op.GAllocate: "uu", op.GAllocateHeap: "uAu", op.GAllocateZero: "uu", op.GAllocateHeapZero: "uAu",
	op.GTestHeap: "Au", op.GInit: "y", op.GInitYregs: "e", op.GDeallocate: "u", op.GTrim: "uu", op.GReturn: "-",
	op.GSend: "-", op.GRemoveMessage: "-", op.GTimeout: "-", op.GLoopRec: "Ld", op.GLoopRecEnd: "L",
	op.GWait: "L", op.GWaitTimeout: "Ls", op.GRecvMark: "f", op.GRecvSet: "f",
	op.GRecvMarkerBind: "ss", op.GRecvMarkerClear: "s", op.GRecvMarkerReserve: "d", op.GRecvMarkerUse: "s",
	op.GIsLt: "Lss", op.GIsGe: "Lss", op.GIsEq: "Lss", op.GIsNe: "Lss", op.GIsEqExact: "Lss", op.GIsNeExact: "Lss",
	op.GIsInteger: "Ls", op.GIsFloat: "Ls", op.GIsNumber: "Ls", op.GIsAtom: "Ls", op.GIsPid: "Ls",
	op.GIsReference: "Ls", op.GIsPort: "Ls", op.GIsNil: "Ls", op.GIsBinary: "Ls", op.GIsBitstr: "Ls", op.GIsList: "Ls",
	op.GIsNonemptyList: "Ls", op.GIsTuple: "Ls", op.GIsFunction: "Ls", op.GIsBoolean: "Ls", op.GIsMap: "Ls",
	op.GIsFunction2: "Lss", op.GTestArity: "Lsu", op.GIsTaggedTuple: "Lsua",
	op.GSelectVal: "sLe", op.GSelectTupleArity: "sLe", op.GJump: "L",
	op.GCatch: "yL", op.GCatchEnd: "y", op.GTry: "yL", op.GTryEnd: "y", op.GTryCase: "y", op.GTryCaseEnd: "s",
	op.GRaise: "ss", op.GRawRaise: "-", op.GBuildStacktrace: "-",
	op.GMove: "sd", op.GSwap: "dd", op.GGetList: "sdd", op.GGetHd: "sd", op.GGetTl: "sd", op.GGetTupleElement: "sud",
	op.GSetTupleElement: "ssu", op.GPutList: "ssd", op.GPutTuple2: "de", op.GUpdateRecord: "tusde",
	op.GBadmatch: "s", op.GIfEnd: "-", op.GCaseEnd: "s", op.GBadrecord: "s",
	op.GCallFun: "u", op.GCallFun2: "Uus", op.GMakeFun2: "u", op.GMakeFun3: "ude", op.GApply: "u", op.GApplyLast: "uu",
	op.GBsPutInteger: "fsuus", op.GBsPutBinary: "fsuus", op.GBsPutFloat: "fsuus", op.GBsPutString: "uu",
	op.GBsPutUtf8: "fus", op.GBsPutUtf16: "fus", op.GBsPutUtf32: "fus", op.GBsUtf8Size: "fsd", op.GBsUtf16Size: "fsd",
	op.GBsAdd: "fssud", op.GBsInit2: "fWAuud", op.GBsInitBits: "fWAuud", op.GBsInitWritable: "-",
	op.GBsAppend: "fsAuusud", op.GBsPrivateAppend: "fsusud", op.GBsCreateBin: "fAuude",
	op.GFclearerror: "-", op.GFcheckerror: "f", op.GFmove: "mn", op.GFconv: "sl",
	op.GFadd: "flll", op.GFsub: "flll", op.GFmul: "flll", op.GFdiv: "flll", op.GFnegate: "fll",
	op.GBsStartMatch3: "Lsud", op.GBsStartMatch4: "Tusd",
	op.GBsStartMatch2: "Lsuud", op.GBsSave2: "rk", op.GBsRestore2: "rk", op.GBsContextToBinary: "d",
	op.GBsGetInteger2: "Lsusuud", op.GBsGetFloat2: "Lsusuud", op.GBsGetBinary2: "Lsusuud", op.GBsSkipBits2: "Lssuu",
	op.GBsTestTail2: "Lsb", op.GBsTestUnit: "Lsu", op.GBsMatchString: "Lsuu", op.GBsGetTail: "sdu", op.GBsMatch: "Lse",
	op.GBsGetUtf8: "Lsuud", op.GBsGetUtf16: "Lsuud", op.GBsGetUtf32: "Lsuud",
	op.GBsSkipUtf8: "Lsuu", op.GBsSkipUtf16: "Lsuu", op.GBsSkipUtf32: "Lsuu",
	op.GBsGetPosition: "sdu", op.GBsSetPosition: "ss",
	op.GPutMapAssoc: "fsdue", op.GPutMapExact: "fsdue", op.GHasMapFields: "Lse", op.GGetMapElements: "Lse",
	op.GOnLoad: "-", op.GLine: "u", op.GNifStart: "-", op.GExecutableLine: "uu", op.GDebugLine: "kkkk",
}

// shapeOK tells whether an operand has the kind a letter asks for.
func shapeOK(c byte, a *op.Arg) bool {
	reg := a.Kind == op.ArgX || a.Kind == op.ArgY
	src := reg || a.Kind == op.ArgTerm
	switch c {
	case 'u':
		return a.Kind == op.ArgU
	case 'a':
		return isAtom(*a)
	case 't':
		return a.Kind == op.ArgTerm
	case 's':
		return src
	case 'r', 'd':
		return reg
	case 'x':
		return a.Kind == op.ArgX
	case 'y':
		return a.Kind == op.ArgY
	case 'l':
		return a.Kind == op.ArgFR
	case 'f':
		return a.Kind == op.ArgF
	case 'L', 'C':
		return a.Kind == op.ArgF && a.Val != 0
	case 'b':
		return a.Kind == op.ArgU || a.Kind == op.ArgBig
	case 'W':
		return src || a.Kind == op.ArgU || a.Kind == op.ArgBig
	case 'w', 'k':
		return src || a.Kind == op.ArgU
	case 'm':
		return src || a.Kind == op.ArgFR
	case 'n':
		return reg || a.Kind == op.ArgFR
	case 'A':
		return a.Kind == op.ArgAllo || a.Kind == op.ArgU
	case 'e':
		return a.Kind == op.ArgList
	case 'T':
		return a.Kind == op.ArgF || isAtom(*a)
	case 'U':
		return a.Kind == op.ArgF || isAtom(*a) || a.Kind == op.ArgU
	}
	return false
}

// heapWords is the number of words an allocation asks for. Floats take two
// words and funs three beside their free variables.
func heapWords(a *op.Arg) int {
	if a.Kind == op.ArgU {
		return int(min(a.Val, 1<<30))
	}
	n := 0
	for i := 0; i+1 < len(a.List); i += 2 {
		c := int(a.List[i+1].Val)
		switch a.List[i].Val {
		case 0:
			n += c
		case 1:
			n += floatWords * c
		case 2:
			n += funWords * c
		}
	}
	return n
}

const (
	floatWords = 2
	funWords   = 3
	consWords  = 2
)
