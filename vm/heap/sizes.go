package heap

import "sort"

// sizes are the heap sizes in words that heaps grow through: like Fibonacci
// numbers (each the sum of the two before it and one) from 12 and 38 on, then
// by 20 %. They are ERTS's, so that process_info shows the same numbers.
var sizes = makeSizes()

func makeSizes() []uintptr {
	const limit = 885767171276247 // the last of ERTS's table
	s := []uintptr{12, 38}
	for len(s) < 23 {
		s = append(s, s[len(s)-1]+s[len(s)-2]+1)
	}
	for s[len(s)-1] < limit {
		s = append(s, s[len(s)-1]+s[len(s)-1]/5)
	}
	return s
}

// NextSize returns the smallest size of the table that holds n words.
func NextSize(n uintptr) uintptr {
	return sizes[sort.Search(len(sizes), func(i int) bool { return sizes[i] >= n })]
}

// SizeAfter returns the size of the table after the smallest that holds n.
func SizeAfter(n uintptr) uintptr {
	i := sort.Search(len(sizes), func(i int) bool { return sizes[i] >= n })
	return sizes[i+1]
}

// Sizes returns the table of heap sizes in words. It is not to be changed.
func Sizes() []uintptr { return sizes }
