package bif

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/beamrd/beamrd/io/file"
	"github.com/beamrd/beamrd/vm/heap"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

const nifIO = native.NIF | native.DirtyIO

var primFileRows = []native.Row{
	{Module: "prim_file", Name: "open_nif", Arity: 2, Fn: pfOpen, Flags: nifIO},
	{Module: "prim_file", Name: "file_desc_to_ref_nif", Arity: 1, Fn: pfFromFd, Flags: nifIO},
	{Module: "prim_file", Name: "close_nif", Arity: 1, Fn: pfClose, Flags: nifIO},
	{Module: "prim_file", Name: "delayed_close_nif", Arity: 1, Fn: pfDelayedClose, Flags: nifIO},
	{Module: "prim_file", Name: "read_nif", Arity: 2, Fn: pfRead, Flags: nifIO},
	{Module: "prim_file", Name: "write_nif", Arity: 2, Fn: pfWrite, Flags: nifIO},
	{Module: "prim_file", Name: "pread_nif", Arity: 3, Fn: pfPread, Flags: nifIO},
	{Module: "prim_file", Name: "pwrite_nif", Arity: 3, Fn: pfPwrite, Flags: nifIO},
	{Module: "prim_file", Name: "seek_nif", Arity: 3, Fn: pfSeek, Flags: nifIO},
	{Module: "prim_file", Name: "sync_nif", Arity: 2, Fn: pfSync, Flags: nifIO},
	{Module: "prim_file", Name: "truncate_nif", Arity: 1, Fn: pfTruncate, Flags: nifIO},
	{Module: "prim_file", Name: "allocate_nif", Arity: 3, Fn: pfAllocate, Flags: nifIO},
	{Module: "prim_file", Name: "advise_nif", Arity: 4, Fn: pfAdvise, Flags: nifIO},
	{Module: "prim_file", Name: "read_handle_info_nif", Arity: 1, Fn: pfHandleInfo, Flags: nifIO},
	{Module: "prim_file", Name: "ipread_s32bu_p32bu_nif", Arity: 3, Fn: pfIpread, Flags: nifIO},
	{Module: "prim_file", Name: "get_handle_nif", Arity: 1, Fn: pfGetHandle, Flags: native.NIF},

	{Module: "prim_file", Name: "read_file_nif", Arity: 1, Fn: pfReadFile, Flags: nifIO},
	{Module: "prim_file", Name: "make_hard_link_nif", Arity: 2, Fn: pfHardLink, Flags: nifIO},
	{Module: "prim_file", Name: "make_soft_link_nif", Arity: 2, Fn: pfSoftLink, Flags: nifIO},
	{Module: "prim_file", Name: "rename_nif", Arity: 2, Fn: pfRename, Flags: nifIO},
	{Module: "prim_file", Name: "read_info_nif", Arity: 2, Fn: pfReadInfo, Flags: nifIO},
	{Module: "prim_file", Name: "set_permissions_nif", Arity: 2, Fn: pfSetPermissions, Flags: nifIO},
	{Module: "prim_file", Name: "set_owner_nif", Arity: 3, Fn: pfSetOwner, Flags: nifIO},
	{Module: "prim_file", Name: "set_time_nif", Arity: 4, Fn: pfSetTime, Flags: nifIO},
	{Module: "prim_file", Name: "read_link_nif", Arity: 1, Fn: pfReadLink, Flags: nifIO},
	{Module: "prim_file", Name: "list_dir_nif", Arity: 1, Fn: pfListDir, Flags: nifIO},
	{Module: "prim_file", Name: "make_dir_nif", Arity: 1, Fn: pfMakeDir, Flags: nifIO},
	{Module: "prim_file", Name: "del_file_nif", Arity: 1, Fn: pfDelFile, Flags: nifIO},
	{Module: "prim_file", Name: "del_dir_nif", Arity: 1, Fn: pfDelDir, Flags: nifIO},
	{Module: "prim_file", Name: "get_device_cwd_nif", Arity: 1, Fn: pfDeviceCwd, Flags: nifIO},
	{Module: "prim_file", Name: "set_cwd_nif", Arity: 1, Fn: pfSetCwd, Flags: nifIO},
	{Module: "prim_file", Name: "get_cwd_nif", Arity: 0, Fn: pfGetCwd, Flags: nifIO},
	{Module: "prim_file", Name: "altname_nif", Arity: 1, Fn: pfAltname, Flags: nifIO},

	{Module: "prim_file", Name: "internal_name2native", Arity: 1, Fn: pfName2Native},
	{Module: "prim_file", Name: "internal_native2name", Arity: 1, Fn: pfNative2Name},
	{Module: "prim_file", Name: "is_translatable", Arity: 1, Fn: pfIsTranslatable},
	{Module: "file", Name: "native_name_encoding", Arity: 0, Fn: fileNativeNameEncoding},
}

// States of an open file. Operations hold it busy; if its owner dies meanwhile
// the operation closes it when it is done. A file whose owner dies while it is
// idle is closed by the helper process of prim_file, on a dirty thread.
const (
	fileIdle int32 = iota
	fileBusy
	fileClosePending
	fileClosed
)

// primFile is the resource behind a file reference.
type primFile struct {
	state atomic.Int32
	fd    int
	mu    sync.Mutex
	unmon func() // ends the watch on the owner
	bin   *heap.Bin
}

// primFileHelper is the pid of prim_file's helper process, given to load_nif.
var primFileHelper atomic.Uint64

// PrimFileLoaded takes the load information of prim_file.
func PrimFileLoaded(pid term.Term) bool {
	if !pid.IsInternalPid() {
		return false
	}
	primFileHelper.Store(uint64(pid))
	return true
}

func errnoTuple(c *native.Call, err error) term.Term {
	return c.ErrorTuple(term.Intern(file.ErrnoName(file.Errno(err))))
}

// okOr returns ok, or the error.
func okOr(c *native.Call, err error) term.Term {
	if err != nil {
		return errnoTuple(c, err)
	}
	return term.AmOk
}

func (f *primFile) closeFd() error {
	fd := f.fd
	f.fd = -1
	err := unix.Close(fd)
	if f.bin != nil {
		// The count that kept the open file alive without references.
		f.bin.Unref()
	}
	return err
}

// newFileRef makes the reference of a freshly opened file and watches its
// owner.
func newFileRef(c *native.Call, fd int) term.Term {
	f := &primFile{fd: fd}
	ref, bin := newResource(c, f)
	bin.Ref()
	f.bin = bin
	unmon, ok := proc.OnExit(c.P, func() { f.ownerDied() })
	if !ok {
		f.state.Store(fileClosed)
		f.closeFd()
		return errnoTuple(c, unix.EINVAL)
	}
	f.mu.Lock()
	f.unmon = unmon
	f.mu.Unlock()
	return c.Ok(ref)
}

// ownerDied runs when the controlling process has exited, on a thread that
// must not block.
func (f *primFile) ownerDied() {
	for {
		if f.state.CompareAndSwap(fileIdle, fileClosed) {
			helper := term.Term(primFileHelper.Load())
			sendResourceMessage(helper, term.Intern("close"), f.bin)
			return
		}
		if f.state.Load() != fileBusy || f.state.CompareAndSwap(fileBusy, fileClosePending) {
			return
		}
	}
}

func fileOf(t term.Term) (*primFile, bool) {
	f, ok := resourceValue(t).(*primFile)
	return f, ok
}

// withFile runs an operation on an idle file.
func withFile(c *native.Call, op func(c *native.Call, f *primFile) term.Term) term.Term {
	f, ok := fileOf(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	if !f.state.CompareAndSwap(fileIdle, fileBusy) {
		return errnoTuple(c, unix.EINVAL)
	}
	r := op(c, f)
	if !f.state.CompareAndSwap(fileBusy, fileIdle) {
		f.state.Store(fileClosed)
		f.closeFd()
	}
	return r
}

func pfOpen(c *native.Call) term.Term {
	if l := c.Arg(1); !l.IsList() && !l.IsNil() {
		return c.Badarg()
	}
	path, err := pathArg(c.Arg(0))
	if err != nil {
		return errnoTuple(c, err)
	}
	fd, err := file.Open(path, openModes(c.Arg(1)))
	if err != nil {
		return errnoTuple(c, err)
	}
	return newFileRef(c, fd)
}

var fileModes = map[term.Term]file.Mode{
	term.Intern("read"): file.Read, term.Intern("write"): file.Write, term.Intern("exclusive"): file.Exclusive,
	term.Intern("append"): file.Append, term.Intern("sync"): file.Sync, term.Intern("skip_type_check"): file.SkipTypeCheck,
	term.Intern("directory"): file.Directory,
}

// openModes reads a list of modes; those it does not know are handled above.
func openModes(l term.Term) (m file.Mode) {
	for ; l.IsList(); l = l.Tail() {
		m |= fileModes[l.Head()]
	}
	if m&(file.Append|file.Exclusive) != 0 {
		m |= file.Write
	} else if m&(file.Read|file.Write) == 0 {
		m |= file.Read
	}
	return m
}

func pfFromFd(c *native.Call) term.Term {
	fd, ok := intArg(c.Arg(0))
	if !ok || fd < -1<<31 || fd >= 1<<31 {
		return c.Badarg()
	}
	if err := file.IsOpen(int(fd)); err != nil {
		return errnoTuple(c, err)
	}
	return newFileRef(c, int(fd))
}

func pfClose(c *native.Call) term.Term {
	f, ok := fileOf(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	if !f.state.CompareAndSwap(fileIdle, fileClosed) {
		return errnoTuple(c, unix.EINVAL)
	}
	f.mu.Lock()
	unmon := f.unmon
	f.mu.Unlock()
	if unmon != nil {
		unmon()
	}
	return okOr(c, f.closeFd())
}

func pfDelayedClose(c *native.Call) term.Term {
	f, ok := fileOf(c.Arg(0))
	if !ok {
		return c.Badarg()
	}
	f.closeFd()
	return term.AmOk
}
