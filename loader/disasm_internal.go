package loader

import (
	"fmt"
	"io"

	"github.com/beamrd/beamrd/internal/offheap"
	"github.com/beamrd/beamrd/vm/code"
	"github.com/beamrd/beamrd/vm/op"
	"github.com/beamrd/beamrd/vm/term"
)

// printInternal writes the instructions that run of function i, with their
// word offsets in the module.
func (u *unit) printInternal(w io.Writer, i int) {
	ws := u.out.Words
	end := int32(len(ws))
	if i+1 < len(u.out.Infos) {
		end = u.out.Infos[i+1]
	}
	labels := map[int32]int{}
	for l, at := range u.out.Labels {
		if at >= 0 {
			labels[at] = l
		}
	}
	at := u.out.Infos[i] + code.InfoWords
	for at < end {
		if l, ok := labels[at]; ok {
			fmt.Fprintf(w, "%d:\n", l)
		}
		n := u.printInstr(w, at, end)
		if n <= 0 {
			fmt.Fprintf(w, "  %06d  what follows is not understood\n", at)
			return
		}
		at += n
	}
}

// printInstr writes one instruction and returns its length in words, 0 when it
// is not one.
func (u *unit) printInstr(w io.Writer, at, end int32) int32 {
	ws := u.out.Words
	w0 := ws[at]
	info := &op.Infos[w0&511]
	if info.Name == "" {
		return 0
	}
	fmt.Fprintf(w, "  %06d  %s", at, info.Name)
	if info.Cold {
		n := int32(w0 >> 16 & 0xffff)
		for i := at + 1; i < at+n && i < end; i++ {
			fmt.Fprint(w, " ", u.wordText(ws[i]))
		}
		fmt.Fprintln(w)
		return n
	}
	next, shift, count := at+1, 16, uint64(0)
	for _, k := range info.Kinds {
		v := w0 >> shift & 0xffff
		switch k {
		case 'x', 'y', 't':
			fmt.Fprint(w, " ", regText(k, v))
			shift += 16
			if k == 't' {
				count = v
			}
		case 'a':
			fmt.Fprintf(w, " x%d", w0>>9&127)
		case 'u':
			fmt.Fprintf(w, " %d", w0>>9&127)
		case 'f':
			fmt.Fprintf(w, " ->%d", at+int32(w0>>32)/8)
		case 'c', 'w', 'F':
			if next >= end {
				return 0
			}
			switch v := ws[next]; {
			case k == 'c':
				fmt.Fprint(w, " ", term.Term(v))
			case k == 'F' && v != 0:
				fmt.Fprintf(w, " ->%d", int64(at)+int64(v)/8)
			case k == 'F':
				fmt.Fprint(w, " -")
			default:
				fmt.Fprint(w, " ", u.wordText(v))
				count = v
			}
			next++
		}
	}
	fmt.Fprintln(w)
	if info.Words > 0 {
		return int32(info.Words)
	}
	return next - at + listWords(info.Name, count)
}

// wordText prints a raw word; an export or lambda by its name.
func (u *unit) wordText(v uint64) string {
	for _, e := range u.in.Imports {
		if uint64(offheap.Addr(e)) == v {
			return e.MFA.String()
		}
	}
	for _, f := range u.in.Funs {
		if uint64(offheap.Addr(f)) == v {
			return fmt.Sprintf("%s/%d", f.Name.Atom(), f.Arity+f.NumFree)
		}
	}
	return fmt.Sprintf("%#x", v)
}

// listWords is the number of words that follow an instruction with a list.
func listWords(name string, count uint64) int32 {
	if count > 1<<24 {
		return -1
	}
	switch name {
	case "put_tuple", "select_table":
		return int32(count)
	case "select_list", "select_arity":
		return int32(2 * count)
	}
	return 0
}

func regText(k rune, v uint64) string {
	switch {
	case k == 't':
		return fmt.Sprint(v)
	case k == 'y':
		return fmt.Sprintf("y%d", int(v)/8-1)
	case v >= op.ScratchOff:
		return fmt.Sprintf("scratch%d", (v-op.ScratchOff)/8)
	case v >= op.FloatOff:
		return fmt.Sprintf("fr%d", (v-op.FloatOff)/8)
	}
	return fmt.Sprintf("x%d", v/8)
}
