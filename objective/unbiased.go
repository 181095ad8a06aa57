package objective

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/param"
)

// ErrNoPositions means that lambdarank_unbiased is on, and the training data has no positions.
var ErrNoPositions = errors.New("lambdarank_unbiased=true: the training data has no positions of the " +
	"documents; name their column, position_column=name:NAME, or write them to a file beside the data with " +
	".position at the end of its name, one a line")

// errTwoBiases is the reason why lambdarank_unbiased and lambdarank_position_bias_regularization exclude each
// other.
var errTwoBiases = errors.New("lambdarank_unbiased=true and lambdarank_position_bias_regularization are " +
	"two ways to learn the bias of positions: set one of them")

// errUnbiasedSum is the reason why a sum cannot be unbiased.
var errUnbiasedSum = errors.New("lambdarank_unbiased=true is for a single objective of pairs of the first " +
	"labels, such as objective=lambdarank: leave it out, or the sum and @2")

func unbiasedTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "lambdarank_unbiased", Group: groupLambdaRank,
			Help: "Learn the bias of the positions in FILE.position as ratios that divide the weights" +
				" of pairs (Unbiased LambdaMART, as in XGBoost), instead of as parts of the score.",
			Value: bind.Bool(&p.LambdarankUnbiased)},
		{Name: "lambdarank_bias_norm", Group: groupLambdaRank,
			Help:  "With lambdarank_unbiased: ratios of positions are raised to the power 1/(1 + this).",
			Value: bind.Float(&p.LambdarankBiasNorm, bind.AtLeast(0), bind.AtMost(1e9))},
	}
}

// positionRatios are what an objective has learned about the positions at which documents were shown: by what
// factor a document is clicked more rarely there than at the first position, and left out more rarely. With
// t⁺ = clicked and t⁻ = unclicked, the weight of a pair is divided by t⁺ of the position of its high
// document and by t⁻ of the position of its low one. After an iteration, with C = w·log(1 + e^(σ·(s_high
// - s_low))) for each pair, w its weight before that division, and p the parameter lambdarank_bias_norm,
//
//	L⁺ of a position = Σ C/t⁻ of the low document, over pairs whose high document was shown there
//	L⁻ of a position = Σ C/t⁺ of the high document, over pairs whose low document was shown there
//	t = (L / L of the first position)^(1/(1+p))
//
// (Hu et al., Unbiased LambdaMART, WWW 2019, equations 30 and 31, as XGBoost 3.2 has them in lambdarank_obj.h
// and lambdarank_obj.cc. The paper's loss has the difference of scores with the other sign. XGBoost uses the
// number of the row in its query as its position, and leaves out pairs beyond lambdarank_num_pair_per_sample
// positions.)
type positionRatios struct {
	clicked, unclicked []float64 // by position; 1 at first

	positions []int32 // by row
	first     int32
	exponent  float64
	loss      [2][]float64  // parts of L⁻ and L⁺, by row
	sums      [2][]float64  // by position
	part      *dataset.Part // of the data, if rows are shared
}

// leastRatio is the smallest ratio that is used as a divisor: XGBoost's Eps64.
const leastRatio = 1e-16

// newPositionRatios returns the ratios before the first iteration.
func newPositionRatios(p *AllParams, data *dataset.Meta) (*positionRatios, error) {
	if data.Positions == nil {
		return nil, ErrNoPositions
	}
	n := len(data.PositionNames)
	r := &positionRatios{positions: data.Positions, first: firstPosition(data.PositionNames),
		exponent: 1 / (1 + p.LambdarankBiasNorm), part: data.Part}
	r.clicked, r.unclicked = make([]float64, n), make([]float64, n)
	for i := range n {
		r.clicked[i], r.unclicked[i] = 1, 1
	}
	for side := range r.loss {
		r.loss[side], r.sums[side] = make([]float64, data.NumRows()), make([]float64, n)
	}
	return r, nil
}

// firstPosition returns the position that ratios are relative to: the smallest number, or the first name if
// not all names are numbers.
func firstPosition(names []string) (first int32) {
	least := math.MaxInt
	for i, name := range names {
		number, err := strconv.Atoi(name)
		if err != nil {
			return 0
		}
		if number < least {
			first, least = int32(i), number
		}
	}
	return first
}

// begin prepares r for the pairs of a query.
func (p *positionRatios) begin(r *rankedPairs, q Query) {
	end := q.First + len(q.Scores)
	for side := range p.loss {
		r.loss[side] = p.loss[side][q.First:end]
		clear(r.loss[side])
	}
	r.position = p.positions[q.First:end]
}

// divide divides the weights of the pairs of rank i by the ratios of their positions, and adds up their parts
// of the sums.
func (p *positionRatios) divide(r *rankedPairs, i int, sigma float64, byGap bool) {
	for j := i + 1; j < len(r.class); j++ {
		high, low := i, j
		switch cmp.Compare(r.class[i], r.class[j]) {
		case 0:
			continue
		case -1:
			high, low = j, i
		}
		cost := float64(softplus(float64(sigma*(r.Score[high]-r.Score[low]))) * r.weight[j])
		if byGap {
			cost /= scoreGapOffset + math.Abs(r.Score[high]-r.Score[low])
		}
		clicked, unclicked := p.clicked[r.position[r.Order[high]]], p.unclicked[r.position[r.Order[low]]]
		if unclicked >= leastRatio {
			r.loss[1][r.Order[high]] += cost / unclicked
		}
		if clicked >= leastRatio {
			r.loss[0][r.Order[low]] += cost / clicked
		}
		if clicked >= leastRatio && unclicked >= leastRatio {
			r.weight[j] /= float64(clicked * unclicked)
		}
	}
}

// softplus returns log(1 + e^x), in the form that does not overflow.
func softplus(x float64) float64 {
	return max(x, 0) + exact.Ln(1+exact.Exp(-math.Abs(x)))
}

// collect adds up the parts of the pairs of an iteration for step, one rank after the other. rows are the
// rows that count, ascending.
func (p *positionRatios) collect(rows iter.Seq[int32]) {
	for side, sums := range p.sums {
		clear(sums)
		p.part.Group().Chain(sums, func() {
			for row := range rows {
				sums[p.positions[row]] += p.loss[side][row]
			}
		})
	}
}

// step computes the ratios again from what was collected. They do not change if the first position has no
// pairs.
func (p *positionRatios) step() {
	for side, ratios := range [][]float64{p.unclicked, p.clicked} {
		sums := p.sums[side]
		if !(sums[p.first] >= leastRatio) {
			continue
		}
		for i, sum := range sums {
			ratios[i] = power(sum/sums[p.first], p.exponent)
		}
	}
}

// power returns x^y for x of at least 0.
func power(x, y float64) float64 {
	if x == 0 || y == 1 {
		return x
	}
	return exact.Exp(float64(y * exact.Ln(x)))
}
