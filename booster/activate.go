package booster

import (
	"errors"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/objective"
)

// A tree is grown on integers: one for each row, its gradient and Hessian packed together (package
// binsum). There are two ways to make them, which differ in resolution:
//
//	full    As fine as the sum of all rows allows: 17 bits for the mean of 10,000 rows, 11 bits for the
//	        mean of 700,000. With so many rows that few bits are left, they are rounded at random.
//	sparse  In units of several times the mean, rounded at random. Most rows become (0, 0) and take no
//	        part in growing the tree.
//
// Separate integers with more bits for gradients and Hessians would take twice the time, and the trees would
// be no better.
//
// # Sparse unbiased gradients
//
// With a the active fraction, n the number of rows, and r a uniform number on [0, 1) for each row
// and iteration, the units and the rounded numbers are
//
//	u = Σ|g| / (a·n)                u' = Σh / (a·n)
//	G = sign(g)·floor(|g|/u + r)    H = floor(h/u' + r)
//
// floor(x + r) is floor(x)+1 with probability x - floor(x), and floor(x) otherwise, so its mean is x.
// Hence E[G·u] = g and E[H·u'] = h for every row and, by linearity, for every sum of rows:
// histograms are unbiased. A row is active, that is (G, H) ≠ (0, 0), with probability
// min(1, max(|g|/u, h/u')). The means of |g|/u and h/u' are both a. Since the gradients of
// LambdaMART are heavy-tailed, and large where the Hessians are large, about a·n rows are active. No
// gradient is clipped: a large one has a large integer. If a few rows have so much of the sum that fewer
// than half of a·n rows would get a nonzero integer, the unit is chosen so that enough rows do (unit.go).
//
// The variance of G·u is u²·x(1-x) with x the fractional part of |g|/u, and so at most u²/4 for any g.
// Sampling rows by size and keeping their gradients (GOSS) has the same mean, but a variance that grows with
// g².
//
// Only active rows take part in growth. The leaf values, weights and counts of the finished tree
// are computed from all rows at full resolution (refit.go). Published results with stochastic
// rounding and refit lose nothing at 4 bits (Shi et al., Quantized Training of Gradient Boosting
// Decision Trees, NeurIPS 2022). Here, in addition, the zeros that rounding makes are not visited.

// activation makes the active rows of an iteration.
type activation struct {
	grow.Active
	part     *dataset.Part // of the data; nil: all of it
	firstRow int           // number of row 0 in the data of all peers
	fine     grow.Scales   // the finest scales on which no sum of the rows overflows
	dithered bool          // rounded at random though all rows are active

	blocks  []activeBlock // memory for some blocks of rows; only if sparse
	nonzero nonzeros      // among the active rows; only if sparse
	offsets [][]int32     // by worker: memory for the rows of a block; only if sparse
}

// ErrGradient is wrapped by the error for a derivative of an objective that cannot be used: it is NaN or
// infinite, a Hessian is negative, or a lambda is so large that training must have diverged. Its text names
// the row.
var ErrGradient = errors.New("derivatives cannot be used")

type gradientError struct {
	row             int    // from 0
	place           string // of the row
	iteration       int    // from 1
	objective       string // name
	score           float64
	lambda, hessian float64
}

func (e *gradientError) Unwrap() error { return ErrGradient }

func (e *gradientError) Error() string {
	why := "both must be finite, and the Hessian not negative"
	if math.Abs(e.lambda) <= math.MaxFloat64 && e.hessian >= 0 && e.hessian <= math.MaxFloat64 {
		why = "the lambda is too large"
	}
	where := fmt.Sprintf("objective %s: iteration %d: %s of score %.4g has lambda %.4g and Hessian "+
		"%.4g: %s",
		e.objective, e.iteration, e.place, e.score, e.lambda, e.hessian, why)
	if e.iteration == 1 {
		return where + "; check the labels, weights and initial scores of that query, and the parameters of the " +
			"objective"
	}
	return where + "; training diverges: lower learning_rate, raise min_sum_hessian_in_leaf or lambda_l2, " +
		"and look for weights and labels that are far larger than the others"
}

// overflowError means that gradients are finite, but so large that gains of splits, which are squares of
// their sums, would overflow.
type overflowError struct {
	Lambda, Hessian float64 // largest magnitudes
}

func (e *overflowError) Error() string {
	return fmt.Sprintf("objective: lambdas reach %.4g and Hessians %.4g, so that gains of splits overflow: "+
		"divide all weights by a common factor",
		e.Lambda, e.Hessian)
}

// maxGainUnit is the largest unit of gains. Since a gain is below 2^62 units, gains and their sums remain
// finite.
const maxGainUnit = 0x1p900

// ditheredRows is the number of rows of all peers from which full gradients are rounded at random too. The
// mean gradient of n rows has 2^30/n units, here 64. With far fewer units, rounding to the nearest integer
// would turn most gradients of a heavy-tailed loss into zeros, and the sum of many small gradients would be
// lost. Random rounding leaves all sums unbiased.
const ditheredRows = 1 << 24

// activate rounds the gradients of the given rows and keeps the active rows. l are the extremes of these
// gradients, and total is the number of rows of all peers. fraction is the share of rows to activate; 1 keeps
// all rows.
func (a *activation) activate(rows *rowSet, total int, g objective.Gradients, l extremes, fraction float64,
	key random.Key, pool *par.Pool) error {
	if l.bad >= 0 {
		return &gradientError{row: int(l.bad), lambda: g.Lambda[l.bad], hessian: g.Hessian[l.bad]}
	}
	a.fine, a.Spread = fineScales(l, total), false
	mass := a.sumOf(massOf(&a.fine, rows, g, pool))
	gradient, hessian := a.fine.Gradient.Float(mass.Gradient), a.fine.Hessian.Float(mass.Hessian)
	a.Sparse, a.dithered = fraction < 1, total >= ditheredRows
	if !a.Sparse {
		a.Gradient, a.Hessian = exact.ScaleOf(gradient/binsum.MaxPackedGradient),
			exact.ScaleOf(hessian/binsum.MaxPackedHessian)
		return a.round(rows, g, l, key, pool)
	}
	share := float64(fraction * float64(total))
	a.Gradient, a.Hessian = exact.ScaleOf(gradient/share), exact.ScaleOf(hessian/share)
	if err := a.round(rows, g, l, key, pool); err != nil || !a.refine(share, gradient, hessian, rows, g, pool) {
		return err
	}
	return a.round(rows, g, l, key, pool)
}

// round rounds the gradients on the scales of a.
func (a *activation) round(rows *rowSet, g objective.Gradients, l extremes, key random.Key,
	pool *par.Pool) error {
	if u, v := a.Gradient.Unit(), a.Hessian.Unit(); v > 0 && !(grow.GainUnit(u, v) <= maxGainUnit) {
		return &overflowError{l.gradient, l.hessian}
	}
	a.LargestHessian = a.Hessian.Dither(l.hessian, 1)
	a.fill(rows, g, key, pool)
	return nil
}

// extremes are the largest magnitudes among the gradients of some rows.
type extremes struct {
	gradient, hessian float64
	bad               int32 // first row whose derivatives cannot be used, or -1
}

// extremesOf returns the extremes of consecutive rows from firstRow on.
func extremesOf(g objective.Gradients, firstRow int) extremes {
	if e, ok := extremesIn(exact.Largest(g.Lambda, g.Hessian)); ok {
		return e
	}
	return extremesOneByOne(g, firstRow)
}

// extremesIn returns the extremes of rows that have the given largest bits ([exact.Largest]). It returns
// false if the derivatives of one of them cannot be used.
func extremesIn(gradient, hessian uint64) (extremes, bool) {
	const infinity = 0x7ff << 52
	if gradient >= infinity || hessian >= infinity {
		return extremes{}, false
	}
	return extremes{math.Float64frombits(gradient), math.Float64frombits(hessian), -1}, true
}

// extremesOneByOne is like extremesOf, for rows that may be bad. An extreme is NaN if one of the derivatives
// is NaN.
func extremesOneByOne(g objective.Gradients, firstRow int) extremes {
	e := extremes{bad: -1}
	for i, h := range g.Hessian {
		lambda := math.Abs(g.Lambda[i])
		if !(lambda <= math.MaxFloat64 && h >= 0 && h <= math.MaxFloat64) && e.bad < 0 {
			e.bad = int32(firstRow + i)
		}
		e.gradient, e.hessian = max(e.gradient, lambda), max(e.hessian, h)
	}
	return e
}

// and returns the extremes of the rows of both e and f.
func (e extremes) and(f extremes) extremes {
	if e.bad < 0 || f.bad >= 0 && f.bad < e.bad {
		e.bad = f.bad
	}
	return extremes{max(e.gradient, f.gradient), max(e.hessian, f.hessian), e.bad}
}

// ofAll returns the extremes of the rows of all peers. The first row that cannot be used is still that of
// this peer.
func (e extremes) ofAll(part *dataset.Part) extremes {
	if g := part.Group(); g.Size() > 1 {
		largest := []float64{e.gradient, e.hessian}
		for i, v := range largest { // NaN if the derivatives of a row cannot be used
			if v != v {
				largest[i] = math.Inf(1)
			}
		}
		g.MaxFloats(largest)
		e.gradient, e.hessian = largest[0], largest[1]
	}
	return e
}

// massOf returns the sums of |g| and of h over the given rows, in units.
func massOf(s *grow.Scales, rows *rowSet, g objective.Gradients, pool *par.Pool) binsum.Sum {
	workers := make([]binsum.Sum, pool.Workers())
	pool.Blocks(rows.size, grow.BlockOf(rows.size), func(worker, from, to int) {
		if rows.all {
			workers[worker] = workers[worker].Add(binsum.Sum{
				Gradient: s.Gradient.Magnitudes(g.Lambda[from:to]), Hessian: s.Hessian.Magnitudes(g.Hessian[from:to])})
			return
		}
		var sum binsum.Sum
		for _, row := range rows.list[from:to] {
			sum.Gradient += s.Gradient.Round(math.Abs(g.Lambda[row]))
			sum.Hessian += s.Hessian.Round(g.Hessian[row])
		}
		workers[worker] = workers[worker].Add(sum)
	})
	var all binsum.Sum
	for _, sum := range workers {
		all = all.Add(sum)
	}
	return all
}

// fineScales returns the finest scales on which no sum of this many gradients overflows.
func fineScales(largest extremes, rows int) grow.Scales {
	width := exact.Width(rows)
	return grow.Scales{Gradient: exact.ScaleFor(largest.gradient, width),
		Hessian: exact.ScaleFor(largest.hessian, width)}
}

// fill rounds the gradients of rows and keeps the active rows.
func (a *activation) fill(rows *rowSet, g objective.Gradients, key random.Key, pool *par.Pool) {
	if a.Sparse {
		a.fillActive(rows, g, key, pool)
		return
	}
	if a.Rows = a.Rows[:0]; !rows.all {
		a.Rows = append(a.Rows, rows.list...)
	}
	a.Packed = reuse.Slice(a.Packed, rows.size)
	pool.Blocks(rows.size, grow.BlockOf(rows.size), func(_, from, to int) { a.fillAll(rows, from, to, g, key) })
}

// activeBlock are the active rows of a block of rows.
type activeBlock struct {
	grow.ActiveRows
	nonzero nonzeros // among them
}

// fillActive is like fill, for sparse gradients. Some blocks of rows at a time are filled, each in its own
// memory, and then copied together.
func (a *activation) fillActive(rows *rowSet, g objective.Gradients, key random.Key, pool *par.Pool) {
	const ofWorker = 16 // so many that all workers end at about the same time
	if a.blocks == nil {
		a.blocks, a.offsets = make([]activeBlock, ofWorker*pool.Workers()), make([][]int32, pool.Workers())
	}
	both := binsum.Sum{}
	a.Rows, a.Packed, a.RowsFor = a.Rows[:0], a.Packed[:0], a.RowsFor[:0]
	most := len(a.blocks) * grow.RowBlock
	for first := 0; first < rows.size; first += most {
		n := min(most, rows.size-first)
		pool.Blocks(n, grow.RowBlock, func(worker, from, to int) {
			a.fillBlock(&a.blocks[from/grow.RowBlock], worker, rows, first+from, first+to, g, key)
		})
		for _, b := range a.blocks[:(n+grow.RowBlock-1)/grow.RowBlock] {
			a.Rows, a.Packed, a.RowsFor = append(a.Rows, b.Rows...), append(a.Packed, b.Packed...),
				append(a.RowsFor, b.RowsFor...)
			both = both.Add(binsum.Sum{Gradient: int64(b.nonzero.gradients), Hessian: int64(b.nonzero.hessians)})
		}
	}
	both = a.sumOf(both)
	a.nonzero = nonzeros{int(both.Gradient), int(both.Hessian)}
}

// fillBlock sets dst to the active ones of the rows from one place to another.
func (a *activation) fillBlock(dst *activeBlock, worker int, rows *rowSet, from, to int,
	g objective.Gradients, key random.Key) {
	first, offsets := rows.block(from, to)
	if rows.all {
		a.offsets[worker] = exact.Nonzero(a.offsets[worker], g.Lambda[from:to], g.Hessian[from:to], a.Gradient,
			a.Hessian, key.From(a.firstRow+from))
		offsets = a.offsets[worker]
	}
	dst.nonzero = a.fillSparse(&dst.ActiveRows, first, offsets, g, key)
}

// fillAll rounds the gradients of the rows from one place to another, which are kept.
func (a *activation) fillAll(rows *rowSet, from, to int, g objective.Gradients, key random.Key) {
	first, offsets := rows.block(from, to)
	packed := a.Packed[from:to][:len(offsets)]
	switch {
	case a.dithered:
		for i, offset := range offsets {
			row := first + offset
			r := key.Float64(a.firstRow + int(row))
			packed[i] = binsum.Sum{Gradient: a.Gradient.Dither(g.Lambda[row], r),
				Hessian: a.Hessian.Dither(g.Hessian[row], r)}.Pack()
		}
	case rows.all:
		exact.Pack(packed, g.Lambda[from:to], g.Hessian[from:to], a.Gradient, a.Hessian)
	default:
		for i, row := range offsets {
			packed[i] = binsum.Sum{Gradient: a.Gradient.Round(g.Lambda[row]),
				Hessian: a.Hessian.Round(g.Hessian[row])}.Pack()
		}
	}
}

// fillSparse sets dst to the given rows (see [rowSet.block]) that become active, and returns how many of
// their integers are not zero.
func (a *activation) fillSparse(dst *grow.ActiveRows, first int32, offsets []int32, g objective.Gradients,
	key random.Key) (nonzero nonzeros) {
	active := grow.ActiveRows{Rows: dst.Rows[:0], Packed: dst.Packed[:0], RowsFor: dst.RowsFor[:0]}
	for _, offset := range offsets {
		row := first + offset
		r := key.Float64(a.firstRow + int(row))
		lambda, h := g.Lambda[row], g.Hessian[row]
		if a.Gradient.Vanishes(lambda, r) && a.Hessian.Vanishes(h, r) {
			continue
		}
		s := binsum.Sum{Gradient: a.Gradient.Dither(lambda, r), Hessian: a.Hessian.Dither(h, r)}
		active.Rows, active.Packed = append(active.Rows, row), append(active.Packed, s.Pack())
		active.RowsFor = append(active.RowsFor, float32(1/min(1, max(a.Gradient.Units(math.Abs(lambda)),
			a.Hessian.Units(h)))))
		nonzero.count(s)
	}
	*dst = active
	return nonzero
}

// sumOf returns the sum of s over all peers.
func (a *activation) sumOf(s binsum.Sum) binsum.Sum {
	both := []int64{s.Gradient, s.Hessian}
	a.part.Group().Sum(both)
	return binsum.Sum{Gradient: both[0], Hessian: both[1]}
}

// refine replaces the unit of gradients, or of Hessians, if fewer than half of share rows have a nonzero
// integer, and reports whether it replaced one. gradient and hessian are the sums of |g| and h.
func (a *activation) refine(share, gradient, hessian float64, rows *rowSet, g objective.Gradients,
	pool *par.Pool) bool {
	refined := false
	if seemsFew(a.nonzero.gradients, share) {
		b := budget{a.part, g.Lambda, a.fine.Gradient, share, gradient, binsum.MaxPackedGradient}
		refined = b.refine(&a.Gradient, rows, pool)
	}
	if seemsFew(a.nonzero.hessians, share) {
		b := budget{a.part, g.Hessian, a.fine.Hessian, share, hessian, binsum.MaxPackedHessian}
		refined = b.refine(&a.Hessian, rows, pool) || refined
	}
	return refined
}
