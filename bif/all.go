// Package bif holds the builtins: one file per Erlang module, erlang itself
// split by theme. A builtin is a native.Row and a body; nothing else is needed
// to add one, but for the list below when the file is new.
package bif

import "github.com/beamrd/beamrd/vm/native"

// All returns every row.
func All() [][]native.Row {
	return [][]native.Row{
		listsRows,
		codeLoadRows, codeInfoRows, codeNifRows, codeFileRows, codePurgeRows, codeLiteralRows,
		erlangExcRows,
		mapsRows, erlangHashRows, ertsDebugRows,
		erlangListRows,
		erlangTupleRows,
		erlangTypeRows,
		erlangOpRows,
		etsRows,
		etsUpdateRows,
		etsInfoRows,
		etsSelectRows,
		matchSpecRows,
		persistentTermRows,
		atomicsRows,
		packetRows,
		erlangBinaryRows,
		erlangAtomRows,
		erlangIDRows,
		erlangDisplayRows,
		unicodeRows,
		primBufferRows,
		zlibRows,
		binaryRows,
		reRows,
		erlangNumRows,
		erlangNumTextRows,
		mathRows,
		chksumRows,
		md5Rows,
		primFileRows,
		primNetRows,
		erlangPortRows,
		erlangNodeRows,
		erlangDistRows,
		distCtrlRows,
		haltRows,
		osRows,
		systemInfoRows,
		systemFlagRows,
		systemMonitorRows,
		erlDdllRows,
		erlangEtfRows,
		erlangSpawnRows,
		erlangSignalRows,
		erlangRegistryRows,
		erlangProcessFlagRows,
		erlangProcessInfoRows,
		erlangTimerRows,
		erlangTimeRows,
		erlangCalendarRows,
		erlangStatisticsRows,
	}
}
