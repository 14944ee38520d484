package main

// The internal instructions. To add one:
//
//   - a cold one (run outside the loop, at some 5 ns more): a row with cold
//     set here, and a function op<Name>(c *proc.Ctx, p *proc.Process, w uint64)
//     in a file of vm/interp. Its operands are words after the first, as
//     vm/interp/operand.go reads them; loader/spec emits it with
//     a.cold(op.<Name>, args…). The function moves p.IP on (next, branch) or
//     raises (raise).
//   - a hot one: a row with its forms here, and a body in
//     vm/interp/_ops/instr_<family>.go named like the row in lower camel case
//     (one for all forms, or <name>_<form> for one). See expand.go for the
//     names a body may use. loader/spec emits it with a.emit(op.B<Name>, args…),
//     which picks the first form that fits, and moves operands that fit none
//     through scratch registers. Keep a form of x registers only last.
//
// then `go generate ./vm/op`.
//
// A form has one letter for each operand:
//
//	x  X register (or float register, or scratch), byte offset from the context
//	y  Y register, byte offset from the stack pointer
//	a  X register below 128, in the aux bits
//	t  number in a 16-bit field      u  number in the aux bits
//	c  constant term in the next word   w  raw word (address, number)
//	f  branch, in the top half of the first word   F  branch in a word; 0 none
//
// x, y and t take the three 16-bit fields in order; with f only the first.
type row struct {
	name  string
	forms string
	doc   string
	cold  bool
	list  bool // words of varying number follow; an operand counts them
}

var rows = []row{
	// Moves.
	{name: "move", forms: "xx yx xy yy cx cy", doc: "D := S"},
	{name: "swap", forms: "xx xy yy", doc: "exchange two registers"},

	// Lists and tuples.
	{name: "get_list", forms: "xxx yxx xxy xyx", doc: "D1, D2 := head and tail of S"},
	{name: "get_hd", forms: "xx yx xy", doc: "D := head of S"},
	{name: "get_tl", forms: "xx yx xy", doc: "D := tail of S"},
	{name: "put_list", forms: "xxx xcx cxx yxx xyx yyx ycx xxy xcy", doc: "D := [H|T]; the room was tested"},
	{name: "get_tuple_element", forms: "xtx ytx xty yty", doc: "D := element at a byte offset of S"},
	{name: "set_tuple_element", forms: "xxt", doc: "destructive update, of record updates by old compilers"},
	{name: "put_tuple", forms: "xt yt", list: true, doc: "D := tuple of n source words that follow"},

	// What the verifier could not prove of an operand.
	{name: "check_cons", forms: "x y", doc: "error:badarg unless a cons"},
	{name: "check_tuple", forms: "xw yw", doc: "error:badarg unless a tuple of so many elements or more"},
	{name: "check_map", forms: "x y"},
	{name: "check_float", forms: "x y"},

	// Tests.
	{name: "is_nonempty_list", forms: "xf yf"},
	{name: "is_list", forms: "xf yf"},
	{name: "is_nil", forms: "xf yf"},
	{name: "is_atom", forms: "xf yf"},
	{name: "is_boolean", forms: "xf yf"},
	{name: "is_integer", forms: "xf yf"},
	{name: "is_float", forms: "xf yf"},
	{name: "is_number", forms: "xf yf"},
	{name: "is_tuple", forms: "xf yf"},
	{name: "is_pid", forms: "xf yf"},
	{name: "is_port", forms: "xf yf"},
	{name: "is_reference", forms: "xf yf"},
	{name: "is_map", forms: "xf yf"},
	{name: "is_function", forms: "xf yf"},
	{name: "is_binary", forms: "xf yf", doc: "whole bytes"},
	{name: "is_bitstr", forms: "xf yf"},
	{name: "test_arity", forms: "xwf ywf", doc: "S is a tuple; has it this header?"},
	{name: "is_tuple_of_arity", forms: "xwf ywf", doc: "S is a tuple with this header"},
	{name: "is_tagged_tuple", forms: "xwcf ywcf", doc: "header, first element"},
	{name: "is_eq_imm", forms: "xcf ycf", doc: "=:= with an immediate"},
	{name: "is_ne_imm", forms: "xcf ycf", doc: "=/= with an immediate"},
	{name: "is_eq_exact", forms: "xaf yaf xcf xxF"},
	{name: "is_ne_exact", forms: "xaf yaf xcf xxF"},
	{name: "is_eq", forms: "xaf xcf xxF"},
	{name: "is_ne", forms: "xaf xcf xxF"},
	{name: "is_lt", forms: "xaf xcf yaf ycf cxF xxF", doc: "fails unless S1 < S2"},
	{name: "is_ge", forms: "xaf xcf yaf ycf cxF xxF", doc: "fails unless S1 >= S2"},
	{name: "jump", forms: "f"},
	{name: "length", cold: true, doc: "live, fail, export, destination, source, words to skip; length_more follows"},
	{name: "length_more", cold: true, doc: "live, fail, export, destination"},
	{name: "costly_jump", cold: true, doc: "branch, live: costs a reduction, and may end the slice"},
	{name: "select_table", forms: "xwwF ywwF", list: true, doc: "least small, count; offsets follow"},
	{name: "select_list", forms: "xwF ywF", list: true, doc: "count; immediates, then their offsets follow"},
	{name: "select_arity", forms: "xwF ywF", list: true, doc: "count; headers, then their offsets"},

	// Frames and calls.
	{name: "allocate", forms: "tu", doc: "frame of so many bytes, live"},
	{name: "allocate_heap", forms: "ttu", doc: "frame and room in bytes, live"},
	{name: "test_heap", forms: "tu", doc: "room in bytes, live"},
	{name: "deallocate", forms: "t"},
	{name: "deallocate_return", forms: "t"},
	{name: "trim", forms: "t"},
	{name: "return_", forms: "-"},
	{name: "call", forms: "f"},
	{name: "call_last", forms: "tf"},
	{name: "call_only", forms: "f"},
	{name: "call_ext", forms: "w", doc: "export"},
	{name: "call_ext_last", forms: "tw"},
	{name: "call_ext_only", forms: "w"},
	{name: "call_native", forms: "w", doc: "builtin of an export, from a function with a frame"},
	{name: "native_entry", forms: "-", doc: "a builtin called as a function; its row is in the word before"},
	{name: "apply", forms: "tw", doc: "arity in bytes; the export it led to last"},
	{name: "apply_last", forms: "ttw", doc: "arity in bytes, frame bytes; the export"},
	{name: "call_fun", forms: "t", doc: "fun in X[n], n arguments"},
	{name: "call_fun_last", forms: "tt", doc: "frame bytes, arguments"},

	// Superinstructions (loader/spec/rules.go): several of the above in one.
	{name: "move2", forms: "xxxa xxay xxya xayy xyxa xyay xyya ayyy yxxa yxay yxya yayy yyxa yyay yyya cxxa cxya cyxy cxcx cycy xxcx yxcx cxyy xycx xycy", doc: "two moves, in order"},
	{name: "clear2", forms: "yy", doc: "Y := [], twice"},
	{name: "clear3", forms: "yyy"},
	{name: "clear_run", forms: "yt", doc: "so many bytes of Y registers := []"},
	{name: "get_map_element", forms: "xcxF ycxF xcyF", doc: "D := value of an immediate key, or branch"},
	{name: "move_call", forms: "xaf yaf caf"},
	{name: "move_call_only", forms: "xaf yaf caf"},
	{name: "move_call_last", forms: "xxtF yxtF cxtF"},
	{name: "move_call_ext", forms: "xxw yxw cxw"},
	{name: "move_call_ext_only", forms: "xxw yxw cxw"},
	{name: "move_call_ext_last", forms: "xxtw yxtw cxtw"},
	{name: "move_return", forms: "x y c", doc: "X0 := S, return"},
	{name: "move_deallocate_return", forms: "xt yt ct"},
	{name: "allocate_move", forms: "tuxy", doc: "frame, live; Y := X"},
	{name: "next_list", forms: "xxxF yxxF xxyF xyxF", doc: "branch unless a cons; its head and tail"},
	{name: "next_tl", forms: "xxF yxF", doc: "branch unless a cons; its tail"},
	{name: "next_hd", forms: "xxF yxF"},
	{name: "get_tuple_element2", forms: "xtxa ytxa", doc: "two elements that follow each other"},

	// Receive.
	{name: "loop_rec", forms: "xf yf", doc: "D := message at the save pointer, or branch"},
	{name: "loop_rec_end", forms: "f", doc: "moves the save pointer on, branches back"},

	// Builtins in guards and bodies: source, destination, live, fail, export.
	{name: "bif0", forms: "xw yw"},
	{name: "bif1", forms: "xxFw yxFw"},
	{name: "bif2", forms: "xxxFw xcxFw"},
	{name: "gc_bif1", forms: "xxuFw yxuFw"},
	{name: "gc_bif2", forms: "xxxuFw xcxuFw"},
	{name: "self", forms: "x y"},
	{name: "hd", forms: "xxFw yxFw"},
	{name: "tl", forms: "xxFw yxFw"},
	{name: "tuple_size", forms: "xxFw yxFw"},
	{name: "element", forms: "xxxFw cxxFw cyxFw"},
	{name: "eq_exact", forms: "xxxFw xcxFw"},
	{name: "ne_exact", forms: "xxxFw xcxFw"},
	{name: "add", forms: "xcxuFw xxxuFw yxxuFw ycxuFw xcyuFw xxyuFw"},
	{name: "sub", forms: "xcxuFw xxxuFw yxxuFw ycxuFw xcyuFw xxyuFw cxxuFw"},
	{name: "mul", forms: "xxxuFw xcxuFw"},
	{name: "divide", forms: "xxxuFw xcxuFw cxxuFw", doc: "the operator /"},
	{name: "int_div", forms: "xxxuFw xcxuFw"},
	{name: "int_rem", forms: "xxxuFw xcxuFw"},
	{name: "band", forms: "xxxuFw xcxuFw"},
	{name: "bor", forms: "xxxuFw xcxuFw"},
	{name: "bxor", forms: "xxxuFw xcxuFw"},
	{name: "bsr", forms: "xxxuFw xcxuFw"},
	{name: "bsl", forms: "xxxuFw xcxuFw"},

	// Floats.
	{name: "fload", forms: "xx yx", doc: "float register := boxed float"},
	{name: "fstore", forms: "xx xy", doc: "boxed float; the room was tested"},
	{name: "fconv", forms: "xx", doc: "float register := number"},
	{name: "fadd", forms: "xxx"},
	{name: "fsub", forms: "xxx"},
	{name: "fmul", forms: "xxx"},
	{name: "fdiv", forms: "xxx"},
	{name: "fnegate", forms: "xx"},

	// Bit syntax: matching. Sizes are in bits; a field's flags are in its top byte.
	{name: "bs_start_match", forms: "xxuF yxuF", doc: "D := match context of S"},
	{name: "bs_get8", forms: "xxF yxF", doc: "D := unsigned big-endian integer"},
	{name: "bs_get16", forms: "xxF yxF"},
	{name: "bs_get32", forms: "xxF yxF"},
	{name: "bs_get_int", forms: "xwxuF"},
	{name: "bs_get_bin", forms: "xwxuF"},
	{name: "bs_get_all", forms: "xtxuF", doc: "D := the rest, of this unit"},
	{name: "bs_get_tail", forms: "xxu", doc: "D := the rest; the position stays"},
	{name: "bs_get_utf8", forms: "xxF yxF"},
	{name: "bs_skip", forms: "xwF ywF"},
	{name: "bs_test_tail0", forms: "xf yf"},
	{name: "bs_test_tail", forms: "xwF ywF"},
	{name: "bs_test_unit8", forms: "xf yf"},
	{name: "bs_get_pos", forms: "xx"},
	{name: "bs_set_pos", forms: "xx"},
	{name: "bs_match_bytes", forms: "xtwF", doc: "the next bits, whole bytes, are those at an address"},

	// Catches.
	{name: "catch", forms: "yF", doc: "Y := catch tag of a handler"},
	{name: "try_end", forms: "y"},

	// Cold: frames and control.
	{name: "func_info", cold: true, doc: "function_clause"},
	{name: "allocate_big", cold: true, doc: "frame words, heap words, live"},
	{name: "call_error_handler", cold: true, doc: "an export without code"},
	{name: "unloaded_fun", cold: true},
	{name: "apply3", cold: true, doc: "erlang:apply/3: frame bytes or -1, as an entry or in place"},
	{name: "apply_fun", cold: true, doc: "erlang:apply/2"},
	{name: "hibernate", cold: true},
	{name: "normal_exit", cold: true},
	{name: "start_apply", cold: true, doc: "the first instruction of a process"},
	{name: "badmatch", cold: true},
	{name: "case_end", cold: true},
	{name: "if_end", cold: true},
	{name: "try_case_end", cold: true},
	{name: "badrecord", cold: true},
	{name: "unsupported", cold: true, doc: "an opcode that cannot be executed yet"},
	{name: "catch_end", cold: true},
	{name: "try_case", cold: true},
	{name: "raise", cold: true},
	{name: "raw_raise", cold: true},
	{name: "build_stacktrace", cold: true},
	{name: "fail_bif", cold: true, doc: "a guard builtin that is none: undef"},

	// Cold: receive and send.
	{name: "send", cold: true},
	{name: "remove_message", cold: true},
	{name: "wait", cold: true},
	{name: "wait_timeout", cold: true},
	{name: "timeout", cold: true},
	{name: "recv_marker_reserve", cold: true},
	{name: "recv_marker_bind", cold: true},
	{name: "recv_marker_clear", cold: true},
	{name: "recv_marker_use", cold: true},

	// Cold: data.
	{name: "make_fun", cold: true, doc: "fun entry, dst, n, free variables"},
	{name: "is_function2", cold: true, doc: "fail, S, arity"},
	{name: "put_map_assoc", cold: true},
	{name: "put_map_exact", cold: true},
	{name: "has_map_fields", cold: true},
	{name: "get_map_elements", cold: true},
	{name: "update_record", cold: true},
	{name: "select_val", cold: true, doc: "by comparison: floats, bignums, mixed"},
	{name: "gc_bif", cold: true, doc: "live, fail, export, dst, n, sources"},
	{name: "get_element", cold: true, doc: "tuple element beyond 16 bits"},
	{name: "put_element", cold: true, doc: "set_tuple_element beyond 16 bits"},

	// Cold: tracing.
	{name: "trace_entry", cold: true, doc: "a breakpoint; its other bits are those of the instruction that stood there"},
	{name: "return_trace", cold: true, doc: "a call returns whose result is traced"},
	{name: "exception_trace", cold: true, doc: "the same, exceptions too"},
	{name: "return_to", cold: true, doc: "a call returns whose caller is traced"},
	{name: "return_time", cold: true, doc: "a call returns whose time is taken"},

	// Cold: bit syntax.
	{name: "bs_start", cold: true, doc: "fail, S, live, D"},
	{name: "bs_start_match2", cold: true, doc: "fail, S, live, slots, D"},
	{name: "bs_save2", cold: true, doc: "context, slot"},
	{name: "bs_restore2", cold: true, doc: "context, slot"},
	{name: "bs_context_to_binary", cold: true, doc: "context, D"},
	{name: "bs_get_int_var", cold: true, doc: "fail, context, live, size, unit, flags, D"},
	{name: "bs_get_bin_var", cold: true, doc: "fail, context, live, size, unit, D"},
	{name: "bs_get_float", cold: true, doc: "fail, context, live, size, unit, flags, D"},
	{name: "bs_get_tail_var", cold: true, doc: "context, live, D"},
	{name: "bs_skip_var", cold: true, doc: "fail, context, size, unit"},
	{name: "bs_test_unit", cold: true, doc: "fail, context, unit"},
	{name: "bs_ensure", cold: true, doc: "fail, context, bits, unit (0: exactly)"},
	{name: "bs_match_string", cold: true, doc: "fail, context, bits, address"},
	{name: "bs_match_int", cold: true, doc: "fail, context, bits, value"},
	{name: "bs_get_utf16", cold: true, doc: "fail, context, flags, D"},
	{name: "bs_get_utf32", cold: true, doc: "fail, context, flags, D"},
	{name: "bs_create_bin", cold: true, doc: "fail, room, live, D, n, segments"},
	{name: "bs_init", cold: true, doc: "fail, size, unit, room, live, D"},
	{name: "bs_append", cold: true, doc: "fail, size, room, live, unit, S, D, private"},
	{name: "bs_init_writable", cold: true},
	{name: "bs_put_int", cold: true, doc: "fail, size, unit, flags, S"},
	{name: "bs_put_float", cold: true, doc: "fail, size, unit, flags, S"},
	{name: "bs_put_bin", cold: true, doc: "fail, size or all, unit, S"},
	{name: "bs_put_string", cold: true, doc: "bits, address"},
	{name: "bs_put_utf", cold: true, doc: "fail, width, flags, S"},
	{name: "bs_utf_size", cold: true, doc: "width, S, D"},
	{name: "bs_add", cold: true, doc: "fail, S1, S2, unit, D"},
}
