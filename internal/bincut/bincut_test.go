package bincut

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/test/aid"
)

// problem is a random column of a leaf, to be searched for its best cut.
type problem struct {
	limits Limits
	column Column
	total  binsum.Sum
}

func randomProblem(rng *rand.Rand) *problem {
	p := &problem{limits: Limits{MinHessian: max(0.5, 100*rng.Float64()), MinData: rng.IntN(40)},
		column: Column{Missing: -1}}
	if rng.IntN(2) == 0 {
		p.limits.LambdaL1, p.limits.LambdaL2, p.limits.MinGain = 500*rng.Float64(), 100*rng.Float64(),
			100*rng.Float64()
		if rng.IntN(2) == 0 {
			p.limits.LambdaL1 = 0
		}
	}
	bins, empty := 2+rng.IntN(20), rng.IntN(10)
	if rng.IntN(4) == 0 {
		bins = 2 + rng.IntN(254)
	}
	largest := []int64{1, 1000, 1 << 22}[rng.IntN(3)] // small sums often make equal gains
	c := &p.column
	for range bins {
		n := rng.IntN(10)
		s := binsum.Sum{Gradient: rng.Int64N(2*largest+1) - largest, Hessian: rng.Int64N(min(200, 1+largest))}
		if n <= empty {
			n, s = 0, binsum.Sum{}
		}
		c.Rows += n
		c.Counts, p.total = append(c.Counts, int64(n)), p.total.Add(s)
		c.Sums = append(c.Sums, s.Pack())
	}
	if rng.IntN(2) == 0 {
		c.Counts = nil
	}
	return p
}

// goesRight reports whether rows of the bin go right if the cut is after the bin called after.
func (p *problem) goesRight(bin, after int, missingRight bool) bool {
	if bin == int(p.column.Missing) {
		return missingRight
	}
	return bin > after
}

// try returns the cut after a bin, and whether the limits allow it.
func (p *problem) try(after int, missingRight bool) (Cut, bool) {
	l, c := &p.limits, &p.column
	var left, right binsum.Sum
	leftRows := 0
	for b, sum := range c.Sums {
		if p.goesRight(b, after, missingRight) {
			right = right.Add(binsum.Unpack(sum))
			continue
		}
		left = left.Add(binsum.Unpack(sum))
		leftRows += c.count(b)
	}
	gl, gr := Shrink(float64(left.Gradient), l.LambdaL1), Shrink(float64(right.Gradient), l.LambdaL1)
	both := l.fallBoth(gl, float64(left.Hessian), gr, float64(right.Hessian))
	allowed := float64(left.Hessian) >= l.MinHessian && float64(right.Hessian) >= l.MinHessian &&
		c.allows(leftRows, l.MinData)
	return Cut{Both: both, Right: right.Pack(), Bin: int32(after), MissingRight: missingRight,
		Counted: c.Counts != nil}, allowed
}

// brute tries every cut, with directly computed sums. Among equal gains it prefers cuts in the order of the
// package documentation.
func (p *problem) brute() Cut {
	lf := p.limits.Leaf(p.total)
	best := Cut{Both: lf.floor, Bin: -1, Counted: p.column.Counts != nil}
	try := func(after int, missingRight bool) {
		if c, allowed := p.try(after, missingRight); allowed && c.Both > best.Both {
			best = c
		}
	}
	end := len(p.column.Sums) - 1
	for after := end - 1; after >= 0; after-- {
		try(after, false)
	}
	if m := p.column.Missing; m < 0 || p.column.isEmpty(m) {
		return best
	}
	for after := range end {
		try(after, true)
	}
	return best
}

func (p *problem) by(k kernel) Cut {
	lf := p.limits.Leaf(p.total)
	return lf.cut(k, &p.column)
}

// TestCutEqualsBruteForce puts columns at either end of what may be read: kernels process whole vectors.
func TestCutEqualsBruteForce(t *testing.T) {
	fence := aid.NewFence[int64](t, 256)
	for _, k := range kernels() {
		rng := rand.New(rand.NewPCG(7, 7))
		cuts := 0
		for range 5000 {
			p := randomProblem(rng)
			p.column.Sums = fence.Hold(p.column.Sums, rng.IntN(2) == 0)
			got, want := p.by(k), p.brute()
			require.Equal(t, want, got, "%v: %+v", k, p)
			if want.Bin >= 0 {
				cuts++
			}
		}
		assert.Greater(t, cuts, 1500, "the test is empty")
	}
}

func TestCutBesideMissingEqualsBruteForce(t *testing.T) {
	fence := aid.NewFence[int64](t, 256)
	for _, k := range kernels() {
		rng := rand.New(rand.NewPCG(16, 16))
		sides := map[bool]int{}
		for range 6000 {
			p := randomProblem(rng)
			c := &p.column
			c.Missing = int32(rng.IntN(len(c.Sums)))
			if rng.IntN(3) == 0 {
				c.Missing = int32(len(c.Sums) - 1) // as NaN
			}
			if rng.IntN(3) == 0 { // rows without gradients
				p.total = p.total.Sub(binsum.Unpack(c.Sums[c.Missing]))
				c.Sums[c.Missing] = 0
			}
			sums, counts := slices.Clone(c.Sums), slices.Clone(c.Counts)
			c.Sums = fence.Hold(c.Sums, rng.IntN(2) == 0)
			got, want := p.by(k), p.brute()
			require.Equal(t, want, got, "%v: %+v", k, p)
			if want.Bin >= 0 {
				sides[want.MissingRight]++
			}
			require.Equal(t, sums, c.Sums, "the column is restored")
			require.Equal(t, counts, c.Counts)
		}
		assert.Greater(t, sides[false], 300)
		assert.Greater(t, sides[true], 300)
	}
}

// TestCutsBesideMissingEqualSingleCuts searches several columns together, of which some have missing values.
func TestCutsBesideMissingEqualSingleCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	for _, k := range kernels() {
		var memory Missing
		for range 300 {
			p := randomProblem(rng)
			lf := p.limits.Leaf(p.total)
			var sums []int64
			var spans []Span
			var missing []int32
			var want []Cut
			for range rng.IntN(6) {
				c := &Column{Sums: slices.Clone(p.column.Sums)}
				rng.Shuffle(len(c.Sums), func(i, j int) { c.Sums[i], c.Sums[j] = c.Sums[j], c.Sums[i] })
				c.Missing = []int32{0, int32(len(c.Sums) - 1), int32(rng.IntN(len(c.Sums)))}[rng.IntN(3)]
				spans = append(spans, Span{int32(len(sums)), int32(len(sums) + len(c.Sums))})
				sums, missing, want = append(sums, c.Sums...), append(missing, c.Missing), append(want, lf.cut(inGo, c))
			}
			got, before := make([]Cut, len(spans)), slices.Clone(sums)
			lf.cutsBesideMissing(k, got, sums, spans, missing, &memory)
			require.True(t, slices.Equal(want, got))
			require.Equal(t, before, sums)
		}
	}
}

// TestCutsOfManyColumns searches adjacent columns of all lengths together, and compares with one column at
// a time.
func TestCutsOfManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, k := range kernels() {
		l := Limits{MinHessian: 0.5, LambdaL2: 1}
		var sums []int64
		var spans []Span
		for bins := 2; bins < 256; bins++ {
			from := len(sums)
			rest := binsum.Sum{Gradient: 1000, Hessian: 100000}
			for range bins - 1 {
				s := binsum.Sum{Gradient: rng.Int64N(2001) - 1000, Hessian: rng.Int64N(300)}
				sums, rest = append(sums, s.Pack()), rest.Sub(s)
			}
			sums = append(sums, rest.Pack())
			spans = append(spans, Span{int32(from), int32(len(sums))})
		}
		rng.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		lf := l.Leaf(binsum.Sum{Gradient: 1000, Hessian: 100000})
		got := make([]Cut, len(spans))
		lf.cuts(k, got, sums, spans)
		for i, s := range spans {
			require.Equal(t, lf.scan(&Column{Sums: sums[s.From:s.To], Missing: -1}, 0, 0, lastBin), got[i],
				"%v, %d bins", k,
				s.To-s.From)
		}
	}
}

// TestNoCut: there is no cut if none gains, if none meets the limits, or if gains are NaN.
func TestNoCut(t *testing.T) {
	for name, change := range map[string]func(*problem){
		"no limit is met":   func(p *problem) { p.limits.MinHessian = math.Inf(1) },
		"no gain is enough": func(p *problem) { p.limits.MinGain = math.Inf(1) },
		"λ2 is infinite":    func(p *problem) { p.limits.LambdaL2 = math.Inf(1) },
		"λ1 is infinite":    func(p *problem) { p.limits.LambdaL1 = math.Inf(1) },
		"all rows in a bin": func(p *problem) {
			p.column.Sums, p.column.Missing = []int64{0, p.total.Pack(), 0},
				-1
		},
		"missing rows alone": func(p *problem) {
			p.column.Sums, p.column.Missing = []int64{0, 0, p.total.Pack()},
				2
		},
	} {
		for _, missing := range []int32{-1, 0, 2} {
			p := problem{limits: Limits{MinHessian: 0.5}, column: Column{Missing: missing},
				total: binsum.Sum{Gradient: 4, Hessian: 30}}
			for _, s := range []binsum.Sum{{Gradient: 100, Hessian: 10}, {Gradient: 4, Hessian: 10},
				{Gradient: -100, Hessian: 10}} {
				p.column.Sums = append(p.column.Sums, s.Pack())
			}
			change(&p)
			for _, k := range kernels() {
				c := p.by(k)
				lf := p.limits.Leaf(p.total)
				assert.Negative(t, c.Bin, "%s, %v", name, k)
				assert.Zero(t, lf.Gain(&c))
			}
		}
	}
}

func TestFallBothIsTheSumOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 1000 {
		l := &randomProblem(rng).limits
		gl, hl, gr, hr := 1e4*rng.NormFloat64(), 1+1e3*rng.Float64(), 1e4*rng.NormFloat64(), 1+1e3*rng.Float64()
		want := l.fall(gl, hl) + l.fall(gr, hr)
		gl, gr = l.shrinkBoth(gl, gr)
		assert.InDelta(t, want, l.fallBoth(gl, hl, gr, hr), 1e-12*want)
	}
}

// FuzzKernels compares the assembly kernels with the loop in Go.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("the sums of a column by bins, four bytes each"), int16(3), 0.0, 0.0, 1.0)
	f.Add([]byte{1, 0, 2, 0, 0xff, 0xff, 7, 0, 0, 0, 0, 0, 3, 0, 1, 0}, int16(-1), 2.5, 1.5, 0.5)
	f.Fuzz(func(t *testing.T, data []byte, missing int16, l1, l2, minHessian float64) {
		p := problem{limits: Limits{LambdaL1: math.Abs(l1), LambdaL2: math.Abs(l2),
			MinHessian: max(0.5, minHessian)}, column: Column{Missing: -1}}
		for ; len(data) >= 4 && len(p.column.Sums) < 255; data = data[4:] {
			s := binsum.Sum{Gradient: int64(int8(data[0])) << (data[1] % 16),
				Hessian: int64(data[2]) << (data[3] % 16)}
			p.total, p.column.Sums = p.total.Add(s), append(p.column.Sums, s.Pack())
		}
		if len(p.column.Sums) < 2 {
			return
		}
		if missing >= 0 {
			p.column.Missing = int32(missing) % int32(len(p.column.Sums))
		}
		want := p.by(inGo)
		for _, k := range kernels()[1:] {
			require.Equal(t, want, p.by(k), "%v: %+v", k, p)
		}
	})
}
