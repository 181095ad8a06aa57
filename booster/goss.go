package booster

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// goss chooses the rows of a tree by their gradients: gradient-based one-side sampling. (Ke et al.,
// LightGBM, NIPS 2017; LightGBM's goss.hpp.) The a = n·top_rate rows with the largest |g·h| are kept, and
// b = n·other_rate of the other rows are drawn at random. The gradients and Hessians of the drawn rows are
// multiplied by (n-a)/b, which keeps all sums unbiased. The first 1/learning_rate trees take all rows. As in
// LightGBM, leaf values come from the sampled rows, with these factors.
//
// LightGBM draws rows from a generator for each thread, and finds the largest among the rows of each thread.
// Here, the drawn rows are those with the smallest keyed random numbers among all rows, which does not depend
// on the number of threads.
type goss struct {
	selection         // by a key of each row
	sampled   []uint8 // by row: see below
}

// What happens to a row: the values of sampled.
const (
	leftOut = iota
	large
	drawn
)

// gossBegins returns the number of first trees that are grown on all rows, as in LightGBM.
func gossBegins(learningRate float64) float64 { return math.Trunc(1 / learningRate) }

// gossCaution returns a remark if all trees of a run that begins without a model take all rows; otherwise "".
func (p *Params) gossCaution() string {
	if p.DataSampleStrategy != GOSS {
		return ""
	}
	last := max(0, p.NumIterations-1)
	for n := range min(last, len(p.LearningRates)) {
		if float64(n) >= gossBegins(p.rateOf(n)) {
			return ""
		}
	}
	first := gossBegins(p.rateOf(last))
	if float64(last) >= first {
		return ""
	}
	return fmt.Sprintf("data_sample_strategy=goss has no effect in the first 1/learning_rate = %g trees, those "+
		"of a model that training continues from included, and num_iterations is %d", first, p.NumIterations)
}

// sample reduces t.rows from all rows to the sampled rows, and returns the extremes of their gradients.
// largest are the extremes of all rows.
func (s *goss) sample(t *trainer, largest extremes) extremes {
	p := t.params
	n := t.train.Meta.Part.Group().SumOf(t.rows.size)
	if t.partial = largest.bad < 0 &&
		float64(t.before+len(t.trees)) >= gossBegins(p.rateOf(len(t.trees))); !t.partial {
		return largest
	}
	top, other := max(1, int(float64(n)*p.TopRate)), max(1, int(float64(n)*p.OtherRate))
	s.keys, s.sampled = reuse.Slice(s.keys, t.rows.size), reuse.Slice(s.sampled, t.rows.size)
	clear(s.sampled)
	rest := n - s.markLarge(t, top)
	factor := 1.0
	if rest > 0 {
		factor = float64(rest) / float64(s.markDrawn(t, min(other, rest)))
	}
	return s.collect(t, factor)
}

// markLarge marks at least count rows, those with the largest |g·h|, and returns how many it marked.
func (s *goss) markLarge(t *trainer, count int) int {
	g := t.gradients
	t.pool.Blocks(len(s.keys), rowBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			s.keys[row] = ^math.Float64bits(math.Abs(float64(g.Lambda[row] * g.Hessian[row])))
		}
	})
	return s.mark(t, large, count)
}

// markDrawn draws and marks at least count of the other rows, and returns how many it marked.
func (s *goss) markDrawn(t *trainer, count int) int {
	key := random.New(seedOr(t.params.BaggingSeed, t.params.Seed), random.OneSideSample, t.draw)
	first, _ := t.train.Meta.Part.First()
	t.pool.Blocks(len(s.keys), rowBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			s.keys[row] = key.Uint64(first + row)
			if s.sampled[row] == large {
				s.keys[row] = math.MaxUint64
			}
		}
	})
	return s.mark(t, drawn, count)
}

// mark marks the count rows of all peers with the smallest keys, and further rows that have the largest of
// these keys, except rows that are already marked. It returns how many rows it marked.
func (s *goss) mark(t *trainer, mark uint8, count int) int {
	limit := s.smallest(t.pool, t.train.Meta.Part, count)
	marked := make([]int, t.pool.Workers())
	t.pool.Blocks(len(s.keys), rowBlock, func(worker, from, to int) {
		n := 0
		for row := from; row < to; row++ {
			if s.keys[row] <= limit && s.sampled[row] == leftOut {
				s.sampled[row] = mark
				n++
			}
		}
		marked[worker] += n
	})
	sum := 0
	for _, n := range marked {
		sum += n
	}
	return t.train.Meta.Part.Group().SumOf(sum)
}

// collect sets t.rows to the marked rows, multiplies the gradients of those that were drawn, and returns the
// extremes of all of them.
func (s *goss) collect(t *trainer, factor float64) extremes {
	g := t.gradients
	workers := make([]extremes, t.pool.Workers())
	for w := range workers {
		workers[w].bad = -1
	}
	t.pool.Blocks(len(s.sampled), rowBlock, func(worker, from, to int) {
		e := &workers[worker]
		for row := from; row < to; row++ {
			if s.sampled[row] == leftOut {
				continue
			}
			if s.sampled[row] == drawn {
				g.Lambda[row], g.Hessian[row] = float64(g.Lambda[row]*factor), float64(g.Hessian[row]*factor)
			}
			e.gradient, e.hessian = max(e.gradient, math.Abs(g.Lambda[row])), max(e.hessian, g.Hessian[row])
		}
	})
	rows := t.rows.list[:0]
	for row, mark := range s.sampled {
		if mark != leftOut {
			rows = append(rows, int32(row))
		}
	}
	t.rows.setList(rows)
	all := extremes{bad: -1}
	for _, e := range workers {
		all = all.and(e)
	}
	return all.ofAll(t.train.Meta.Part)
}
