//go:build !purego

package pairwise

import "golang.org/x/sys/cpu"

// kernels returns the kernels that the CPU and the operating system support, the slowest first.
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

// add adds the pairs of a task to the sums of the later documents, and writes the documents' own sums.
func (k kernel) add(d *Documents, t *task) {
	if k == avx512 {
		addAVX512(&d.values[0], d.stride, &d.own[0], &t.offset)
	} else {
		addAVX2(&d.values[0], d.stride, &d.own[0], &t.offset)
	}
}

// addTogether adds the pairs of queries with a document among the given number of first ranks.
func (k kernel) addTogether(t *Together, ranks int) {
	if k == avx512 {
		addTogetherAVX512(&t.gain[0], t.most, ranks, &t.offsets[0], &t.sums[0])
	} else {
		addTogetherAVX2(&t.gain[0], t.most, ranks, &t.offsets[0], &t.sums[0], &t.ofLanes[0])
	}
}

// rankTogether ranks queries by the exchanges for the one with most documents. It sets their odds, before
// exp, and discounts, and returns a bit for each whose scores descend.
func (k kernel) rankTogether(t *Together, discounts []float64, sigma float64) uint {
	exchanges := networks[len(discounts)]
	var first *uint16
	if len(exchanges) > 0 {
		first = &exchanges[0].first
	}
	return rankAVX2(&t.gain[0], first, len(exchanges), len(discounts), sigma, &discounts[0])
}
