package top

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// Frame lays a sample out on a screen: as many lines as there is room for, none
// wider than width, and the number of lines that the list has.
func (v *View) Frame(s *Sample, width, height int) (lines []string, page int) {
	lines = append(lines, v.title(s, width))
	lines = append(lines,
		fmt.Sprintf("Processes %d/%d  Ports %d/%d  Atoms %d/%d  Tables %d  Run queues %s",
			s.Processes, s.ProcessLimit, s.PortCount, s.PortLimit, s.Atoms, s.AtomLimit, s.Tables, queues(s.RunQueues)),
		memoryLine(s.Memory))
	if r := s.PerSecond; r != nil {
		lines = append(lines, fmt.Sprintf("Per second: %s reductions  %s switches  %s collections  in %s  out %s  CPU %.0f%%",
			count(r.Reductions), count(r.Switches), count(r.Collections), size(r.BytesIn), size(r.BytesOut), 100*r.CPU))
	} else {
		lines = append(lines, fmt.Sprintf("In all: %s reductions  %s switches  %s collections  in %s  out %s",
			count(float64(s.Reductions)), count(float64(s.Switches)), count(float64(s.Collections)), size(float64(s.BytesIn)), size(float64(s.BytesOut))))
	}
	lines = append(lines, schedulerLines(s.Schedulers, width, max(1, height/4))...)
	last := help
	if v.Message != "" {
		last = v.Message
	}
	page = max(0, height-len(lines)-2)
	var header string
	var rows []string
	if v.Ports {
		from, to := v.Shown(len(s.Ports), page)
		header, rows = portTable(s.Ports[from:to], width)
	} else {
		from, to := v.Shown(len(s.Procs), page)
		header, rows = processTable(s.Procs[from:to], width)
	}
	lines = append(append(lines, "\x1b[7m"+pad(header, width)+"\x1b[0m"), rows...)
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, "\x1b[2m"+cut(last, width)+"\x1b[0m")
	for i, l := range lines {
		if !strings.HasPrefix(l, "\x1b[") {
			lines[i] = cut(l, width)
		}
	}
	return lines[:min(len(lines), height)], page
}

func (v *View) title(s *Sample, width int) string {
	up := time.Duration(s.UptimeMS) * time.Millisecond
	left := fmt.Sprintf("%s  OTP %s (ERTS %s)  up %s", s.Node, s.OTP, s.ERTS, uptime(up))
	what := "processes"
	if v.Ports {
		what = "ports"
	}
	order := cmp.Or(string(v.Sort), string(ByReductions))
	if v.Reverse {
		order += ", reversed"
	}
	right := fmt.Sprintf("%s by %s, every %s", what, order, v.Interval)
	if v.Paused {
		right = "PAUSED  " + right
	}
	left = clean(left)
	if gap := width - runewidth.StringWidth(left) - runewidth.StringWidth(right); gap > 0 {
		return left + strings.Repeat(" ", gap) + right
	}
	return left + "  " + right
}

func uptime(d time.Duration) string {
	s := int64(d / time.Second)
	t := fmt.Sprintf("%02d:%02d:%02d", s/3600%24, s/60%60, s%60)
	if days := s / 86400; days > 0 {
		return fmt.Sprintf("%dd %s", days, t)
	}
	return t
}

func queues(q []int64) string {
	var b strings.Builder
	for i, n := range q {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	return b.String()
}

func memoryLine(m map[string]int64) string {
	b := func(k string) string { return size(float64(m[k])) }
	return fmt.Sprintf("Memory %s  processes %s  system %s  atom %s  binary %s  code %s  ets %s",
		b("total"), b("processes"), b("system"), b("atom"), b("binary"), b("code"), b("ets"))
}

// gaugeWidth is the width of the bar of a scheduler.
const gaugeWidth = 10

// schedulerLines shows the schedulers as bars on so many lines at most; when
// there are too many, one bar for each kind.
func schedulerLines(ss []Scheduler, width, most int) []string {
	if len(ss) == 0 {
		return []string{"Schedulers: measuring"}
	}
	var cells []string
	sum, n := map[string]float64{}, map[string]int{}
	for _, s := range ss {
		sum[s.Kind] += s.Busy
		n[s.Kind]++
		if s.Kind == "normal" {
			cells = append(cells, fmt.Sprintf("%2d %s", s.ID, bar(s.Busy)))
		}
	}
	mean := func(k string) float64 { return sum[k] / float64(max(1, n[k])) }
	perLine := max(1, width/(gaugeWidth+12))
	if (len(cells)+2+perLine-1)/perLine > most {
		cells = []string{fmt.Sprintf("%d schedulers %s", n["normal"], bar(mean("normal")))}
	}
	for _, k := range []string{"dirty_cpu", "dirty_io"} {
		if n[k] > 0 {
			cells = append(cells, fmt.Sprintf("%s %3.0f%%", strings.ReplaceAll(k, "_", " "), 100*mean(k)))
		}
	}
	var lines []string
	line := ""
	for _, c := range cells {
		if line != "" && len(line)+2+len(c) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += c
	}
	lines = append(lines, line)
	return lines[:min(len(lines), max(1, most))]
}

func bar(f float64) string {
	full := int(f*gaugeWidth + 0.5)
	return fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("|", full), strings.Repeat(" ", gaugeWidth-full), 100*f)
}

// processTable aligns the columns of a header and of rows; the column of names
// and the last take what room is left.
func processTable(ps []Process, width int) (string, []string) {
	flex := max(16, (width-54)/2)
	row := func(pid, name, rate, reds, mem, q, status, cur string) string {
		return fmt.Sprintf("%-11s %s %9s %9s %8s %7s %-8s %s", pid, pad(name, flex), rate, reds, mem, q, status, cur)
	}
	var rows []string
	for i := range ps {
		p := &ps[i]
		rows = append(rows, cut(row(p.Pid, p.displayName(), count(p.Rate), count(float64(p.Reductions)), size(float64(p.Memory)),
			count(float64(p.Queue)), short(p.Status), p.Current), width))
	}
	return row("PID", "NAME OR INITIAL CALL", "REDS/S", "REDS", "MEMORY", "QUEUE", "STATUS", "CURRENT FUNCTION"), rows
}

// portTable is processTable for ports.
func portTable(ps []PortInfo, width int) (string, []string) {
	flex := max(16, width-85)
	row := func(id, name, owner, in, out, rin, rout, q, mem string) string {
		return fmt.Sprintf("%-16s %s %-11s %8s %8s %9s %9s %8s %8s", id, pad(name, flex), owner, in, out, rin, rout, q, mem)
	}
	var rows []string
	for i := range ps {
		p := &ps[i]
		name := p.Name
		if p.RegName != "" {
			name = p.RegName + " (" + name + ")"
		}
		b := func(n int64) string { return size(float64(n)) }
		rows = append(rows, cut(row(p.Port, name, p.Owner, b(p.In), b(p.Out), size(p.RateIn), size(p.RateOut), b(p.Queue), b(p.Memory)), width))
	}
	return row("PORT", "NAME", "OWNER", "IN", "OUT", "IN/S", "OUT/S", "QUEUE", "MEMORY"), rows
}

// short abbreviates the longest status.
func short(status string) string {
	if status == "garbage_collecting" {
		return "gc"
	}
	return status
}

// clean replaces what a terminal would act on: names come from the node.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// cut shortens s to a width on the screen.
func cut(s string, width int) string { return runewidth.Truncate(clean(s), width, "") }

// pad brings s to a width on the screen.
func pad(s string, width int) string { return runewidth.FillRight(cut(s, width), width) }

// count writes a number in at most 6 characters.
func count(f float64) string { return scaled(f, 1000, []string{"", "k", "M", "G", "T", "P", "E"}) }

// size writes a number of bytes in at most 7 characters.
func size(f float64) string { return scaled(f, 1024, []string{"B", "K", "M", "G", "T", "P", "E"}) }

func scaled(f, unit float64, names []string) string {
	i := 0
	for f >= unit && i < len(names)-1 {
		f /= unit
		i++
	}
	if i == 0 || f >= 99.95 {
		return strconv.FormatFloat(f, 'f', 0, 64) + names[i]
	}
	return strconv.FormatFloat(f, 'f', 1, 64) + names[i]
}
