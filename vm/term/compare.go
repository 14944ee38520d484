package term

// Compare gives the order of two terms: negative, 0 or positive. Integers and
// floats compare by value (==, <).
func Compare(a, b Term) int { panic("term.Compare") }

// CompareExact is Compare with integers before floats (as map keys in OTP 25).
func CompareExact(a, b Term) int { panic("term.CompareExact") }

// Equal is ==.
func Equal(a, b Term) bool { return a == b || Compare(a, b) == 0 }

// Same is =:=.
func Same(a, b Term) bool { panic("term.Same") }
