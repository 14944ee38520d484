package bif

import (
	"math"
	"time"

	"github.com/beamrd/beamrd/replay"
	"github.com/beamrd/beamrd/vm/native"
	"github.com/beamrd/beamrd/vm/term"
)

var erlangCalendarRows = []native.Row{
	{Module: "erlang", Name: "date", Arity: 0, Fn: erlangDate},
	{Module: "erlang", Name: "time", Arity: 0, Fn: erlangTime},
	{Module: "erlang", Name: "localtime", Arity: 0, Fn: erlangLocaltime},
	{Module: "erlang", Name: "universaltime", Arity: 0, Fn: erlangUniversaltime},
	{Module: "erlang", Name: "localtime_to_universaltime", Arity: 2, Fn: erlangLocalToUniversal},
	{Module: "erlang", Name: "universaltime_to_localtime", Arity: 1, Fn: erlangUniversalToLocal},
	{Module: "erlang", Name: "universaltime_to_posixtime", Arity: 1, Fn: erlangUniversalToPosix},
	{Module: "erlang", Name: "posixtime_to_universaltime", Arity: 1, Fn: erlangPosixToUniversal},
}

// civil is {{Year,Month,Day},{Hour,Minute,Second}}.
type civil struct{ year, month, day, hour, min, sec int64 }

func now() time.Time { return time.Unix(0, replay.Wall()) }

func civilOf(t time.Time) civil {
	return civil{
		int64(t.Year()), int64(t.Month()), int64(t.Day()),
		int64(t.Hour()), int64(t.Minute()), int64(t.Second()),
	}
}

func (v civil) date(c *native.Call) term.Term {
	return c.P.Heap.Tuple(term.Small(v.year), term.Small(v.month), term.Small(v.day))
}

func (v civil) time(c *native.Call) term.Term {
	return c.P.Heap.Tuple(term.Small(v.hour), term.Small(v.min), term.Small(v.sec))
}

func (v civil) term(c *native.Call) term.Term { return c.P.Heap.Tuple(v.date(c), v.time(c)) }

func erlangDate(c *native.Call) term.Term          { return civilOf(now().Local()).date(c) }
func erlangTime(c *native.Call) term.Term          { return civilOf(now().Local()).time(c) }
func erlangLocaltime(c *native.Call) term.Term     { return civilOf(now().Local()).term(c) }
func erlangUniversaltime(c *native.Call) term.Term { return civilOf(now().UTC()).term(c) }

// smalls reads a tuple of three small integers.
func smalls(t term.Term) (v [3]int64, ok bool) {
	if !t.IsTuple() || t.Arity() != 3 {
		return v, false
	}
	for i := range v {
		e := t.El(i + 1)
		if !e.IsSmall() {
			return v, false
		}
		v[i] = e.Small()
	}
	return v, true
}

// civilArg decodes a valid date and time with a year from minYear on.
func civilArg(t term.Term, minYear int64) (v civil, ok bool) {
	if !t.IsTuple() || t.Arity() != 2 {
		return v, false
	}
	d, ok1 := smalls(t.El(1))
	h, ok2 := smalls(t.El(2))
	if !ok1 || !ok2 {
		return v, false
	}
	v = civil{d[0], d[1], d[2], h[0], h[1], h[2]}
	ok = v.year >= minYear && v.year < math.MaxInt32-1900 && v.month >= 1 && v.month <= 12 &&
		v.day >= 1 && v.day <= monthDays(v.year, v.month) &&
		v.hour >= 0 && v.hour < 24 && v.min >= 0 && v.min < 60 && v.sec >= 0 && v.sec < 60
	return v, ok
}

func monthDays(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// posix returns the seconds since 1970 of a date and time in UTC.
func (v civil) posix() int64 {
	return daysFromCivil(v.year, v.month, v.day)*86400 + v.hour*3600 + v.min*60 + v.sec
}

// daysFromCivil counts the days since 1970-01-01 in the Gregorian calendar.
func daysFromCivil(y, m, d int64) int64 {
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	doy := (153*((m+9)%12)+2)/5 + d - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// civilFromPosix is the inverse of posix, for any year.
func civilFromPosix(s int64) civil {
	z := floorDiv(s, 86400)
	r := s - z*86400
	z += 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	m := (mp+2)%12 + 1
	y := yoe + era*400
	if m <= 2 {
		y++
	}
	return civil{y, m, doy - (153*mp+2)/5 + 1, r / 3600, r / 60 % 60, r % 60}
}

func erlangUniversalToPosix(c *native.Call) term.Term {
	v, ok := civilArg(c.Arg(0), 1600)
	if !ok {
		return c.Badarg()
	}
	return c.P.Heap.Int(v.posix())
}

func erlangPosixToUniversal(c *native.Call) term.Term {
	t := c.Arg(0)
	if !t.IsSmall() && !(t.IsBig() && t.Hdr()>>6 == 1 && t.W(1) < 1<<63) {
		return c.Badarg()
	}
	s := int64(0)
	if t.IsSmall() {
		s = t.Small()
	} else {
		s = int64(t.W(1))
		if t.Kind() == term.KNegBig {
			s = -s
		}
	}
	return civilFromPosix(s).term(c)
}

const baseYear = 1970

func erlangUniversalToLocal(c *native.Call) term.Term {
	v, ok := civilArg(c.Arg(0), baseYear)
	if !ok {
		return c.Badarg()
	}
	s := v.posix()
	_, off := time.Unix(s, 0).Local().Zone()
	return civilFromPosix(s + int64(off)).term(c)
}

func erlangLocalToUniversal(c *native.Call) term.Term {
	v, ok := civilArg(c.Arg(0), baseYear)
	dst := c.Arg(1)
	if !ok || !dst.IsBool() && dst != term.AmUndefined {
		return c.Badarg()
	}
	s := v.posix()
	return civilFromPosix(s - localOffset(s, dst)).term(c)
}

// zoneAt returns the offset from UTC in force at a POSIX time.
func zoneAt(s int64) (off int64, dst bool) {
	t := time.Unix(s, 0).Local()
	_, o := t.Zone()
	return int64(o), t.IsDST()
}

// localOffset returns the offset from UTC of a local time given as if it were
// UTC. As mktime(3): of an ambiguous or skipped time the one without daylight
// saving counts, unless dst (true, false, undefined) says which is meant; when
// the zone never has what dst asks for, an hour's difference is assumed.
func localOffset(s int64, dst term.Term) int64 {
	before, dst1 := zoneAt(s - 86400)
	after, dst2 := zoneAt(s + 86400)
	if dst == term.AmUndefined {
		now1, _ := zoneAt(s - before)
		now2, _ := zoneAt(s - after)
		switch ok1, ok2 := now1 == before, now2 == after; {
		case ok1 && !ok2, ok1 == ok2 && !dst1:
			return before
		}
		return after
	}
	want := dst == term.True
	switch {
	case dst1 == want:
		return before
	case dst2 == want:
		return after
	}
	for d := int64(7); d < 366; d += 7 {
		for _, at := range []int64{s - d*86400, s + d*86400} {
			if o, is := zoneAt(at); is == want {
				return o
			}
		}
	}
	if want {
		return before + 3600
	}
	return before - 3600
}
