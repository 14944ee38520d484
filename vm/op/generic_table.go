// Code generated from OTP's opcode numbers. DO NOT EDIT.

package op

// The generic opcodes.
const (
	GLabel              Generic = 1
	GFuncInfo           Generic = 2
	GIntCodeEnd         Generic = 3
	GCall               Generic = 4
	GCallLast           Generic = 5
	GCallOnly           Generic = 6
	GCallExt            Generic = 7
	GCallExtLast        Generic = 8
	GBif0               Generic = 9
	GBif1               Generic = 10
	GBif2               Generic = 11
	GAllocate           Generic = 12
	GAllocateHeap       Generic = 13
	GAllocateZero       Generic = 14
	GAllocateHeapZero   Generic = 15
	GTestHeap           Generic = 16
	GInit               Generic = 17
	GDeallocate         Generic = 18
	GReturn             Generic = 19
	GSend               Generic = 20
	GRemoveMessage      Generic = 21
	GTimeout            Generic = 22
	GLoopRec            Generic = 23
	GLoopRecEnd         Generic = 24
	GWait               Generic = 25
	GWaitTimeout        Generic = 26
	GMPlus              Generic = 27
	GMMinus             Generic = 28
	GMTimes             Generic = 29
	GMDiv               Generic = 30
	GIntDiv             Generic = 31
	GIntRem             Generic = 32
	GIntBand            Generic = 33
	GIntBor             Generic = 34
	GIntBxor            Generic = 35
	GIntBsl             Generic = 36
	GIntBsr             Generic = 37
	GIntBnot            Generic = 38
	GIsLt               Generic = 39
	GIsGe               Generic = 40
	GIsEq               Generic = 41
	GIsNe               Generic = 42
	GIsEqExact          Generic = 43
	GIsNeExact          Generic = 44
	GIsInteger          Generic = 45
	GIsFloat            Generic = 46
	GIsNumber           Generic = 47
	GIsAtom             Generic = 48
	GIsPid              Generic = 49
	GIsReference        Generic = 50
	GIsPort             Generic = 51
	GIsNil              Generic = 52
	GIsBinary           Generic = 53
	GIsConstant         Generic = 54
	GIsList             Generic = 55
	GIsNonemptyList     Generic = 56
	GIsTuple            Generic = 57
	GTestArity          Generic = 58
	GSelectVal          Generic = 59
	GSelectTupleArity   Generic = 60
	GJump               Generic = 61
	GCatch              Generic = 62
	GCatchEnd           Generic = 63
	GMove               Generic = 64
	GGetList            Generic = 65
	GGetTupleElement    Generic = 66
	GSetTupleElement    Generic = 67
	GPutString          Generic = 68
	GPutList            Generic = 69
	GPutTuple           Generic = 70
	GPut                Generic = 71
	GBadmatch           Generic = 72
	GIfEnd              Generic = 73
	GCaseEnd            Generic = 74
	GCallFun            Generic = 75
	GMakeFun            Generic = 76
	GIsFunction         Generic = 77
	GCallExtOnly        Generic = 78
	GBsStartMatch       Generic = 79
	GBsGetInteger       Generic = 80
	GBsGetFloat         Generic = 81
	GBsGetBinary        Generic = 82
	GBsSkipBits         Generic = 83
	GBsTestTail         Generic = 84
	GBsSave             Generic = 85
	GBsRestore          Generic = 86
	GBsInit             Generic = 87
	GBsFinal            Generic = 88
	GBsPutInteger       Generic = 89
	GBsPutBinary        Generic = 90
	GBsPutFloat         Generic = 91
	GBsPutString        Generic = 92
	GBsNeedBuf          Generic = 93
	GFclearerror        Generic = 94
	GFcheckerror        Generic = 95
	GFmove              Generic = 96
	GFconv              Generic = 97
	GFadd               Generic = 98
	GFsub               Generic = 99
	GFmul               Generic = 100
	GFdiv               Generic = 101
	GFnegate            Generic = 102
	GMakeFun2           Generic = 103
	GTry                Generic = 104
	GTryEnd             Generic = 105
	GTryCase            Generic = 106
	GTryCaseEnd         Generic = 107
	GRaise              Generic = 108
	GBsInit2            Generic = 109
	GBsBitsToBytes      Generic = 110
	GBsAdd              Generic = 111
	GApply              Generic = 112
	GApplyLast          Generic = 113
	GIsBoolean          Generic = 114
	GIsFunction2        Generic = 115
	GBsStartMatch2      Generic = 116
	GBsGetInteger2      Generic = 117
	GBsGetFloat2        Generic = 118
	GBsGetBinary2       Generic = 119
	GBsSkipBits2        Generic = 120
	GBsTestTail2        Generic = 121
	GBsSave2            Generic = 122
	GBsRestore2         Generic = 123
	GGcBif1             Generic = 124
	GGcBif2             Generic = 125
	GBsFinal2           Generic = 126
	GBsBitsToBytes2     Generic = 127
	GPutLiteral         Generic = 128
	GIsBitstr           Generic = 129
	GBsContextToBinary  Generic = 130
	GBsTestUnit         Generic = 131
	GBsMatchString      Generic = 132
	GBsInitWritable     Generic = 133
	GBsAppend           Generic = 134
	GBsPrivateAppend    Generic = 135
	GTrim               Generic = 136
	GBsInitBits         Generic = 137
	GBsGetUtf8          Generic = 138
	GBsSkipUtf8         Generic = 139
	GBsGetUtf16         Generic = 140
	GBsSkipUtf16        Generic = 141
	GBsGetUtf32         Generic = 142
	GBsSkipUtf32        Generic = 143
	GBsUtf8Size         Generic = 144
	GBsPutUtf8          Generic = 145
	GBsUtf16Size        Generic = 146
	GBsPutUtf16         Generic = 147
	GBsPutUtf32         Generic = 148
	GOnLoad             Generic = 149
	GRecvMark           Generic = 150
	GRecvSet            Generic = 151
	GGcBif3             Generic = 152
	GLine               Generic = 153
	GPutMapAssoc        Generic = 154
	GPutMapExact        Generic = 155
	GIsMap              Generic = 156
	GHasMapFields       Generic = 157
	GGetMapElements     Generic = 158
	GIsTaggedTuple      Generic = 159
	GBuildStacktrace    Generic = 160
	GRawRaise           Generic = 161
	GGetHd              Generic = 162
	GGetTl              Generic = 163
	GPutTuple2          Generic = 164
	GBsGetTail          Generic = 165
	GBsStartMatch3      Generic = 166
	GBsGetPosition      Generic = 167
	GBsSetPosition      Generic = 168
	GSwap               Generic = 169
	GBsStartMatch4      Generic = 170
	GMakeFun3           Generic = 171
	GInitYregs          Generic = 172
	GRecvMarkerBind     Generic = 173
	GRecvMarkerClear    Generic = 174
	GRecvMarkerReserve  Generic = 175
	GRecvMarkerUse      Generic = 176
	GBsCreateBin        Generic = 177
	GCallFun2           Generic = 178
	GNifStart           Generic = 179
	GBadrecord          Generic = 180
	GUpdateRecord       Generic = 181
	GBsMatch            Generic = 182
	GExecutableLine     Generic = 183
	GDebugLine          Generic = 184
	GBif3               Generic = 185
	GIsAnyNativeRecord  Generic = 186
	GIsNativeRecord     Generic = 187
	GGetRecordElements  Generic = 188
	GPutRecord          Generic = 189
	GIsRecordAccessible Generic = 190
	GGetRecordField     Generic = 191
)

// MaxGeneric is the newest opcode known.
const MaxGeneric = 191

// GenericInfo is the name and arity of a generic opcode.
type GenericInfo struct {
	Name  string
	Arity int
}

// Generics is indexed by opcode; 0 is not used.
var Generics = [MaxGeneric + 1]GenericInfo{
	1:   {"label", 1},
	2:   {"func_info", 3},
	3:   {"int_code_end", 0},
	4:   {"call", 2},
	5:   {"call_last", 3},
	6:   {"call_only", 2},
	7:   {"call_ext", 2},
	8:   {"call_ext_last", 3},
	9:   {"bif0", 2},
	10:  {"bif1", 4},
	11:  {"bif2", 5},
	12:  {"allocate", 2},
	13:  {"allocate_heap", 3},
	14:  {"allocate_zero", 2},
	15:  {"allocate_heap_zero", 3},
	16:  {"test_heap", 2},
	17:  {"init", 1},
	18:  {"deallocate", 1},
	19:  {"return", 0},
	20:  {"send", 0},
	21:  {"remove_message", 0},
	22:  {"timeout", 0},
	23:  {"loop_rec", 2},
	24:  {"loop_rec_end", 1},
	25:  {"wait", 1},
	26:  {"wait_timeout", 2},
	27:  {"m_plus", 4},
	28:  {"m_minus", 4},
	29:  {"m_times", 4},
	30:  {"m_div", 4},
	31:  {"int_div", 4},
	32:  {"int_rem", 4},
	33:  {"int_band", 4},
	34:  {"int_bor", 4},
	35:  {"int_bxor", 4},
	36:  {"int_bsl", 4},
	37:  {"int_bsr", 4},
	38:  {"int_bnot", 3},
	39:  {"is_lt", 3},
	40:  {"is_ge", 3},
	41:  {"is_eq", 3},
	42:  {"is_ne", 3},
	43:  {"is_eq_exact", 3},
	44:  {"is_ne_exact", 3},
	45:  {"is_integer", 2},
	46:  {"is_float", 2},
	47:  {"is_number", 2},
	48:  {"is_atom", 2},
	49:  {"is_pid", 2},
	50:  {"is_reference", 2},
	51:  {"is_port", 2},
	52:  {"is_nil", 2},
	53:  {"is_binary", 2},
	54:  {"is_constant", 2},
	55:  {"is_list", 2},
	56:  {"is_nonempty_list", 2},
	57:  {"is_tuple", 2},
	58:  {"test_arity", 3},
	59:  {"select_val", 3},
	60:  {"select_tuple_arity", 3},
	61:  {"jump", 1},
	62:  {"catch", 2},
	63:  {"catch_end", 1},
	64:  {"move", 2},
	65:  {"get_list", 3},
	66:  {"get_tuple_element", 3},
	67:  {"set_tuple_element", 3},
	68:  {"put_string", 3},
	69:  {"put_list", 3},
	70:  {"put_tuple", 2},
	71:  {"put", 1},
	72:  {"badmatch", 1},
	73:  {"if_end", 0},
	74:  {"case_end", 1},
	75:  {"call_fun", 1},
	76:  {"make_fun", 3},
	77:  {"is_function", 2},
	78:  {"call_ext_only", 2},
	79:  {"bs_start_match", 2},
	80:  {"bs_get_integer", 5},
	81:  {"bs_get_float", 5},
	82:  {"bs_get_binary", 5},
	83:  {"bs_skip_bits", 4},
	84:  {"bs_test_tail", 2},
	85:  {"bs_save", 1},
	86:  {"bs_restore", 1},
	87:  {"bs_init", 2},
	88:  {"bs_final", 2},
	89:  {"bs_put_integer", 5},
	90:  {"bs_put_binary", 5},
	91:  {"bs_put_float", 5},
	92:  {"bs_put_string", 2},
	93:  {"bs_need_buf", 1},
	94:  {"fclearerror", 0},
	95:  {"fcheckerror", 1},
	96:  {"fmove", 2},
	97:  {"fconv", 2},
	98:  {"fadd", 4},
	99:  {"fsub", 4},
	100: {"fmul", 4},
	101: {"fdiv", 4},
	102: {"fnegate", 3},
	103: {"make_fun2", 1},
	104: {"try", 2},
	105: {"try_end", 1},
	106: {"try_case", 1},
	107: {"try_case_end", 1},
	108: {"raise", 2},
	109: {"bs_init2", 6},
	110: {"bs_bits_to_bytes", 3},
	111: {"bs_add", 5},
	112: {"apply", 1},
	113: {"apply_last", 2},
	114: {"is_boolean", 2},
	115: {"is_function2", 3},
	116: {"bs_start_match2", 5},
	117: {"bs_get_integer2", 7},
	118: {"bs_get_float2", 7},
	119: {"bs_get_binary2", 7},
	120: {"bs_skip_bits2", 5},
	121: {"bs_test_tail2", 3},
	122: {"bs_save2", 2},
	123: {"bs_restore2", 2},
	124: {"gc_bif1", 5},
	125: {"gc_bif2", 6},
	126: {"bs_final2", 2},
	127: {"bs_bits_to_bytes2", 2},
	128: {"put_literal", 2},
	129: {"is_bitstr", 2},
	130: {"bs_context_to_binary", 1},
	131: {"bs_test_unit", 3},
	132: {"bs_match_string", 4},
	133: {"bs_init_writable", 0},
	134: {"bs_append", 8},
	135: {"bs_private_append", 6},
	136: {"trim", 2},
	137: {"bs_init_bits", 6},
	138: {"bs_get_utf8", 5},
	139: {"bs_skip_utf8", 4},
	140: {"bs_get_utf16", 5},
	141: {"bs_skip_utf16", 4},
	142: {"bs_get_utf32", 5},
	143: {"bs_skip_utf32", 4},
	144: {"bs_utf8_size", 3},
	145: {"bs_put_utf8", 3},
	146: {"bs_utf16_size", 3},
	147: {"bs_put_utf16", 3},
	148: {"bs_put_utf32", 3},
	149: {"on_load", 0},
	150: {"recv_mark", 1},
	151: {"recv_set", 1},
	152: {"gc_bif3", 7},
	153: {"line", 1},
	154: {"put_map_assoc", 5},
	155: {"put_map_exact", 5},
	156: {"is_map", 2},
	157: {"has_map_fields", 3},
	158: {"get_map_elements", 3},
	159: {"is_tagged_tuple", 4},
	160: {"build_stacktrace", 0},
	161: {"raw_raise", 0},
	162: {"get_hd", 2},
	163: {"get_tl", 2},
	164: {"put_tuple2", 2},
	165: {"bs_get_tail", 3},
	166: {"bs_start_match3", 4},
	167: {"bs_get_position", 3},
	168: {"bs_set_position", 2},
	169: {"swap", 2},
	170: {"bs_start_match4", 4},
	171: {"make_fun3", 3},
	172: {"init_yregs", 1},
	173: {"recv_marker_bind", 2},
	174: {"recv_marker_clear", 1},
	175: {"recv_marker_reserve", 1},
	176: {"recv_marker_use", 1},
	177: {"bs_create_bin", 6},
	178: {"call_fun2", 3},
	179: {"nif_start", 0},
	180: {"badrecord", 1},
	181: {"update_record", 5},
	182: {"bs_match", 3},
	183: {"executable_line", 2},
	184: {"debug_line", 4},
	185: {"bif3", 6},
	186: {"is_any_native_record", 2},
	187: {"is_native_record", 4},
	188: {"get_record_elements", 3},
	189: {"put_record", 6},
	190: {"is_record_accessible", 3},
	191: {"get_record_field", 5},
}
