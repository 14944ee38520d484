package loader

import (
	"errors"
	"strings"
	"testing"

	"github.com/beamrd/beamrd/vm/op"
)

// one is a function f/arity (labels 1 and 2) of the instructions given.
func one(arity int, body func(b *builder)) *builder {
	b := newBuilder()
	b.fn("f", arity, 1)
	body(b)
	return b
}

type crafted struct {
	name  string
	arity int
	instr string // where it is refused; "" when it is fine
	msg   string
	body  func(b *builder)
}

var craftedFiles = []crafted{
	{"identity", 1, "", "", func(b *builder) { b.emit(op.GReturn) }},
	{"return nothing gives []", 0, "", "", func(b *builder) { b.emit(op.GReturn) }},
	{"read of X never written becomes []", 1, "", "", func(b *builder) { b.emit(op.GMove, x(5), x(0)).emit(op.GReturn) }},
	{"Y without frame", 1, "move", "y0 is outside the frame", func(b *builder) { b.emit(op.GMove, y(0), x(0)).emit(op.GReturn) }},
	{"Y beyond the frame", 1, "move", "y2 is outside the frame", func(b *builder) {
		b.emit(op.GAllocate, 2, 1).emit(op.GMove, x(0), y(2)).emit(op.GDeallocate, 2).emit(op.GReturn)
	}},
	{"Y not initialised at a call becomes zeroed", 1, "", "", func(b *builder) {
		b.emit(op.GAllocate, 2, 1).emit(op.GCall, 1, f(2)).emit(op.GDeallocate, 2).emit(op.GReturn)
	}},
	{"frame left at return", 1, "return", "a stack frame is left", func(b *builder) { b.emit(op.GAllocate, 0, 1).emit(op.GReturn) }},
	{"two frames", 1, "allocate", "a stack frame already", func(b *builder) {
		b.emit(op.GAllocate, 0, 1).emit(op.GAllocate, 0, 1).emit(op.GReturn)
	}},
	{"wrong deallocate", 1, "deallocate", "deallocates 5 of 2", func(b *builder) {
		b.emit(op.GAllocate, 2, 1).emit(op.GDeallocate, 5).emit(op.GReturn)
	}},
	{"wrong call_last is set right", 1, "", "", func(b *builder) { b.emit(op.GAllocate, 2, 1).emit(op.GCallLast, 1, f(2), 77) }},
	{"call without frame", 1, "call", "no stack frame", func(b *builder) { b.emit(op.GCall, 1, f(2)).emit(op.GReturn) }},
	{"call with the wrong arity", 1, "call_only", "with 0 arguments", func(b *builder) { b.emit(op.GCallOnly, 0, f(2)) }},
	{"call into the middle", 1, "call_only", "no function's entry", func(b *builder) {
		b.emit(op.GCallOnly, 1, f(3)).emit(op.GLabel, 3).emit(op.GReturn)
	}},
	{"jump to another function", 1, "jump", "in another function", func(b *builder) {
		b.emit(op.GJump, f(4)).fn("g", 0, 3).emit(op.GMove, i(1), x(0)).emit(op.GReturn)
	}},
	{"jump to nowhere", 1, "jump", "does not exist", func(b *builder) { b.emit(op.GJump, f(3)) }},
	{"falls off the end", 1, "move", "end can be reached", func(b *builder) { b.emit(op.GMove, i(1), x(0)) }},
	{"falls into the next function", 1, "move", "end can be reached", func(b *builder) {
		b.emit(op.GMove, i(1), x(0)).fn("g", 1, 3).emit(op.GReturn)
	}},
	{"live counts too much", 1, "", "", func(b *builder) { b.emit(op.GTestHeap, 2, 2).emit(op.GReturn) }},
	{"live counts too little", 2, "move", "x1 holds nothing", func(b *builder) {
		b.emit(op.GTestHeap, 2, 1).emit(op.GMove, x(1), x(0)).emit(op.GReturn)
	}},
	{"huge live", 1, "test_heap", "live registers", func(b *builder) { b.emit(op.GTestHeap, 2, 5000).emit(op.GReturn) }},
	{"X lost at a call", 2, "move", "x1 holds nothing", func(b *builder) {
		b.emit(op.GAllocate, 0, 2).emit(op.GCall, 2, f(2)).emit(op.GMove, x(1), x(0)).emit(op.GDeallocate, 0).emit(op.GReturn)
	}},
	{"no heap reserved", 1, "put_list", "needs 2 words", func(b *builder) { b.emit(op.GPutList, x(0), nil, x(0)).emit(op.GReturn) }},
	{"heap reserved", 1, "", "", func(b *builder) { b.emit(op.GTestHeap, 2, 1).emit(op.GPutList, x(0), nil, x(0)).emit(op.GReturn) }},
	{"heap spent", 1, "put_tuple2", "needs 3 words", func(b *builder) {
		b.emit(op.GTestHeap, 4, 1).emit(op.GPutList, x(0), nil, x(0)).emit(op.GPutTuple2, x(0), l{x(0), x(0)}).emit(op.GReturn)
	}},
	{"heap on one way only", 2, "put_list", "needs 2 words", func(b *builder) {
		b.emit(op.GIsAtom, f(3), x(0)).emit(op.GTestHeap, 2, 2).emit(op.GLabel, 3).emit(op.GPutList, x(0), x(1), x(0)).emit(op.GReturn)
	}},
	{"element of anything is checked", 1, "", "", func(b *builder) { b.emit(op.GGetTupleElement, x(0), 3, x(0)).emit(op.GReturn) }},
	{"arity of anything is checked, and again", 1, "", "", func(b *builder) {
		b.emit(op.GTestArity, f(3), x(0), 1).emit(op.GReturn).
			emit(op.GLabel, 3).emit(op.GTestArity, f(4), x(0), 2).emit(op.GReturn).emit(op.GLabel, 4).emit(op.GReturn)
	}},
	{"set_tuple_element of an argument", 1, "set_tuple_element", "not just made", func(b *builder) {
		b.emit(op.GSetTupleElement, i(1), x(0), 0).emit(op.GReturn)
	}},
	{"register out of range", 1, "move", "register 1024", func(b *builder) { b.emit(op.GMove, i(1), x(1024)).emit(op.GReturn) }},
	{"tag read as a term", 1, "move", "catch tag", func(b *builder) {
		b.emit(op.GAllocate, 1, 1).emit(op.GTry, y(0), f(3)).emit(op.GMove, y(0), x(0)).emit(op.GTryEnd, y(0)).
			emit(op.GDeallocate, 1).emit(op.GReturn).
			emit(op.GLabel, 3).emit(op.GTryCase, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn)
	}},
	{"tag overwritten", 1, "move", "catch tag", func(b *builder) {
		b.emit(op.GAllocate, 1, 1).emit(op.GCatch, y(0), f(3)).emit(op.GMove, x(0), y(0)).
			emit(op.GLabel, 3).emit(op.GCatchEnd, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn)
	}},
	{"raise shared by ways with and without a tag", 1, "", "", func(b *builder) {
		b.emit(op.GAllocateZero, 1, 1).emit(op.GIsAtom, f(4), x(0)).emit(op.GTry, y(0), f(3)).emit(op.GIsNil, f(4), x(0)).
			emit(op.GTryEnd, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn).
			emit(op.GLabel, 3).emit(op.GTryCase, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn).
			emit(op.GLabel, 4).emit(op.GIfEnd)
	}},
	{"frame dropped with a tag", 1, "deallocate", "catch tag", func(b *builder) {
		b.emit(op.GAllocate, 1, 1).emit(op.GCatch, y(0), f(3)).emit(op.GDeallocate, 1).emit(op.GReturn).
			emit(op.GLabel, 3).emit(op.GCatchEnd, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn)
	}},
	{"try_end without try", 1, "try_end", "no such tag", func(b *builder) {
		b.emit(op.GAllocateZero, 1, 1).emit(op.GTryEnd, y(0)).emit(op.GDeallocate, 1).emit(op.GReturn)
	}},
	{"handler that does not start with try_case", 1, "try", "does not start with", func(b *builder) {
		b.emit(op.GAllocate, 1, 1).emit(op.GTry, y(0), f(3)).emit(op.GTryEnd, y(0)).emit(op.GLabel, 3).
			emit(op.GDeallocate, 1).emit(op.GReturn)
	}},
	{"context made up", 1, "", "", func(b *builder) {
		b.emit(op.GBsGetTail, x(0), x(0), 1).emit(op.GReturn) // checked
	}},
	{"string out of the chunk", 1, "bs_match_string", "string chunk", func(b *builder) {
		b.emit(op.GBsStartMatch3, f(1), x(0), 1, x(0)).emit(op.GBsMatchString, f(1), x(0), 64, 1<<40).emit(op.GReturn)
	}},
	{"bs_put without bs_init", 1, "bs_put_integer", "no bitstring", func(b *builder) {
		b.emit(op.GBsPutInteger, f(0), i(8), 1, 0, x(0)).emit(op.GReturn)
	}},
	{"builtin that is none", 1, "bif1", "not allowed in guards", func(b *builder) {
		b.emit(op.GBif1, f(0), b.imp("erlang", "halt", 1), x(0), x(0)).emit(op.GReturn)
	}},
	{"import out of range", 1, "call_ext_only", "import 7 of 0", func(b *builder) { b.emit(op.GCallExtOnly, 1, 7) }},
	{"import of another arity", 1, "call_ext_only", "with 1 arguments", func(b *builder) {
		b.emit(op.GCallExtOnly, 1, b.imp("m", "g", 3))
	}},
	{"lambda out of range", 0, "make_fun3", "lambda 0 of 0", func(b *builder) {
		b.emit(op.GTestHeap, al{2, 1}, 0).emit(op.GMakeFun3, 0, x(0), l{}).emit(op.GReturn)
	}},
	{"select list of odd length", 1, "select_val", "a list of 3", func(b *builder) {
		b.emit(op.GSelectVal, x(0), f(1), l{i(1), f(1), i(2)})
	}},
	{"select with a register", 1, "select_val", "wrong kind", func(b *builder) { b.emit(op.GSelectVal, x(0), f(1), l{x(1), f(1)}) }},
	{"writes a register twice", 1, "get_map_elements", "twice", func(b *builder) {
		b.emit(op.GGetMapElements, f(1), x(0), l{"a", x(1), "b", x(1)}).emit(op.GReturn)
	}},
	{"update of a record's element beyond it", 1, "update_record", "updates element 3 of 2", func(b *builder) {
		b.emit(op.GTestHeap, 3, 1).emit(op.GUpdateRecord, "copy", 2, x(0), x(0), l{u(3), i(1)}).emit(op.GReturn)
	}},
	{"operand of the wrong kind", 1, "move", "operand 2", func(b *builder) { b.emit(op.GMove, x(0), i(1)).emit(op.GReturn) }},
	{"obsolete instruction raises", 1, "", "", func(b *builder) { b.emit(op.GMPlus, f(0), x(0), x(0), x(0)).emit(op.GReturn) }},
	{"unreachable nonsense is checked for form", 1, "move", "operand 2", func(b *builder) {
		b.emit(op.GReturn).emit(op.GMove, x(0), i(1))
	}},
	{"loop without a call costs", 2, "", "", func(b *builder) {
		b.emit(op.GLabel, 3).emit(op.GIsAtom, f(4), x(0)).emit(op.GJump, f(3)).emit(op.GLabel, 4).emit(op.GReturn)
	}},
	{"test that fails to itself costs", 1, "", "", func(b *builder) {
		b.emit(op.GLabel, 3).emit(op.GIsAtom, f(3), x(0)).emit(op.GReturn)
	}},
	{"loop with a message in hand", 0, "jump", "still in the queue", func(b *builder) {
		b.emit(op.GAllocateZero, 1, 0).emit(op.GLabel, 3).emit(op.GLoopRec, f(4), x(0)).emit(op.GMove, x(0), y(0)).
			emit(op.GLabel, 5).emit(op.GIsAtom, f(6), y(0)).emit(op.GJump, f(5)).
			emit(op.GLabel, 6).emit(op.GLoopRecEnd, f(3)).emit(op.GLabel, 4).emit(op.GWait, f(3))
	}},
	{"argument lost on one way", 2, "move", "x1 holds nothing", func(b *builder) {
		b.emit(op.GIsAtom, f(3), x(0)).emit(op.GTestHeap, 2, 1).emit(op.GLabel, 3).emit(op.GMove, x(1), x(0)).emit(op.GReturn)
	}},
	{"old tuple", 1, "", "", func(b *builder) {
		b.emit(op.GTestHeap, 3, 1).emit(op.GPutTuple, 2, x(0)).emit(op.GPut, x(0)).emit(op.GPut, i(1)).emit(op.GReturn)
	}},
	{"old tuple without room", 1, "put_tuple2", "needs 3 words", func(b *builder) {
		b.emit(op.GPutTuple, 2, x(0)).emit(op.GPut, x(0)).emit(op.GPut, i(1)).emit(op.GReturn)
	}},
	{"old tuple without its elements raises", 1, "", "", func(b *builder) {
		b.emit(op.GPutTuple, 2, x(0)).emit(op.GPut, x(0)).emit(op.GReturn)
	}},
	{"slot of a context that is none", 1, "bs_save2", "slot", func(b *builder) {
		b.emit(op.GBsStartMatch2, f(1), x(0), 1, 1, x(0)).emit(op.GBsSave2, x(0), "stop").emit(op.GReturn)
	}},
	{"receive that loses a register", 2, "move", "x1 holds nothing", func(b *builder) {
		b.emit(op.GAllocate, 0, 2).emit(op.GLabel, 3).emit(op.GMove, x(1), x(0)).emit(op.GLoopRec, f(4), x(0)).
			emit(op.GLoopRecEnd, f(3)).emit(op.GLabel, 4).emit(op.GWait, f(3))
	}},
	{"message kept beyond the look at it", 0, "loop_rec_end", "still in the queue", func(b *builder) {
		b.emit(op.GAllocateZero, 1, 0).emit(op.GLabel, 3).emit(op.GLoopRec, f(4), x(0)).emit(op.GGetHd, x(0), y(0)).
			emit(op.GLoopRecEnd, f(3)).emit(op.GLabel, 4).emit(op.GWait, f(3))
	}},
	{"message passed on while in the queue", 0, "call", "still in the queue", func(b *builder) {
		b.emit(op.GAllocate, 0, 0).emit(op.GLabel, 3).emit(op.GLoopRec, f(4), x(0)).emit(op.GMove, x(0), x(1)).
			emit(op.GMove, i(1), x(0)).emit(op.GCall, 2, f(6)).
			emit(op.GLoopRecEnd, f(3)).emit(op.GLabel, 4).emit(op.GWait, f(3)).
			fn("g", 2, 5).emit(op.GReturn)
	}},
	{"message taken", 0, "", "", func(b *builder) {
		b.emit(op.GAllocateZero, 1, 0).emit(op.GLabel, 3).emit(op.GLoopRec, f(4), x(0)).emit(op.GMove, x(0), y(0)).
			emit(op.GRemoveMessage).emit(op.GMove, y(0), x(0)).emit(op.GDeallocate, 1).emit(op.GReturn).
			emit(op.GLabel, 4).emit(op.GWait, f(3))
	}},
	{"bignum in reserved heap", 1, "put_list", "needs 2 words", func(b *builder) {
		b.emit(op.GTestHeap, 2, 1).emit(op.GBif2, f(0), b.imp("erlang", "+", 2), x(0), x(0), x(0)).
			emit(op.GPutList, x(0), nil, x(0)).emit(op.GReturn)
	}},
	{"waiting by way of a jump", 1, "", "", func(b *builder) {
		b.emit(op.GAllocate, 0, 1).emit(op.GLabel, 3).emit(op.GWaitTimeout, f(4), x(0)).emit(op.GTimeout).
			emit(op.GMove, "ok", x(0)).emit(op.GDeallocate, 0).emit(op.GReturn).
			emit(op.GLabel, 4).emit(op.GJump, f(3))
	}},
	{"timeout lost by waiting", 1, "wait_timeout", "x0 holds nothing", func(b *builder) {
		b.emit(op.GAllocate, 0, 1).emit(op.GLabel, 3).emit(op.GLoopRec, f(4), x(1)).emit(op.GLoopRecEnd, f(3)).
			emit(op.GLabel, 4).emit(op.GWaitTimeout, f(3), x(0)).emit(op.GTimeout).emit(op.GMove, "ok", x(0)).
			emit(op.GDeallocate, 0).emit(op.GReturn)
	}},
}

func TestCrafted(t *testing.T) {
	for _, c := range craftedFiles {
		t.Run(c.name, func(t *testing.T) {
			p, err := Prepare(one(c.arity, c.body).file())
			if c.instr == "" {
				if err != nil {
					t.Fatal(err)
				}
				p.Drop()
				return
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("not refused: %v", err)
			}
			if e.Instr != c.instr || !strings.Contains(e.Msg, c.msg) || e.Chunk != "Code" || e.Offset < 0 {
				t.Errorf("refused for another reason: %v", e)
			}
		})
	}
}
