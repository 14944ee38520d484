package top

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Terminal is where a live view is shown.
type Terminal struct {
	In, Out *os.File
	// Timeout is how long the node may take to answer, a sample's own time not
	// counted; 0: for ever.
	Timeout time.Duration
	// Dial connects to the node. It is called again when the connection is lost.
	Dial func(ctx context.Context) (Caller, func(), error)
}

// Escape sequences: the alternate screen without a cursor; a frame that is shown
// at once where the terminal can (mode 2026).
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[2J"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	beginFrame  = "\x1b[?2026h\x1b[H"
	endLine     = "\x1b[K\r\n"
	endFrame    = "\x1b[K\x1b[J\x1b[?2026l"
)

// firstWait is how long the first figures are over.
const firstWait = 300 * time.Millisecond

// update is a new sample, or why there is none.
type update struct {
	sample *Sample
	err    error
}

// live is a running live view.
type live struct {
	t       Terminal
	v       *View
	screen  screen
	shown   *Sample // the last sample, sorted as v says
	page    int
	asked   chan request
	updates chan update
}

// request is what the sampler is to do next.
type request struct {
	wait    time.Duration
	ports   bool
	visible []*Process // whose beginnings the last frame would like to know
}

// Run shows the view until the user or a signal ends it, and restores the
// terminal. The first connection must succeed.
func (t Terminal) Run(ctx context.Context, v *View) error {
	c, closeConn, err := t.Dial(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &live{t: t, v: v, asked: make(chan request, 1), updates: make(chan update)}
	l.screen = screen{t.In, t.Out, nil}
	if err := l.screen.enter(); err != nil {
		closeConn()
		return err
	}
	defer l.screen.leave()
	go l.sample(ctx, c, closeConn)
	return l.loop(ctx)
}

// loop reacts to keys, signals and samples.
func (l *live) loop(ctx context.Context) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGCONT)
	defer signal.Stop(signals)
	keys := make(chan string)
	go readKeys(l.t.In, keys)
	l.ask(firstWait, nil)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-signals:
			switch s {
			case syscall.SIGWINCH:
			case syscall.SIGCONT:
				l.screen.resume()
			default:
				return nil
			}
			l.draw()
		case k, ok := <-keys:
			if !ok || l.v.Press(k, l.page) {
				return nil
			}
			if k == "\x1a" {
				l.screen.suspend()
			}
			l.draw()
		case u := <-l.updates:
			l.take(u)
		}
	}
}

// take shows an update and asks for the next.
func (l *live) take(u update) {
	if u.err != nil {
		l.v.Message = clean("no answer: " + u.err.Error())
		l.draw()
		l.ask(l.v.Interval, nil)
		return
	}
	l.v.Message = ""
	if !l.v.Paused {
		l.shown = u.sample
	}
	l.draw()
	var visible []*Process
	if l.shown != nil && !l.v.Ports {
		from, to := l.v.Shown(len(l.shown.Procs), l.page)
		for i := from; i < to; i++ {
			visible = append(visible, &l.shown.Procs[i])
		}
	}
	l.ask(l.v.Interval, visible)
}

func (l *live) ask(wait time.Duration, visible []*Process) {
	// The processes are copied: the sampler may answer while a frame is drawn.
	copies := make([]*Process, len(visible))
	for i, p := range visible {
		c := *p
		copies[i] = &c
	}
	l.asked <- request{wait, l.v.Ports, copies}
}

// sample answers requests, connecting again when the connection is lost.
func (l *live) sample(ctx context.Context, c Caller, closeConn func()) {
	var src *Source
	for {
		var r request
		select {
		case <-ctx.Done():
			closeConn()
			return
		case r = <-l.asked:
		}
		var u update
		if c == nil {
			sleep(ctx, r.wait)
		}
		asking, done := l.t.limit(ctx, r.wait)
		if c == nil {
			c, closeConn, u.err = l.t.Dial(asking)
		}
		if u.err == nil && src == nil {
			src, u.err = NewSource(asking, c)
		}
		if u.err == nil {
			u = take(asking, src, r)
		}
		done()
		if u.err != nil {
			if c != nil {
				closeConn()
			}
			c, src, closeConn = nil, nil, func() {}
		}
		select {
		case <-ctx.Done():
			closeConn()
			return
		case l.updates <- u:
		}
	}
}

// take takes one sample.
func take(ctx context.Context, src *Source, r request) update {
	if err := src.Translate(ctx, r.visible); err != nil {
		return update{err: err}
	}
	s, err := src.Sample(ctx, r.wait, r.ports)
	return update{s, err}
}

// limit is the context of the questions for one sample.
func (t *Terminal) limit(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	if t.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, t.Timeout+wait)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// draw writes a frame in one piece.
func (l *live) draw() {
	width, height, err := term.GetSize(int(l.t.Out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	var lines []string
	if l.shown != nil {
		l.v.Prepare(l.shown)
		lines, l.page = l.v.Frame(l.shown, width, height)
	} else {
		lines = []string{cut("Waiting for the first figures… "+l.v.Message, width)}
	}
	io.WriteString(l.t.Out, beginFrame+strings.Join(lines, endLine)+endFrame)
}

// readKeys sends what is typed, and closes the channel at the end of input.
func readKeys(in io.Reader, keys chan<- string) {
	defer close(keys)
	var pending []byte
	buf := make([]byte, 256)
	for {
		n, err := in.Read(buf)
		var ks []string
		ks, pending = splitKeys(append(pending, buf[:n]...))
		for _, k := range ks {
			keys <- k
		}
		if err != nil {
			return
		}
	}
}

// screen is the terminal's mode.
type screen struct {
	in, out *os.File
	old     *term.State // nil: as it was
}

func (s *screen) enter() error {
	old, err := term.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return fmt.Errorf("the terminal: %w", err)
	}
	s.old = old
	_, err = io.WriteString(s.out, enterScreen)
	return err
}

func (s *screen) leave() {
	if s.old == nil {
		return
	}
	io.WriteString(s.out, leaveScreen)
	term.Restore(int(s.in.Fd()), s.old)
	s.old = nil
}

// suspend stops the program as Ctrl-Z does, with the terminal as it was; resume
// follows when it goes on.
func (s *screen) suspend() {
	s.leave()
	syscall.Kill(0, syscall.SIGSTOP)
}

// resume is for a program that goes on, whoever stopped it.
func (s *screen) resume() {
	if s.old == nil {
		s.enter()
		return
	}
	// Stopped from outside: the mode may have been changed meanwhile.
	term.MakeRaw(int(s.in.Fd()))
	io.WriteString(s.out, enterScreen)
}
