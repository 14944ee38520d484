package remsh

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"
)

// completionTime is how long a completion may take.
const completionTime = 2 * time.Second

// newConsole makes a console of a terminal, or of files where in is none.
func newConsole(in, out *os.File, complete func(string) string, menu func()) (console, error) {
	if !term.IsTerminal(int(in.Fd())) {
		return &plain{in: bufio.NewReader(in), out: out}, nil
	}
	return newTTY(in, out, complete, menu)
}

// plain reads lines from a file or pipe, without a prompt.
type plain struct {
	in  *bufio.Reader
	out io.Writer
	mu  sync.Mutex
}

func (p *plain) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *plain) ReadLine(prompt string) (string, error) {
	io.WriteString(p, prompt)
	l, err := p.in.ReadString('\n')
	if err != nil && l == "" {
		io.WriteString(p, "\n")
		return "", io.EOF
	}
	return strings.TrimRight(l, "\r\n"), nil
}

func (p *plain) ReadPassword(prompt string) (string, error) { return p.ReadLine(prompt) }
func (p *plain) Size() (int, int, bool)                     { return 0, 0, false }
func (p *plain) Close() error                               { return nil }

// tty is a terminal with line editing and history.
type tty struct {
	in    *os.File
	state *term.State
	t     *term.Terminal
	keys  *keys
	lines lines
	sizes chan os.Signal
	once  sync.Once
}

func newTTY(in, out *os.File, complete func(string) string, menu func()) (*tty, error) {
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	c := &tty{in: in, state: state, sizes: make(chan os.Signal, 1)}
	c.keys = newKeys(in, menu)
	c.t = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{c.keys, out}, "")
	c.t.History = &c.lines
	c.t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		r := []rune(line)
		add := complete(string(r[:pos]))
		return string(r[:pos]) + add + string(r[pos:]), pos + len([]rune(add)), true
	}
	c.resize()
	signal.Notify(c.sizes, syscall.SIGWINCH)
	go func() {
		for range c.sizes {
			c.resize()
		}
	}()
	return c, nil
}

func (c *tty) resize() {
	if w, h, err := term.GetSize(int(c.in.Fd())); err == nil && w > 0 && h > 0 {
		c.t.SetSize(w, h)
	}
}

func (c *tty) Write(b []byte) (int, error) { return c.t.Write(b) }

func (c *tty) Size() (int, int, bool) {
	w, h, err := term.GetSize(int(c.in.Fd()))
	return w, h, err == nil
}

func (c *tty) ReadLine(prompt string) (string, error) {
	// A prompt of several lines: the last is the one that is edited behind.
	if i := strings.LastIndexByte(prompt, '\n'); i >= 0 {
		io.WriteString(c.t, prompt[:i+1])
		prompt = prompt[i+1:]
	}
	c.keys.reading(true)
	defer c.keys.reading(false)
	c.lines.off = prompt == menuPrompt
	c.t.SetPrompt(prompt)
	return c.line(c.t.ReadLine())
}

func (c *tty) line(l string, err error) (string, error) {
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if c.keys.took() && err == nil {
		err = errMenu
	}
	return l, err
}

// lines is a history without empty lines and repetitions.
type lines struct {
	all []string
	off bool // while the menu is answered
}

const maxHistory = 1000

func (h *lines) Add(l string) {
	if n := len(h.all); h.off || strings.TrimSpace(l) == "" || n > 0 && h.all[n-1] == l {
		return
	}
	if h.all = append(h.all, l); len(h.all) > maxHistory {
		h.all = h.all[1:]
	}
}

func (h *lines) Len() int        { return len(h.all) }
func (h *lines) At(i int) string { return h.all[len(h.all)-1-i] }

func (c *tty) ReadPassword(prompt string) (string, error) {
	c.keys.reading(true)
	defer c.keys.reading(false)
	return c.line(c.t.ReadPassword(prompt))
}

func (c *tty) Close() error {
	var err error
	c.once.Do(func() {
		signal.Stop(c.sizes)
		close(c.sizes)
		err = term.Restore(int(c.in.Fd()), c.state)
	})
	return err
}

// The keys that lead to the menu: Ctrl-C and Ctrl-G.
const (
	ctrlC = 3
	ctrlG = 7
)

// keys reads the keyboard all the time, so that the menu can be had while the
// shell works, and hands the rest to whoever reads lines.
type keys struct {
	mu     sync.Mutex
	more   *sync.Cond
	buf    []byte
	marks  []int // where in buf the menu was asked for
	asked  bool
	reads  bool
	err    error
	menu   func()
	source io.Reader
}

func newKeys(r io.Reader, menu func()) *keys {
	k := &keys{menu: menu, source: r}
	k.more = sync.NewCond(&k.mu)
	go k.run()
	return k
}

// maxTyped is how much may be typed ahead.
const maxTyped = 1 << 20

func (k *keys) run() {
	b := make([]byte, 4096)
	for {
		n, err := k.source.Read(b)
		k.mu.Lock()
		for _, c := range b[:n] {
			switch {
			case c != ctrlC && c != ctrlG:
				if len(k.buf) < maxTyped {
					k.buf = append(k.buf, c)
				}
			case k.reads:
				k.marks = append(k.marks, len(k.buf))
			default:
				k.menu()
			}
		}
		k.err = err
		k.more.Broadcast()
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (k *keys) reading(on bool) {
	k.mu.Lock()
	k.reads = on
	k.mu.Unlock()
}

// dropLine are the keys that empty the line and end it: those of a line in which
// the menu is asked for.
const dropLine = "\x05\x15\r"

// took tells whether the menu was asked for in the line that was read last.
func (k *keys) took() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	asked := k.asked
	k.asked = false
	return asked
}

// Read returns what was typed, and dropLine where the menu was asked for.
func (k *keys) Read(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		n := len(k.buf)
		if len(k.marks) > 0 {
			n = k.marks[0]
			if n == 0 {
				k.marks = k.marks[1:]
				k.asked = true
				return copy(b, dropLine), nil
			}
		}
		if n > 0 {
			n = copy(b, k.buf[:n])
			k.buf = append(k.buf[:0], k.buf[n:]...)
			for i := range k.marks {
				k.marks[i] -= n
			}
			return n, nil
		}
		if k.err != nil {
			return 0, k.err
		}
		k.more.Wait()
	}
}
