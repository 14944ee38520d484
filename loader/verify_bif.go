package loader

import (
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

type bifKey struct {
	f term.Term
	n int
}

type bifType struct {
	arg, res vtype // of the last argument once it succeeded (0: any), of the result
	alloc    bool  // it may need heap: bifN takes it from what was reserved
	context  bool  // a match context will do
}

// guardBifs are the functions of erlang that bifN and gc_bifN may name: those
// allowed in guards, and the few more that compilers call in this way.
var guardBifs = func() map[bifKey]bifType {
	m := map[bifKey]bifType{}
	add := func(n int, t bifType, names ...string) {
		for _, s := range names {
			m[bifKey{term.Intern(s), n}] = t
		}
	}
	any, atom := bifType{res: vAny}, bifType{res: typeAtom}
	num, integer := bifType{arg: vNumber, res: vNumber, alloc: true}, bifType{arg: typeInt, res: typeInt, alloc: true}
	part := bifType{res: typeBits, alloc: true}
	add(0, bifType{res: typePid}, "self")
	add(0, atom, "node")
	add(1, atom, "not", "is_atom", "is_binary", "is_bitstring", "is_boolean", "is_float", "is_function", "is_integer",
		"is_list", "is_map", "is_number", "is_pid", "is_port", "is_reference", "is_tuple", "node")
	add(2, atom, "and", "or", "xor", "=:=", "=/=", "==", "/=", "<", "=<", ">", ">=", "is_function", "is_map_key", "is_record")
	add(3, atom, "is_record", "is_integer")
	add(1, bifType{arg: typeCons, res: vAny}, "hd", "tl")
	add(1, bifType{arg: typeTuple, res: typeInt}, "tuple_size")
	add(1, bifType{arg: typeMap, res: typeInt}, "map_size")
	add(1, bifType{arg: typeBits | typeMatch, res: typeInt, context: true}, "byte_size", "bit_size") // OTP 26
	add(1, bifType{arg: vList, res: typeInt}, "length")
	add(1, bifType{res: typeInt}, "size")
	add(1, bifType{arg: vNumber, res: typeInt, alloc: true}, "trunc", "round", "ceil", "floor")
	add(1, integer, "bnot")
	add(1, bifType{arg: vNumber, res: typeFloat, alloc: true}, "float")
	add(1, num, "+", "-", "abs")
	add(2, num, "+", "-", "*")
	add(2, bifType{arg: vNumber, res: typeFloat, alloc: true}, "/")
	add(2, integer, "div", "rem", "band", "bor", "bxor", "bsl", "bsr")
	add(2, bifType{arg: typeTuple, res: vAny}, "element")
	add(2, bifType{arg: typeMap, res: vAny}, "map_get")
	add(2, part, "binary_part")
	add(3, part, "binary_part")
	add(2, any, "min", "max")
	add(1, any, "get")
	add(1, bifType{arg: vList, res: typeAtom, alloc: true}, "list_to_atom") // OTP 29
	return m
}()

// guard returns what is known of the guard builtin an operand names.
func (v *verifier) guard(a *op.Arg, arity int) (t bifType) {
	i := v.imported(a, int64(arity))
	if i == nil {
		return t
	}
	t, ok := guardBifs[bifKey{i.Function, i.Arity}]
	if !ok || i.Module != term.AmErlang {
		v.fail("%s:%s/%d is not allowed in guards", i.Module.Atom(), i.Function.Atom(), i.Arity)
	}
	return t
}
