package op

//go:generate go run ./_gen

// Op is an internal instruction.
type Op uint16

// Base is an operation that has one or more forms.
type Base uint16

// Form is a form of an operation: its instruction, operand kinds (see
// _gen/ops.go) and length in words (without a list that follows).
type Form struct {
	Op    Op
	Kinds string
	Words int
}

// Info describes an internal instruction. Words is 0 when the length varies:
// then a cold instruction has it in the bits 16 to 31 of its first word.
type Info struct {
	Name  string
	Kinds string
	Words int
	Cold  bool
}

// Offsets in the register file (proc.Ctx), in bytes; a test of vm/interp
// compares them. Scratch registers hold operands for one instruction.
const (
	FloatOff   = 8192
	ScratchOff = 18456
)
