package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// People are more likely to click on documents near the top, so labels made of clicks depend on the position
// of a document as well as on its relevance. If the data has positions ([dataset.Meta].Positions), objectives
// of pairs see, for each document of the training data, the score plus the bias b_p of its position p. The
// biases are fitted by a step of Newton's method after each iteration:
//
//	g_p = -Σ λ_i - ρ·n_p·b_p,  h_p = Σ h_i + ρ·n_p,  b_p += learning_rate·g_p / (h_p + 0.001)
//
// with sums over the n_p documents that were shown at p in queries of the bag, and ρ the parameter
// lambdarank_position_bias_regularization. The biases are not part of the model. (LightGBM 4.7,
// UpdatePositionBiasFactors in rank_objective.hpp; the step is that of a generalized additive model.)
type positionBias struct {
	positions []int32
	values    []float64 // by position; nil if biases are not learned
	scores    []float64 // by row: with the biases
	penalty   float64   // ρ

	part       *dataset.Part // of the data
	sums       []float64     // two sums of each position: of first derivatives, and of second ones
	count      []int64       // rows by position
	countedAll bool          // these are all rows
}

// learnsPositions reports whether a run with these parameters learns the biases of positions, if the data has
// positions. All objectives must be built-in objectives of pairs.
func (p *Params) learnsPositions() bool {
	for _, name := range p.objectives() {
		if !objective.Uses(name, "lambdarank_position_bias_regularization") {
			return false
		}
	}
	return true
}

// newPositionBias returns the biases before the first iteration. own means that the objective is the
// caller's.
func newPositionBias(p *Params, m *dataset.Meta, own bool) positionBias {
	if m.Positions == nil || own || !p.learnsPositions() {
		return positionBias{}
	}
	n := len(m.PositionNames)
	return positionBias{
		part: m.Part, positions: m.Positions, values: make([]float64, n), scores: make([]float64, m.NumRows()),
		penalty: p.LambdarankPositionBiasRegularization,
		sums:    make([]float64, 2*n), count: make([]int64, n),
	}
}

// scored returns the scores that objectives see, by row; with biases, those of queries for which add was
// called.
func (b *positionBias) scored(scores []float64) []float64 {
	if b.values == nil {
		return scores
	}
	return b.scores
}

// add adds the biases of their positions to the scores of a query's documents.
func (b *positionBias) add(scores []float64, q dataset.Query) {
	if b.values == nil {
		return
	}
	end, values := q.First+q.Len, b.values
	dst, scores, positions := b.scores[q.First:end], scores[q.First:end], b.positions[q.First:end]
	for i, p := range positions {
		dst[i] = scores[i] + values[p]
	}
}

// collect adds up the derivatives of the rows of the bag, which step uses, one peer after the other.
func (b *positionBias) collect(rows *rowSet, g objective.Gradients) {
	if b.values == nil {
		return
	}
	clear(b.sums)
	b.countRows(rows)
	b.part.Group().Chain(b.sums, func() {
		for from := 0; from < rows.size; from += grow.RowBlock {
			first, offsets := rows.block(from, min(from+grow.RowBlock, rows.size))
			b.collectBlock(first, offsets, g)
		}
	})
}

// countRows counts the rows of the bag by position, unless it has counted the same rows before.
func (b *positionBias) countRows(rows *rowSet) {
	if rows.all && b.countedAll {
		return
	}
	b.countedAll = rows.all
	clear(b.count)
	for row := range rows.each() {
		b.count[b.positions[row]]++
	}
	b.part.Group().Sum(b.count)
}

// collectBlock adds the derivatives of rows of a block ([rowSet.block]).
func (b *positionBias) collectBlock(firstRow int32, offsets []int32, g objective.Gradients) {
	positions, sums := b.positions[firstRow:], b.sums
	lambda, hessian := g.Lambda[firstRow:], g.Hessian[firstRow:]
	lambda, hessian = lambda[:len(positions)], hessian[:len(positions)]
	for _, offset := range offsets {
		p := positions[offset]
		sum := (*[2]float64)(sums[2*int(p):])
		sum[0] -= lambda[offset]
		sum[1] += hessian[offset]
	}
}

// step fits the biases to the derivatives. rate is the learning rate of the tree of the same iteration.
func (b *positionBias) step(rate float64) {
	for p, n := range b.count {
		penalty := float64(b.penalty * float64(n))
		first := b.sums[2*p] - float64(penalty*b.values[p])
		b.values[p] += float64(rate*first) / (b.sums[2*p+1] + penalty + 0.001)
	}
}

// restore sets the biases, if there are as many of them.
func (b *positionBias) restore(state []float64) error {
	if n := len(b.values); len(state) != n {
		return fmt.Errorf("%w: %d biases of positions instead of %d", training.ErrCheckpointDamaged, len(state), n)
	}
	copy(b.values, state)
	return nil
}

// result adds to the result what was learned, with the names of the positions.
func (b *positionBias) result(r *Result, m *dataset.Meta) {
	for p, v := range b.values {
		r.PositionBiases = append(r.PositionBiases, training.PositionBias{Position: m.PositionNames[p], Bias: v})
	}
}
