package bincut

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// valuedProblem is a problem with rules for the values of the two sides.
type valuedProblem struct {
	problem
	valued  Valued
	request Request
}

func randomValued(rng *rand.Rand) *valuedProblem {
	p := &valuedProblem{problem: *randomProblem(rng), request: AnyCut}
	c := &p.column
	if rng.IntN(2) == 0 {
		c.Missing = int32(rng.IntN(len(c.Sums)))
	}
	var v Values
	if rng.IntN(2) == 0 {
		v.MaxStep = 20 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		v.Smooth = 50 * rng.Float64()
	}
	p.valued = p.limits.Valued(v, p.total, p.limits.Best(&v, p.total), float64(rng.IntN(300)))
	if rng.IntN(2) == 0 {
		p.valued.Low = p.valued.Value - 10*rng.Float64()
		p.valued.High = p.valued.Value + 10*rng.Float64()
	}
	p.request.Direction = int8(rng.IntN(3) - 1)
	if rng.IntN(3) == 0 {
		p.request.Only = int32(rng.IntN(len(c.Sums)))
	}
	return p
}

// side returns the value of a side and twice the decrease of the loss, by definition.
func (p *valuedProblem) side(sum binsum.Sum, rows float64) (value, fall float64) {
	v, l := &p.valued, &p.limits
	g, h := Shrink(float64(sum.Gradient), l.LambdaL1), float64(sum.Hessian)+l.LambdaL2
	w := -g / h
	if v.MaxStep > 0 {
		w = max(-v.MaxStep, min(v.MaxStep, w))
	}
	if v.Smooth > 0 {
		n := rows / v.Smooth
		w = float64(w*n)/(n+1) + v.Value/(n+1)
	}
	w = min(max(w, v.Low), v.High)
	return w, -(float64(2*g*w) + float64(float64(h*w)*w))
}

// try tries the cut after a bin, with directly computed sums and numbers of rows.
func (p *valuedProblem) try(after int, missingRight bool) (both, left, right float64, allowed bool) {
	c := &p.column
	var ls, rs binsum.Sum
	leftCount, leftRows, rightRows := 0, 0.0, 0.0
	missing := -1
	if c.Missing >= 0 && !c.isEmpty(c.Missing) {
		missing = int(c.Missing)
	}
	for b, packed := range c.Sums {
		sum := binsum.Unpack(packed)
		n := math.Floor(float64(float64(sum.Hessian)*(p.valued.Rows/float64(p.total.Hessian))) + 0.5)
		goesRight := b > after
		if b == missing {
			goesRight, n = missingRight, 0
		}
		if goesRight {
			rs, rightRows = rs.Add(sum), rightRows+n
		} else {
			ls, leftRows, leftCount = ls.Add(sum), leftRows+n, leftCount+c.count(b)
		}
	}
	if missingRight { // the side with missing values gets the remaining rows
		rightRows = p.valued.Rows - leftRows
	} else {
		leftRows = p.valued.Rows - rightRows
	}
	wl, fl := p.side(ls, leftRows)
	wr, fr := p.side(rs, rightRows)
	least := p.limits.MinHessian
	allowed = float64(ls.Hessian) >= least && float64(rs.Hessian) >= least &&
		c.allows(leftCount, p.limits.MinData) &&
		(p.request.Only < 0 || int(p.request.Only) == after) && float64(p.request.Direction)*(wr-wl) >= 0
	return fl + fr, wl, wr, allowed
}

func TestValuedCutEqualsBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	cuts, right := 0, 0
	for range 8000 {
		p := randomValued(rng)
		best, want := p.valued.floor, Cut{Bin: -1}
		try := func(after int, missingRight bool) {
			if both, _, _, allowed := p.try(after, missingRight); allowed && both > best {
				best, want = both, Cut{Bin: int32(after), MissingRight: missingRight}
			}
		}
		for after := len(p.column.Sums) - 2; after >= 0; after-- {
			try(after, false)
		}
		if m := p.column.Missing; m >= 0 && !p.column.isEmpty(m) {
			for after := range len(p.column.Sums) - 1 {
				try(after, true)
			}
		}
		got := p.valued.Cut(&p.column, p.request)
		require.Equal(t, [2]any{want.Bin, want.MissingRight}, [2]any{got.Bin, got.MissingRight}, "%+v", p)
		if got.Bin < 0 {
			continue
		}
		cuts++
		_, wl, wr, _ := p.try(int(got.Bin), got.MissingRight)
		left, r := p.valued.Sides(&p.column, &got)
		require.Equal(t, []float64{wl, wr}, []float64{left, r})
		require.InEpsilon(t, 1+best, 1+got.Both, 1e-12)
		if got.MissingRight {
			right++
		}
	}
	assert.Greater(t, cuts, 2000, "the test is empty")
	assert.Greater(t, right, 100)
}

// TestBoundsAreNotBelowCuts: no cut of a column gains more than the column's bound, and few gain much less.
func TestBoundsAreNotBelowCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	cuts, without := 0, 0
	for range 8000 {
		p := randomValued(rng)
		p.column.Counts = nil
		bound := p.valued.Bound(&p.column)
		got := p.valued.Cut(&p.column, p.request)
		if got.Bin < 0 {
			continue
		}
		cuts++
		require.True(t, bound.Bound)
		require.GreaterOrEqual(t, bound.Both, got.Both)
		if !p.valued.Any() && !p.valued.Bounded() && p.request == AnyCut {
			without++
			require.InEpsilon(t, 1+bound.Both, 1+got.Both, 1e-8)
		}
	}
	assert.Greater(t, cuts, 2000, "the test is empty")
	assert.Greater(t, without, 50)
}
