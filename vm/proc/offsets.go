package proc

import "unsafe"

// Offsets by which the engine's loop walks the message queue: the receive's
// position is the message behind savePrev, or the first one when that is nil.
const (
	OffMsgHead   = unsafe.Offsetof(Process{}.msgHead)
	OffSavePrev  = unsafe.Offsetof(Process{}.savePrev)
	OffForeignLo = unsafe.Offsetof(Process{}.ForeignLo)
	OffForeignHi = unsafe.Offsetof(Process{}.ForeignHi)

	OffSigNext = unsafe.Offsetof(Signal{}.Next)
	OffSigEnd  = unsafe.Offsetof(Signal{}.End)
	OffSigTerm = unsafe.Offsetof(Signal{}.Term)
	OffSigMore = unsafe.Offsetof(Signal{}.more)
)
