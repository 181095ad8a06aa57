//go:build !purego

package pairwise

import "golang.org/x/sys/cpu"

// kernels lists those that the CPU and the operating system allow, slow to fast.
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

// add sets the sums of o to those of its pairs with the documents of whole blocks, and
// adds the pairs to theirs.
func (k kernel) add(values []float64, o *own) {
	if blocks := len(values) / blockSize; k == avx512 {
		addAVX512(&values[0], blocks, &o.gain)
	} else {
		addAVX2(&values[0], blocks, &o.gain)
	}
}
