//go:build !purego

package pairwise

import "golang.org/x/sys/cpu"

// kernels returns those that the CPU and the operating system support, the slowest first.
func kernels() []kernel {
	all := []kernel{inGo}
	if cpu.X86.HasAVX2 {
		all = append(all, avx2)
		if cpu.X86.HasAVX512F {
			all = append(all, avx512)
		}
	}
	return all
}

// add sets the sums of o to those of its pairs with the documents from a rank on, which must be a
// multiple of lanes, and adds the pairs to the sums of those documents.
func (k kernel) add(d *Documents, from int, o *own) {
	first := &d.values[from]
	if blocks := (len(d.gain) - from) / lanes; k == avx512 {
		addAVX512(first, d.stride, blocks, &o.gain)
	} else {
		addAVX2(first, d.stride, blocks, &o.gain)
	}
}
