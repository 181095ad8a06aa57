//go:build !purego

package walk

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var lanes = kinds()[0]

// kinds returns the kinds of assembly that this processor supports, the fastest first.
func kinds() []kind {
	var all []kind
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ {
		all = append(all, kind{64, 16, 8, func(p *plan) { leavesAVX512((*int)(unsafe.Pointer(p))) }})
	}
	if cpu.X86.HasAVX2 {
		all = append(all, kind{32, 8, 32, func(p *plan) { leavesAVX2((*int)(unsafe.Pointer(p))) }})
	}
	return append(all, kind{})
}
