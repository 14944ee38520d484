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
	any := bifType{0, vAny}
	atom, num, integer := bifType{0, typeAtom}, bifType{vNumber, vNumber}, bifType{0, typeInt}
	add(0, bifType{0, typePid}, "self")
	add(0, atom, "node")
	add(1, atom, "not", "is_atom", "is_binary", "is_bitstring", "is_boolean", "is_float", "is_function", "is_integer",
		"is_list", "is_map", "is_number", "is_pid", "is_port", "is_reference", "is_tuple", "node")
	add(2, atom, "and", "or", "xor", "=:=", "=/=", "==", "/=", "<", "=<", ">", ">=", "is_function", "is_map_key", "is_record")
	add(3, atom, "is_record", "is_integer")
	add(1, bifType{typeCons, vAny}, "hd", "tl")
	add(1, bifType{typeTuple, typeInt}, "tuple_size")
	add(1, bifType{typeMap, typeInt}, "map_size")
	add(1, bifType{typeBits, typeInt}, "byte_size", "bit_size")
	add(1, bifType{vList, typeInt}, "length")
	add(1, integer, "size")
	add(1, bifType{vNumber, typeInt}, "trunc", "round", "ceil", "floor")
	add(1, bifType{typeInt, typeInt}, "bnot")
	add(1, bifType{vNumber, typeFloat}, "float")
	add(1, num, "+", "-", "abs")
	add(2, num, "+", "-", "*")
	add(2, bifType{vNumber, typeFloat}, "/")
	add(2, bifType{typeInt, typeInt}, "div", "rem", "band", "bor", "bxor", "bsl", "bsr")
	add(2, bifType{typeTuple, vAny}, "element")
	add(2, bifType{typeMap, vAny}, "map_get")
	add(2, bifType{0, typeBits}, "binary_part")
	add(3, bifType{0, typeBits}, "binary_part")
	add(2, any, "min", "max")
	add(1, any, "get")
	add(1, bifType{vList, typeAtom}, "list_to_atom") // OTP 29
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
