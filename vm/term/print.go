package term

// String prints t as erlang:display/1 does.
func (t Term) String() string { panic("term.String") }

// Hooks by which print, compare and hash see what higher packages know of a
// fun entry or export (both by address).
type FunInfo struct {
	Module         Term
	Index, OldUniq uint64
	Uniq           [16]byte
	Arity, NumFree int
}

var (
	FunInfoOf    func(entry uintptr) FunInfo
	ExportInfoOf func(export uintptr) (m, f Term, arity int)
)
