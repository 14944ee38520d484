package bif

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// SystemArchitecture is the GNU triple of the machine.
func SystemArchitecture() string {
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "riscv64": "riscv64"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	if runtime.GOOS == "linux" {
		if cpu == "x86_64" {
			return cpu + "-pc-linux-gnu"
		}
		return cpu + "-unknown-linux-gnu"
	}
	return cpu + "-unknown-" + runtime.GOOS
}

func osName() string { return runtime.GOOS }

var osRelease = sync.OnceValue(func() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
})
