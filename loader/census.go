package loader

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// CensusResult is what Census found.
type CensusResult struct {
	Files, Functions, Instructions int
	Unproven                       int // instructions in their checked form
	Failed                         []CensusFailure
	Read, Load                     time.Duration
}

// CensusFailure is a file that was refused.
type CensusFailure struct {
	Path string
	Err  error
}

// Census loads every .beam file below the directories, short of making it
// current, writes what failed and the totals to w, and returns them.
func Census(dirs []string, w io.Writer) (*CensusResult, error) {
	var paths []string
	for _, d := range dirs {
		err := filepath.WalkDir(d, func(p string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(p, ".beam") {
				paths = append(paths, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(paths)
	r := &CensusResult{}
	for _, p := range paths {
		r.file(p)
	}
	for _, f := range r.Failed {
		fmt.Fprintf(w, "%s: %v\n", f.Path, f.Err)
	}
	fmt.Fprintf(w, "%d files, %d functions, %d instructions (%d checked), %d refused; read %v, load %v\n",
		r.Files, r.Functions, r.Instructions, r.Unproven, len(r.Failed),
		r.Read.Round(time.Millisecond), r.Load.Round(time.Millisecond))
	return r, nil
}

func (r *CensusResult) file(path string) {
	r.Files++
	t := time.Now()
	b, err := os.ReadFile(path)
	if err == nil {
		b, err = Decompress(b)
	}
	t2 := time.Now()
	r.Read += t2.Sub(t)
	if err == nil {
		err = r.load(b)
	}
	r.Load += time.Since(t2)
	if err != nil {
		r.Failed = append(r.Failed, CensusFailure{path, err})
	}
}

func (r *CensusResult) load(b []byte) error {
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
	r.Functions += len(u.funcs)
	for _, fn := range u.funcs {
		r.Instructions += len(fn.Instrs)
		for i := range fn.Instrs {
			if fn.Instrs[i].Unproven {
				r.Unproven++
			}
		}
	}
	p := &Prepared{mod: u.module()}
	p.Drop()
	f.mem.free()
	return nil
}
