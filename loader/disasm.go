package loader

import (
	"fmt"
	"io"
	"strings"

	"github.com/beamrd/beamrd/vm/op"
)

// Disasm writes the instructions of a .beam file to w: the generic ones as
// verified, or those that run when internal is set. function is name/arity or
// name, and empty for all. An instruction marked with ! is in its checked form.
func Disasm(b []byte, function string, internal bool, w io.Writer) error {
	b, err := Decompress(b)
	if err != nil {
		return err
	}
	f, err := Parse(b)
	if err != nil {
		return err
	}
	u, err := f.assemble()
	if err != nil {
		f.Free()
		f.freeLiterals()
		return err
	}
	found := false
	for i, fn := range u.funcs {
		name := fmt.Sprintf("%s/%d", fn.Name.Atom(), fn.Arity)
		if function != "" && name != function && fn.Name.Atom().String() != function {
			continue
		}
		found = true
		fmt.Fprintf(w, "\n%s:%s\n", f.Module.Atom(), name)
		if internal {
			u.printInternal(w, i)
			continue
		}
		for j := range fn.Instrs {
			f.printGeneric(w, &fn.Instrs[j])
		}
	}
	(&Prepared{mod: u.module()}).Drop()
	if !found {
		return fmt.Errorf("no function %s in module %s", function, f.Module.Atom())
	}
	return nil
}

func (f *File) printGeneric(w io.Writer, in *op.Instr) {
	if in.Op == op.GLabel {
		fmt.Fprintf(w, "%d:\n", in.Args[0].Val)
		return
	}
	mark := " "
	if in.Unproven {
		mark = "!"
	}
	fmt.Fprintf(w, "  %06d %s%s", in.Off, mark, op.Generics[in.Op].Name)
	for i := range in.Args {
		sep := ", "
		if i == 0 {
			sep = " "
		}
		fmt.Fprint(w, sep, f.argText(in, i))
	}
	fmt.Fprintln(w)
}

// argText prints an operand; imports, lambdas and lines by what they refer to.
func (f *File) argText(in *op.Instr, i int) string {
	a := &in.Args[i]
	if a.Kind == op.ArgU {
		n := int(a.Val)
		switch k := refOperand(in.Op, i); {
		case k == 'i' && n < len(f.Imports):
			m := &f.Imports[n]
			return fmt.Sprintf("%s:%s/%d", m.Module, m.Function, m.Arity)
		case k == 'l' && n < len(f.Lambdas):
			return fmt.Sprintf("%s/%d", f.Lambdas[n].Function, f.Lambdas[n].Arity)
		case k == 'p' && n > 0 && n < len(f.Lines.Items):
			return fmt.Sprintf("%s:%d", f.Lines.Files[f.Lines.Items[n].File], f.Lines.Items[n].Line)
		}
	}
	s := operandText(a)
	if a.Type > 0 && int(a.Type) <= len(f.Types) {
		s += "::" + typeText(f.Types[a.Type-1].Mask)
	}
	return s
}

// refOperand tells whether an operand is an import (i), lambda (l) or line (p).
func refOperand(g op.Generic, i int) byte {
	switch g {
	case op.GCallExt, op.GCallExtLast, op.GCallExtOnly, op.GBif1, op.GBif2, op.GBif3:
		if i == 1 {
			return 'i'
		}
	case op.GBif0:
		if i == 0 {
			return 'i'
		}
	case op.GGcBif1, op.GGcBif2, op.GGcBif3:
		if i == 2 {
			return 'i'
		}
	case op.GMakeFun2, op.GMakeFun3:
		if i == 0 {
			return 'l'
		}
	case op.GLine, op.GExecutableLine:
		if i == 0 {
			return 'p'
		}
	}
	return 0
}

func operandText(a *op.Arg) string {
	switch a.Kind {
	case op.ArgX:
		return fmt.Sprintf("x%d", a.Val)
	case op.ArgY:
		return fmt.Sprintf("y%d", a.Val)
	case op.ArgFR:
		return fmt.Sprintf("fr%d", a.Val)
	case op.ArgF:
		if a.Val == 0 {
			return "-"
		}
		return fmt.Sprintf("->%d", a.Val)
	case op.ArgTerm:
		return a.Term().String()
	case op.ArgBig:
		return "(too big)"
	case op.ArgList, op.ArgAllo:
		var b strings.Builder
		b.WriteByte('[')
		for i := range a.List {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(operandText(&a.List[i]))
		}
		b.WriteByte(']')
		return b.String()
	}
	return fmt.Sprint(a.Val)
}

var typeNames = []string{"atom", "bits", "match", "cons", "float", "fun", "int", "map", "nil", "pid", "port", "ref", "tuple", "record"}

func typeText(mask uint32) string {
	if mask == typeAny {
		return "any"
	}
	var l []string
	for i, n := range typeNames {
		if mask>>i&1 != 0 {
			l = append(l, n)
		}
	}
	return strings.Join(l, "|")
}
