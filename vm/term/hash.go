package term

// Phash2 is erlang:phash2/1 before reduction to a range (27 bits).
func Phash2(t Term) uint32 { panic("term.Phash2") }

// Phash is erlang:phash/2 before reduction to a range.
func Phash(t Term) uint32 { panic("term.Phash") }

// InternalHash is the hash that orders large maps, of the booted release.
func InternalHash(t Term) uint64 { panic("term.InternalHash") }
