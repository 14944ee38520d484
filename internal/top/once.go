package top

import (
	"context"
	"io"
	"strings"
	"time"
)

// Once takes a sample after a wait, with rates over that time. limit is the
// most processes and ports that it holds; 0: all.
func Once(ctx context.Context, c Caller, v *View, limit int) (*Sample, error) {
	src, err := NewSource(ctx, c)
	if err != nil {
		return nil, err
	}
	if _, err := src.Sample(ctx, 0, v.Ports); err != nil {
		return nil, err
	}
	s, err := src.Sample(ctx, max(v.Interval, time.Millisecond), v.Ports)
	if err != nil {
		return nil, err
	}
	v.Prepare(s)
	if limit > 0 {
		s.Procs, s.Ports = s.Procs[:min(limit, len(s.Procs))], s.Ports[:min(limit, len(s.Ports))]
	}
	visible := make([]*Process, len(s.Procs))
	for i := range s.Procs {
		visible[i] = &s.Procs[i]
	}
	return s, src.Translate(ctx, visible)
}

// Text writes all of a sample, without the sequences of a terminal.
func (v *View) Text(s *Sample, w io.Writer, width int) error {
	rows := len(s.Procs)
	if v.Ports {
		rows = len(s.Ports)
	}
	const around = 40 // more than there are lines above the list
	lines, _ := v.Frame(s, width, rows+around)
	var b strings.Builder
	for _, l := range lines[:len(lines)-1] {
		if l = strings.TrimRight(plain(l), " "); l != "" {
			b.WriteString(l + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain removes the sequences that Frame writes.
func plain(l string) string {
	return strings.NewReplacer("\x1b[7m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(l)
}
