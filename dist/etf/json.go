package etf

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"unicode/utf8"
)

// JSON returns a term as a value for encoding/json. It is for reading by
// programs that know what they asked for, and not every difference survives:
// atoms are strings, but true, false and null; binaries of UTF-8 are strings,
// others {"base64": …}; tuples and lists are arrays, printable lists of integers
// strings; maps are objects, whose keys are strings or text of terms; everything
// else is its text. A term deeper than 1000 is its text from there on.
func JSON(t Term) any { return toJSON(t, 1000) }

func toJSON(t Term, depth int) any {
	if depth == 0 {
		return Format(t)
	}
	list := func(l []Term) []any {
		out := make([]any, len(l))
		for i, e := range l {
			out[i] = toJSON(e, depth-1)
		}
		return out
	}
	switch v := t.(type) {
	case Atom:
		switch v {
		case "true", "false":
			return v == "true"
		case "null":
			return nil
		}
		return string(v)
	case float64:
		return v
	case *big.Int:
		return json.Number(v.String())
	case Binary:
		if utf8.Valid(v) {
			return string(v)
		}
		return map[string]any{"base64": base64.StdEncoding.EncodeToString(v)}
	case List:
		if printable(v) {
			s, _ := v.Text()
			return s
		}
		return list(v)
	case Tuple:
		return list(v)
	case Map:
		m := make(map[string]any, len(v))
		for _, p := range v {
			m[jsonKey(p.Key)] = toJSON(p.Value, depth-1)
		}
		return m
	}
	if n, ok := intOf(t); ok {
		return n
	}
	return Format(t)
}

func jsonKey(t Term) string {
	switch v := t.(type) {
	case Atom:
		return string(v)
	case Binary:
		if utf8.Valid(v) {
			return string(v)
		}
	case List:
		if printable(v) {
			s, _ := v.Text()
			return s
		}
	}
	return Format(t)
}
