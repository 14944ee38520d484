package pcre

import "strings"

// errorTexts are PCRE 8.44's texts by its own error numbers; PCRE2 uses the
// same numbers, plus 100, for the same errors, with the exceptions below.
var errorTexts = [...]string{
	1: `\ at end of pattern`, 2: `\c at end of pattern`, 3: `unrecognized character follows \`,
	4: `numbers out of order in {} quantifier`, 5: `number too big in {} quantifier`,
	6: `missing terminating ] for character class`, 7: `invalid escape sequence in character class`,
	8: `range out of order in character class`, 9: `nothing to repeat`,
	10: `internal error: invalid forward reference offset`, 11: `internal error: unexpected repeat`,
	12: `unrecognized character after (? or (?-`, 13: `POSIX named classes are supported only within a class`,
	14: `missing )`, 15: `reference to non-existent subpattern`, 16: `erroffset passed as NULL`,
	17: `unknown option bit(s) set`, 18: `missing ) after comment`, 19: `parentheses nested too deeply`,
	20: `regular expression is too large`, 21: `failed to get memory`, 22: `unmatched parentheses`,
	23: `internal error: code overflow`, 24: `unrecognized character after (?<`,
	25: `lookbehind assertion is not fixed length`, 26: `malformed number or name after (?(`,
	27: `conditional group contains more than two branches`, 28: `assertion expected after (?( or (?(?C)`,
	29: `(?R or (?[+-]digits must be followed by )`, 30: `unknown POSIX class name`,
	31: `POSIX collating elements are not supported`, 34: `character value in \x{} or \o{} is too large`,
	35: `invalid condition (?(0)`, 36: `\C not allowed in lookbehind assertion`,
	37: `PCRE does not support \L, \l, \N{name}, \U, or \u`, 38: `number after (?C is > 255`,
	39: `closing ) for (?C expected`, 40: `recursive call could loop indefinitely`,
	41: `unrecognized character after (?P`, 42: `syntax error in subpattern name (missing terminator)`,
	43: `two named subpatterns have the same name`, 44: `invalid UTF-8 string`,
	45: `support for \P, \p, and \X has not been compiled`, 46: `malformed \P or \p sequence`,
	47: `unknown property name after \P or \p`, 48: `subpattern name is too long (maximum 32 characters)`,
	49: `too many named subpatterns (maximum 10000)`, 51: `octal value is greater than \377 in 8-bit non-UTF-8 mode`,
	52: `internal error: overran compiling workspace`, 53: `internal error: previously-checked referenced subpattern not found`,
	54: `DEFINE group contains more than one branch`, 56: `inconsistent NEWLINE options`,
	57: `\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number`,
	58: `a numbered reference must not be zero`, 59: `an argument is not allowed for (*ACCEPT), (*FAIL), or (*COMMIT)`,
	60: `(*VERB) not recognized or malformed`, 61: `number is too big`, 62: `subpattern name expected`,
	63: `digit expected after (?+`, 65: `different names for subpatterns of the same number are not allowed`,
	66: `(*MARK) must have an argument`, 68: `\c must be followed by an ASCII character`,
	69: `\k is not followed by a braced, angle-bracketed, or quoted name`,
	70: `internal error: unknown opcode in find_fixedlength()`, 71: `\N is not supported in a class`,
	72: `too many forward references`, 73: `disallowed Unicode code point (>= 0xd800 && <= 0xdfff)`,
	75: `name is too long in (*MARK), (*PRUNE), (*SKIP), or (*THEN)`, 78: `setting UTF is disabled by the application`,
	79: `non-hex character in \x{} (closing brace missing?)`, 80: `non-octal character in \o{} (closing brace missing?)`,
	81: `missing opening brace after \o`, 82: `parentheses are too deeply nested`,
	83: `invalid range in character class`, 84: `group name must start with a non-digit`,
	86: `digits missing in \x{} or \o{}`, 87: `regular expression is too complicated`,
}

// renumbered maps errors of PCRE2 to the PCRE 8 number that says the same.
var renumbered = map[int]int{
	11: 12, 12: 13, 13: 31, 19: 87, 29: 63, 35: 25, 44: 84, 50: 83, 55: 81, 58: 29,
	64: 80, 67: 79, 74: 78, 76: 75, 78: 86, 86: 87,
}

func newError(code, offset int, pattern []byte) *Error {
	n := code - 100
	if m, ok := renumbered[n]; ok {
		n = m
	}
	if code < 0 { // invalid UTF-8 in the pattern
		n = 44
	}
	n, offset = reworded(n, offset, pattern)
	text := "internal error"
	if n > 0 && n < len(errorTexts) && errorTexts[n] != "" {
		text = errorTexts[n]
	}
	return &Error{Text: text, Offset: max(offset, 0)}
}

// reworded turns PCRE2's idea of an error and its place into PCRE 8's, where
// the two libraries look at a pattern differently.
func reworded(n, off int, p []byte) (int, int) {
	rest := string(p[min(off, len(p)):])
	before := string(p[:min(off, len(p))])
	switch n {
	case 37, 43, 47, 51, 65, 69, 71, 83: // PCRE 8 points before, not behind
		return n, off - 1
	case 57:
		if rest == "" {
			return 58, off - 1
		}
	case 12:
		if strings.HasSuffix(before, "(?") && strings.HasPrefix(rest, "<") {
			return 24, off
		}
	case 14:
		if strings.HasSuffix(before, "-") && rest == "" {
			return 12, off
		}
	case 62:
		if strings.HasSuffix(before, "(?<") && rest == "" {
			return 24, off
		}
	case 25: // at the end of the assertion
		return n, closing(p, off)
	case 15:
		return nonexistent(off, p)
	}
	return n, off
}

// nonexistent places a reference to a group that is not there: PCRE 8 points
// behind the name, or, for a number after a backslash, at the end.
func nonexistent(off int, p []byte) (int, int) {
	start := off
	for start > 0 && word(p[start-1]) {
		start--
	}
	if start > 0 && p[start-1] == '\\' {
		if off < len(p) && p[off] == 'g' || strings.HasSuffix(string(p), `\g0`) {
			return 58, off - 1
		}
		return 15, len(p)
	}
	end := off
	for end < len(p) && !word(p[end]) {
		end++
	}
	zero := end < len(p) && p[end] == '0'
	for end < len(p) && word(p[end]) {
		end++
	}
	if strings.HasPrefix(string(p[max(off-3, 0):]), "(?(") || strings.HasPrefix(string(p[max(off-2, 0):]), "(?(") {
		end++ // a condition
		if zero {
			return 35, end
		}
	} else if p[max(end-1, 0)] >= '0' && p[max(end-1, 0)] <= '9' {
		return 15, off
	}
	return 15, end
}

func word(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// closing returns where the group that begins at off ends.
func closing(p []byte, off int) int {
	depth := 0
	for i := off; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return off
}
