package node

import (
	"slices"
	"strconv"
	"strings"
)

// +M flags steer ERTS's allocators, which do not exist here. They are checked
// as ERTS checks them and have no effect.

// allocKind is what the value of an allocator's parameter must look like.
type allocKind uint8

const (
	allocAmount allocKind = iota
	allocKB
	allocMB
	allocBool
	allocPercent // or "de"
	allocStrategy
	allocPool
	allocAny
)

// allocParam is a parameter's name, by which it is recognised when an argument
// starts with it; the value may follow at once.
type allocParam struct {
	name string
	kind allocKind
}

// allocatorParams are those of each allocator (+MBas, +MHmbcgs), in the order
// ERTS tries them.
var allocatorParams = []allocParam{
	{"acul", allocPercent}, {"acnl", allocAmount}, {"acfml", allocAmount}, {"acful", allocPercent},
	{"asbcst", allocKB}, {"as", allocStrategy}, {"atags", allocBool}, {"cp", allocPool}, {"e", allocBool},
	{"lmbcs", allocKB}, {"mbcgs", allocAmount}, {"mbsd", allocAmount}, {"mmbcs", allocKB}, {"mmmbc", allocAmount},
	{"mmsbc", allocAmount}, {"rsbcmt", allocAmount}, {"rsbcst", allocAmount}, {"rmbcmt", allocAmount}, {"ramv", allocBool},
	{"sbct", allocKB}, {"smbcs", allocKB}, {"t", allocBool},
}

// otherAllocParams are those that are not of one allocator, by the letters that
// come before them.
var otherAllocParams = []struct {
	letter string
	params []allocParam
}{
	{"I", []allocParam{{"scs", allocMB}}},
	{"M", []allocParam{{"amcbf", allocKB}, {"rmcbf", allocAmount}, {"mcs", allocAmount}, {"scs", allocMB},
		{"sco", allocBool}, {"scrpm", allocBool}, {"scrfsd", allocAmount}}},
	{"Y", []allocParam{{"tt", allocAmount}, {"tp", allocAmount}, {"m", allocAny}, {"e", allocBool}}},
	{"u", []allocParam{{"ycs", allocKB}, {"mmc", allocAmount}, {"sac", allocBool}}},
}

// alloc checks a +M flag and reads its value.
func (p *emuParser) alloc(rest string) error {
	if rest == "" {
		return badAlloc("M")
	}
	letter, param := rest[:1], rest[1:]
	switch letter {
	case "e":
		return p.allocEnable(param)
	case "l", "d":
		name := map[string]string{"l": "pm", "d": "ai"}[letter]
		if !strings.HasPrefix(param, name) {
			return badAlloc("M" + letter)
		}
		return p.allocWord(letter, param[2:])
	}
	for _, o := range otherAllocParams {
		if o.letter != letter {
			continue
		}
		for _, q := range o.params {
			if strings.HasPrefix(param, q.name) {
				return p.allocValue(letter, q, param[len(q.name):])
			}
		}
	}
	if !strings.Contains("BIDEFHLRSTZu", letter) {
		if letter == "M" || letter == "Y" {
			return badAlloc("M" + letter)
		}
		return badAlloc("M")
	}
	for _, q := range allocatorParams {
		if strings.Contains("IT", letter) && (strings.HasPrefix(q.name, "ac") || q.name == "cp") {
			continue // these do not share their memory
		}
		if strings.HasPrefix(param, q.name) {
			return p.allocValue(letter, q, param[len(q.name):])
		}
	}
	return badAlloc("M" + letter)
}

// allocEnable is +Mea: a whole configuration by its name.
func (p *emuParser) allocEnable(param string) error {
	if !strings.HasPrefix(param, "a") {
		return badAlloc("M")
	}
	v, err := p.value(param[1:])
	if err == nil && !slices.Contains([]string{"min", "max", "config", "r9c", "r10b", "r11b"}, v) {
		return badAlloc("Mea")
	}
	return err
}

// allocWord is +Mlpm or +Mdai.
func (p *emuParser) allocWord(letter, rest string) error {
	name := "M" + letter + map[string]string{"l": "pm", "d": "ai"}[letter]
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	ok := v == "all" || v == "no"
	if letter == "d" {
		_, ok = leadingInt(v)
		ok = ok || v == "max"
	}
	if !ok {
		return badAllocValue(name, v)
	}
	return nil
}

func (p *emuParser) allocValue(letter string, q allocParam, rest string) error {
	v, err := p.value(rest)
	if err != nil {
		return err
	}
	n, isNum := leadingInt(v)
	ok, name := false, "M"+letter+q.name
	switch q.kind {
	case allocAny:
		ok = true
	case allocAmount:
		ok = isNum
	case allocKB:
		ok = isNum && n <= 1<<54
	case allocMB:
		ok = isNum && n <= 1<<44
	case allocPercent:
		ok = isNum && n <= 100 || v == "de"
	case allocBool:
		ok = v == "true" || v == "false"
		if v == "false" && q.name == "e" && strings.Contains("ITY", letter) || v == "true" && q.name == "t" && letter == "I" {
			ok = false
		}
	case allocStrategy:
		name = "M" + letter + "a"
		ok = slices.Contains([]string{"bf", "aobf", "gf", "af", "aoff", "aoffcbf", "aoffcaobf", "ageffcaoff", "ageffcbf", "ageffcaobf"}, v)
	case allocPool:
		ok = len(v) == 1 && strings.Contains("BDEFHLRS@:", v)
	}
	if !ok {
		return badAllocValue(name, v)
	}
	return nil
}

// leadingInt reads the digits that a value starts with, as strtol does; other
// text may follow.
func leadingInt(v string) (n int64, ok bool) {
	v = strings.TrimLeft(v, " \t\n")
	end := 0
	for end < len(v) && '0' <= v[end] && v[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(v[:end], 10, 64)
	return n, err == nil
}

func badAlloc(param string) error { return emuUsage("bad \"%s\" parameter", param) }

func badAllocValue(param, v string) error { return emuUsage("bad \"%s\" value: %s", param, v) }
