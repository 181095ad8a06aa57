//go:build !purego

package rowblock

import "golang.org/x/sys/cpu"

// HasKernel reports whether this CPU and build have a kernel.
var HasKernel = cpu.X86.HasAVX2

// HasClusters reports whether this CPU and build have a kernel for [Walks.Step].
var HasClusters = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VBMI

// has512 reports whether values are compared in vectors of 512 bits.
var has512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

func maps32(maps *uint64, stride int, values *float32, missing float32, thresholds *float32, n int) {
	if has512 {
		maps32in512(maps, stride, values, missing, thresholds, n)
		return
	}
	maps32in256(maps, stride, values, missing, thresholds, n)
}

func maps64(maps *uint64, stride int, values *float64, missing float64, thresholds *float64, n int) {
	if has512 {
		maps64in512(maps, stride, values, missing, thresholds, n)
		return
	}
	maps64in256(maps, stride, values, missing, thresholds, n)
}
