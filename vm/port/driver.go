package port

import (
	"errors"
	"strings"
	"sync"
	"syscall"

	"github.com/beamrd/beamrd/vm/proc"
	"github.com/beamrd/beamrd/vm/term"
)

// The errors of Open besides a syscall.Errno.
var (
	ErrBadarg      = errors.New("badarg")
	ErrSystemLimit = errors.New("system_limit")
	ErrEinval      = errors.New("einval")
)

var drivers struct {
	sync.RWMutex
	byName map[string]Driver
}

// Register makes a driver known to {spawn,Name} and {spawn_driver,Name}.
func Register(d Driver) {
	drivers.Lock()
	defer drivers.Unlock()
	if drivers.byName == nil {
		drivers.byName = map[string]Driver{}
	}
	drivers.byName[d.Name()] = d
}

// Drivers returns the names of the linked-in drivers.
func Drivers() (names []string) {
	drivers.RLock()
	defer drivers.RUnlock()
	for n := range drivers.byName {
		names = append(names, n)
	}
	return names
}

// FindDriver returns the driver of a name, or nil.
func FindDriver(name string) Driver {
	drivers.RLock()
	defer drivers.RUnlock()
	return drivers.byName[name]
}

// The drivers behind {fd,In,Out}, {spawn_executable,_} and other {spawn,_}, and
// names of files; set by the node.
var FdDriver, SpawnDrv, FileDriver Driver

// Open opens a port of a driver for an owner, which is linked to it; the caller
// enters the other half of the link.
func Open(d Driver, name string, owner term.Term, o *Options) (*Port, error) {
	p := &Port{Name: name, drv: d, owner: owner, opts: *o, regName: term.None,
		links: map[term.Term]bool{owner: true}, mons: map[proc.Key]watcher{}, gone: make(chan struct{})}

	p.mu.Lock()
	defer p.mu.Unlock()
	if !enter(p) {
		return nil, ErrSystemLimit
	}
	inst, err := d.Open(p, &p.opts)
	if err != nil {
		leave(p)
		return nil, err
	}
	p.inst = inst
	return p, nil
}

// OpenSpawn opens what {spawn,Cmd} and its variants name: a linked-in driver if
// the first word is one's name, else a program.
func OpenSpawn(cmd string, owner term.Term, o *Options) (*Port, error) {
	o.Command = cmd
	if o.SpawnType != SpawnExecutable {
		word := cmd
		if i := strings.IndexAny(cmd, " \t"); i >= 0 {
			word = cmd[:i]
		}
		if d := FindDriver(word); d != nil {
			return Open(d, cmd, owner, o)
		}
		if o.SpawnType == SpawnDriver {
			return nil, ErrBadarg
		}
	}
	if SpawnDrv == nil {
		return nil, syscall.ENOTSUP
	}
	return Open(SpawnDrv, cmd, owner, o)
}

// OpenFd opens {fd,In,Out}.
func OpenFd(name string, owner term.Term, o *Options) (*Port, error) {
	if FdDriver == nil {
		return nil, syscall.ENOTSUP
	}
	return Open(FdDriver, name, owner, o)
}

// OpenFile opens what a bare name stands for: a file.
func OpenFile(name string, owner term.Term, o *Options) (*Port, error) {
	if FileDriver == nil {
		return nil, syscall.ENOTSUP
	}
	o.Command = name
	return Open(FileDriver, name, owner, o)
}

// forker stands for port 0, which in ERTS talks to the program that forks
// others. Forking needs no program here; the port is there because tools count
// on the first port being taken.
type forker struct{}

func (forker) Name() string                              { return "forker" }
func (forker) Open(*Port, *Options) (Instance, error)    { return forker{}, nil }
func (forker) Output([][]byte)                           {}
func (forker) Control(op uint32, b []byte) (Reply, bool) { return Reply{}, false }
func (forker) Pending() int                              { return 0 }
func (forker) Stop()                                     {}

// OpenForker opens port 0, owned by pid 0.
func OpenForker() error {
	_, err := Open(forker{}, "forker", term.Pid(0), &Options{Read: true, Write: true})
	return err
}

// Adopt makes a port that a driver opens by itself (an accepted connection):
// it is linked with its owner, who learns of it by a signal.
func Adopt(d Driver, name string, owner term.Term, o *Options, open func(p *Port, o *Options) (Instance, error)) (*Port, error) {
	p, err := Open(adopted{d, open}, name, owner, o)
	if err != nil {
		return nil, err
	}
	p.drv = d
	if !proc.SendLink(p.ID, owner) {
		p.mu.Lock()
		p.exit(p.ID, term.AmNormal, false)
		p.mu.Unlock()
	}
	return p, nil
}

type adopted struct {
	Driver
	open func(p *Port, o *Options) (Instance, error)
}

func (a adopted) Open(p *Port, o *Options) (Instance, error) { return a.open(p, o) }
