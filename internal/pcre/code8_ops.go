package pcre

// Instructions of PCRE 8.44, by number (pcre_internal.h of OTP 25).
const (
	op8End         = 0
	op8NotProp     = 15
	op8Prop        = 16
	op8ExtUni      = 22
	op8CircM       = 28
	op8Char        = 29
	op8CharI       = 30
	op8Not         = 31
	op8NotI        = 32
	op8Star        = 33 // and 4 × 13 forms of single characters up to
	op8TypeStar    = 85
	op8CRStar      = 98
	op8CRPosRange  = 109
	op8Class       = 110
	op8NClass      = 111
	op8XClass      = 112
	op8Ref         = 113
	op8RefI        = 114
	op8DNRef       = 115
	op8DNRefI      = 116
	op8Recurse     = 117
	op8Callout     = 118
	op8Alt         = 119
	op8Ket         = 120
	op8KetRMax     = 121
	op8KetRMin     = 122
	op8KetRPos     = 123
	op8Reverse     = 124
	op8Assert      = 125
	op8AssertNot   = 126
	op8Behind      = 127
	op8BehindNot   = 128
	op8Once        = 129
	op8OnceNC      = 130
	op8Bra         = 131
	op8BraPos      = 132
	op8CBra        = 133
	op8CBraPos     = 134
	op8Cond        = 135
	op8SBra        = 136
	op8SBraPos     = 137
	op8SCBra       = 138
	op8SCBraPos    = 139
	op8SCond       = 140
	op8CRef        = 141
	op8DNCRef      = 142
	op8RRef        = 143
	op8DNRRef      = 144
	op8Def         = 145
	op8BraZero     = 146
	op8BraMinZero  = 147
	op8BraPosZero  = 148
	op8Mark        = 149
	op8PruneArg    = 151
	op8SkipArg     = 153
	op8ThenArg     = 155
	op8Accept      = 158
	op8AssAccept   = 159
	op8Close       = 160
	op8SkipZero    = 161
	anyRecursion8  = 0xffff
	types8         = 13 // forms of a repeat
	upto8, exact8  = 6, 8
	posUpto8       = 12
	crRange8       = 6
	crMinRange8    = 7
	crPosRange8    = 11
	classMapBytes8 = 32
)

// simple8 is the text of the instructions without operands.
var simple8 = map[int]string{
	1: `\A`, 2: `\G`, 3: `\K`, 4: `\B`, 5: `\b`, 6: `\D`, 7: `\d`, 8: `\S`, 9: `\s`, 10: `\W`, 11: `\w`,
	12: `(?-s:.)`, 13: `(?s:.)`, 14: `\C`, 17: `\R`, 18: `\H`, 19: `\h`, 20: `\V`, 21: `\v`, 22: `\X`,
	23: `\Z`, 24: `\z`, 25: `(?-m:$)`, 26: `(?m:$)`, 27: `(?-m:^)`, 28: `(?m:^)`,
	150: `(*PRUNE)`, 152: `(*SKIP)`, 154: `(*THEN)`, 156: `(*COMMIT)`, 157: `(*FAIL)`, 158: `(*ACCEPT)`, 159: `(*ACCEPT)`,
}

var verbs8 = map[int]string{op8Mark: "MARK", op8PruneArg: "PRUNE", op8SkipArg: "SKIP", op8ThenArg: "THEN"}

// lengths8 gives the bytes of the instructions from op8Class on; 0 varies.
var lengths8 = [...]int{
	33, 33, 0, 3, 3, 5, 5, 3, 6, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 3, 3, 3, 5, 5, 3,
	3, 5, 3, 5, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 3, 1,
}

// length returns the bytes of the instruction at an offset, its character and
// property operands with it.
func (p *pattern8) length(at int) int {
	op := p.byte(at)
	switch {
	case op == op8Prop || op == op8NotProp:
		return 3
	case op < op8Char:
		return 1
	case op < op8Star:
		return 1 + p.charLen(at+1)
	case op < op8TypeStar:
		n := 1 + counted8((op-op8Star)%types8)
		return n + p.charLen(at+n)
	case op < op8CRStar:
		n := 1 + counted8(op-op8TypeStar)
		if t := p.byte(at + n); t == op8Prop || t == op8NotProp {
			return n + 3
		}
		return n + 1
	case op <= op8CRPosRange:
		if i := op - op8CRStar; i == crRange8 || i == crMinRange8 || i == crPosRange8 {
			return 5
		}
		return 1
	case op == op8XClass:
		return max(p.two(at+1), 4)
	case verbs8[op] != "":
		return 3 + p.byte(at+1)
	case op <= op8SkipZero:
		return lengths8[op-op8Class]
	}
	panic(bad8{})
}

// counted8 returns the bytes of the count that a form of a repeat has.
func counted8(form int) int {
	if form >= upto8 && form <= exact8 || form == posUpto8 {
		return 2
	}
	return 0
}

func (p *pattern8) charLen(at int) int {
	c := p.byte(at)
	switch {
	case !p.utf || c < 0xc0:
		return 1
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 3
	}
	return 4
}
