// Package pairwise sums the derivatives of a query's pairs of documents: the inner
// loops of package objective's LambdaRank, by AVX-512 or AVX2 instructions where the
// CPU has them, and in Go elsewhere or with the build tag purego. All ways give the
// same bits, those that follow.
//
// Documents stand by rank. A pair is a document i of one of the first ranks and a
// document j of a later one, with another gain. With e_i and e_j their odds,
//
//	w = (gain_i - gain_j)·(discount_i - discount_j) / ((e_i + e_j)²·(offset + (score_i - score_j)))
//	x = w·e_low·(e_i + e_j)
//	y = |w·e_low|·e_high
//
// where low is the document of lower gain and high the other. The first derivative, x,
// is positive where j is the lower: it is added to lambda_j and taken from lambda_i; y
// is added to both Hessians. No gap is negative, as scores descend. Each operation is
// rounded, from left to right.
//
// # Order of additions
//
// Ranks i ascend. Lambdas and Hessians of documents j get their pairs one by one, as
// i ascends. The sums of i itself are found in running sums of 8 lanes, rank j in
// lane j mod 8, ranks ascending: one for the lambdas of lower documents j, one for
// those of higher ones, and the same for Hessians. The lanes s0 to s7 are then added as
//
//	((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
//
// and the sum of higher documents to that of lower ones.
//
// kernel_amd64.s and kernel_amd64.go are written by _generate, a module of its own.
package pairwise

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg pairwise

import "math"

// Pairs adds all pairs that reach into the first ranks, truncation of them, to the
// documents' sums, and returns the sum of |x|. It can do so once after a [Documents.Fill]:
// it uses up the gains.
func (d *Documents) Pairs(truncation int, offset float64) (sum float64) {
	return d.pairs(best, truncation, offset)
}

func (d *Documents) pairs(by kernel, truncation int, offset float64) (sum float64) {
	d.lists.forget()
	o := own{offset: offset}
	for i := range min(truncation, d.n-1) {
		o.gain, o.odds, o.score, o.discount = d.gain[i], d.odds[i], d.score[i], d.discount[i]
		d.gain[i] = math.NaN() // not to be met again
		if by == inGo {
			p := d.lists.of(d.gain, i, o.gain)
			o.addBelow(&d.fields, p.below)
			o.addAbove(&d.fields, p.above)
		} else {
			by.add(d, i/lanes*lanes, &o)
		}
		below, above := total(&o.lambdaBelow), total(&o.lambdaAbove)
		d.lambda[i] -= below + above
		d.hessian[i] += total(&o.hessianBelow) + total(&o.hessianAbove)
		sum += below - above
	}
	return sum
}

// own is the document whose pairs are added, and their sums by lane. The assembly
// knows this order.
type own struct {
	gain, odds, score, discount, offset float64

	lambdaBelow, lambdaAbove   [lanes]float64
	hessianBelow, hessianAbove [lanes]float64
}

func total(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
