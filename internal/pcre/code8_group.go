package pcre

import "fmt"

var opens8 = map[int]string{
	op8Assert: "(?=", op8AssertNot: "(?!", op8Behind: "(?<=", op8BehindNot: "(?<!",
	op8Once: "(?>", op8OnceNC: "(?>", op8Bra: "(?:", op8BraPos: "(?:", op8SBra: "(?:", op8SBraPos: "(?:",
	op8Cond: "(?", op8SCond: "(?",
}

// group reads the group at an offset with its repeat.
func (p *pattern8) group(at int) (item8, int) {
	op := p.byte(at)
	body := at + p.length(at)
	open, own := opens8[op], []int(nil)
	switch op {
	case op8CBra, op8CBraPos, op8SCBra, op8SCBraPos:
		n := p.two(at + 1 + link8)
		open, own = p.open(n), []int{n}
	case op8Cond, op8SCond:
		var c string
		c, own, body = p.condition(body)
		open += c
	case op8Bra, op8BraPos, op8SBra, op8SBraPos, op8Once, op8OnceNC, op8Assert, op8AssertNot, op8Behind, op8BehindNot:
	default:
		panic(bad8{})
	}
	alts, groups, end, ket := p.alternatives(at, body)
	if open == "(?:" && numbersAnew8(alts) {
		open = "(?|"
	}
	it := once8(open + join8(alts) + ")")
	it.groups = append(own, groups...)
	if open == "(?:" && ket == op8Ket && len(alts) == 1 && len(alts[0]) == 1 {
		it.inner = &alts[0][0]
	}
	switch ket {
	case op8KetRMax:
		it.max = unbounded
	case op8KetRMin:
		it.max, it.mode = unbounded, "?"
	case op8KetRPos:
		it.max, it.mode = unbounded, "+"
	}
	return it, end
}

// open is the opening of a capturing group, marked with its number.
func (p *pattern8) open(n int) string {
	s := "("
	if name := p.names[n]; name != "" {
		s = "(?<" + name + ">"
	}
	return s + string([]byte{markGroup, byte(n >> 16), byte(n >> 8), byte(n)})
}

// numbersAnew8 tells whether each alternative begins with the same number.
func numbersAnew8(alts [][]item8) bool {
	most := 0
	for _, seq := range alts {
		high := most
		for _, it := range seq {
			for _, n := range it.groups {
				if n <= most {
					return true
				}
				high = max(high, n)
			}
		}
		most = high
	}
	return false
}

// condition reads the condition of a conditional group.
func (p *pattern8) condition(at int) (text string, groups []int, next int) {
	op := p.byte(at)
	next = at + p.length(at)
	switch op {
	case op8Callout:
		return p.condition(next)
	case op8CRef:
		text = fmt.Sprintf("(%d)", p.two(at+1))
	case op8DNCRef:
		text = "(<" + p.name(p.two(at+1)) + ">)"
	case op8RRef:
		text = "(R)"
		if n := p.two(at + 1); n != anyRecursion8 {
			text = fmt.Sprintf("(R%d)", n)
		}
	case op8DNRRef:
		text = "(R&" + p.name(p.two(at+1)) + ")"
	case op8Def:
		text = "(DEFINE)"
	case op8Assert, op8AssertNot, op8Behind, op8BehindNot:
		it, next := p.group(at)
		return it.String(), it.groups, next
	default:
		panic(bad8{})
	}
	return text, nil, next
}
