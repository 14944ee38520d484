package etf

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func bigInt(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

// samples are terms and their text.
var samples = []struct {
	t    Term
	text string
}{
	{int64(0), "0"}, {int64(255), "255"}, {int64(256), "256"}, {int64(-1), "-1"}, {int64(math.MinInt64), "-9223372036854775808"},
	{int64(1 << 40), "1099511627776"}, {bigInt("9223372036854775808"), "9223372036854775808"},
	{new(big.Int).Lsh(big.NewInt(-3), 4000), ""},
	{1.5, "1.5"}, {0.1, "0.1"}, {1e100, "1.0e100"}, {-2.5e-10, "-2.5e-10"}, {123456789.0, "123456789.0"}, {9007199254740992.0, "9.007199254740992e15"},
	{Atom("a"), "a"}, {Atom(""), "''"}, {Atom("A b"), "'A b'"}, {Atom("é"), "é"}, {Atom("日本"), "'日本'"}, {Atom("receive"), "'receive'"},
	{Atom(strings.Repeat("ü", 255)), ""}, {Atom("it's\n"), `'it\'s\n'`},
	{Binary{}, "<<>>"}, {Binary("abc"), `<<"abc">>`}, {Binary{0, 200}, "<<0,200>>"}, {Binary("häß"), `<<"häß"/utf8>>`}, {Binary{0xE5, 'a'}, `<<"åa">>`},
	{BitString{[]byte{1, 0xA0}, 3}, "<<1,5:3>>"}, {BitString{[]byte{0x80}, 1}, "<<1:1>>"},
	{Tuple{}, "{}"}, {Tuple{Atom("a"), int64(1), Tuple{}}, "{a,1,{}}"},
	{List{}, "[]"}, {List{Atom("a"), List{Atom("b")}}, "[a,[b]]"}, {Chars("hi\n"), `"hi\n"`}, {Chars("λ"), `"λ"`}, {List{int64(1), int64(2)}, "[1,2]"},
	{Improper{List{int64(1), int64(2)}, Atom("x")}, "[1,2|x]"},
	{Map{}, "#{}"}, {Map{{Atom("k"), int64(1)}, {Tuple{int64(1)}, List{}}}, "#{k => 1,{1} => []}"},
	{Export{"m", "f", 2}, "fun m:f/2"},
	{Pid{"a@h", 85, 0, 7}, "<a@h.85.0>"}, {Port{"a@h", 5, 7}, "#Port<a@h.5>"}, {Port{"a@h", 1 << 40, 7}, ""},
	{Ref{Node: "a@h", Creation: 7, Len: 3, ID: [5]uint32{1, 2, 3}}, "#Ref<a@h.3.2.1>"},
	{&Fun{Module: "m", Arity: 1, OldIndex: 4, OldUniq: 99, Pid: Pid{"a@h", 1, 0, 7}, Free: []Term{Tuple{int64(9)}}}, "#Fun<m.4.99>"},
}

func TestRoundTrip(t *testing.T) {
	for _, s := range samples {
		b, err := Marshal(s.t)
		if err != nil {
			t.Errorf("%s: %v", s.text, err)
			continue
		}
		got, err := Unmarshal(b)
		if err != nil || !Equal(got, s.t) {
			t.Errorf("%s: read back as %#v, %v", s.text, got, err)
		}
		if s.text != "" && Format(s.t) != s.text {
			t.Errorf("Format: %s, expected %s", Format(s.t), s.text)
		}
		for i := range b {
			if _, err := Unmarshal(b[:i]); err == nil {
				t.Errorf("%s: the first %d bytes pass", s.text, i)
			}
		}
	}
}

// TestDeep shows that depth costs no stack.
func TestDeep(t *testing.T) {
	const depth = 1 << 17
	var deep Term = Atom("x")
	for range depth {
		deep = Tuple{deep}
	}
	b, err := Marshal(deep)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unmarshal(b)
	if err != nil || !Equal(got, deep) {
		t.Fatal("a deep tuple is not read back", err)
	}
	if s := Format(deep); len(s) != 2*depth+1 {
		t.Fatal("text of", len(s))
	}
}

// TestLists reads lists as nobody writes them.
func TestLists(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"l\x00\x00\x00\x01a\x01l\x00\x00\x00\x01a\x02j", "[1,2]"},
		{"l\x00\x00\x00\x01a\x01k\x00\x02\x02\x03", "[1,2,3]"},
		{"l\x00\x00\x00\x00j", "[]"},
		{"l\x00\x00\x00\x00a\x05", "5"},
		{"l\x00\x00\x00\x01a\x01l\x00\x00\x00\x00l\x00\x00\x00\x00l\x00\x00\x00\x01a\x02a\x03", "[1,2|3]"},
		{"l\x00\x00\x00\x01a\x01l\x00\x00\x00\x00w\x01x", "[1|x]"},
	} {
		got, err := Unmarshal([]byte("\x83" + c.in))
		if err != nil || Format(got) != c.want {
			t.Errorf("%q: %v, %v, expected %s", c.in, got, err, c.want)
		}
	}
}

// TestPromises reads counts that the bytes do not keep.
func TestPromises(t *testing.T) {
	for _, in := range []string{
		"l\xff\xff\xff\xff", "i\xff\xff\xff\xff", "t\xff\xff\xff\xff", "m\xff\xff\xff\xff", "o\xff\xff\xff\xff\x00", "n\xff\x00",
		"k\xff\xff", "l\x00\x00\x00\x02jj", "h\x02h\x01j", strings.Repeat("l\x00\x00\xff\xff", 1<<16), strings.Repeat("h\xff", 1<<16),
		"P\xff\xff\xff\xffx\x9c", "P\x00\x00\x00\x05x\x9c\x03\x00\x00\x00\x00\x01", "M\x00\x00\x00\x01\x09x", "r\x00\x09",
		"F\x7f\xf0\x00\x00\x00\x00\x00\x00", "R\x00", "w\x01\xff", "\x00", "",
	} {
		if got, err := Unmarshal([]byte("\x83" + in)); err == nil {
			t.Errorf("%.20q passes as %.40s", in, Format(got))
		}
	}
}

func TestParse(t *testing.T) {
	for _, s := range samples {
		if s.text == "" || strings.Contains(s.text, "#Fun") {
			continue
		}
		p := Parser{Local: "a@h", Creation: 7}
		if got, err := p.Parse(s.text); err != nil || !Equal(got, s.t) {
			t.Errorf("%s: %#v, %v", s.text, got, err)
		}
	}
	for _, c := range []struct{ in, want string }{
		{" 1_000 .", "1000"}, {"16#fF", "255"}, {"-2#101", "-5"}, {"$a", "97"}, {`$\n`, "10"}, {`$\x{3bb}`, "955"}, {`"\x41\102\^C\s"`, `[65,66,3,32]`},
		{`"a" "b" % comment`, `"ab"`}, {"[1,2|[3|4]]", "[1,2,3|4]"}, {"#{a => 1, a=>2}", "#{a => 2}"}, {"<<1:4,2:4,\"x\"/utf8>>", "<<18,120>>"},
		{"<<-2:16,0>>", "<<255,254,0>>"}, {"<<>>", "<<>>"}, {"<<5:3>>", "<<5:3>>"}, {"fun lists:map/2", "fun lists:map/2"}, {"1.5e3", "1.5e3"}, {"{}", "{}"},
		{"<<\"λ\"/utf16>>", "<<3,187>>"}, {"funny", "funny"}, {"-9223372036854775808", "-9223372036854775808"}, {"'a\\'b'", `'a\'b'`}, {"[]", "[]"},
	} {
		got, err := Parse(c.in)
		f := Formatter{Plain: strings.HasPrefix(c.want, "[65")}
		if text := string(f.Append(nil, got)); err != nil || text != c.want {
			t.Errorf("%s: %s, %v, expected %s", c.in, text, err, c.want)
		}
	}
	for _, in := range []string{
		"", "X", "{1", "[1,", "[1|2,3]", "#{a}", "<<1", "'a", `"a`, "1 2", "receive", "1+2", "<0.1.2>", "37#1", "1.0e", "f(1)", "a:b", "#r{}", "<<1.5>>",
		strings.Repeat("[", 1<<20), "<<a>>", `"\x{110000}"`, "$", "-", "fun m", "fun m:f/256", "<<1:99999999>>",
	} {
		if got, err := Parse(in); err == nil {
			t.Errorf("%.20q passes as %s", in, Format(got))
		}
	}
}
