package objective

import (
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// several is the memory for queries whose pairs are added together, reused for the next ones.
type several struct {
	together pairwise.Together
	ranked   [pairwise.MostTogether]ranked
	numbers  []int   // of the queries
	pause    int     // how often the next ones are ranked one by one, and not in lanes
	touched  float64 // as in [ranked]
	logs     [pairwise.MostTogether]float64
	gradient uint64 // largest bits of the derivatives so far
	hessian  uint64
}

// Idle reports whether the gradients of a query are always 0.
func (l *lambdaRank) Idle(query int) bool { return !l.hasPairs[query] }

// GradientsOf does for several queries what Gradients does for each, faster if they have few documents. dst
// and the scores are by row. It returns what [exact.Largest] returns for the queries' gradients.
func (l *lambdaRank) GradientsOf(dst Gradients, queries []int, round Round) (gradient, hessian uint64) {
	s := l.severals.Get()
	defer l.severals.Put(s)
	s.numbers, s.gradient, s.hessian = s.numbers[:0], 0, 0
	s.together.Forget()
	s.touched = l.touch(dst, queries, round.Scores)
	for _, n := range queries {
		if !l.wait(s, n, round) {
			l.alone(s, dst, n, round)
		} else if len(s.numbers) == pairwise.MostTogether {
			l.conclude(s, dst, round)
		}
	}
	if len(s.numbers) > 0 && s.together.Pays() {
		l.conclude(s, dst, round)
		return s.gradient, s.hessian
	}
	for _, n := range s.numbers {
		l.alone(s, dst, n, round)
	}
	return s.gradient, s.hessian
}

// touch loads what very short queries are ranked by, and where their gradients go, row after row: they come
// by length, and each would wait for memory. It returns a sum without a meaning.
func (l *lambdaRank) touch(dst Gradients, queries []int, scores []float64) float64 {
	first, end, rows := l.first[len(l.first)-1], int32(0), int32(0)
	for _, n := range queries {
		first, end, rows = min(first, l.first[n]), max(end, l.first[n+1]), rows+l.first[n+1]-l.first[n]
	}
	const most, few = 1 << 12, 8 // rows that stay in a cache, and documents; only speed depends on them
	if rows == 0 || end-first > min(2*rows, most) || rows > few*int32(len(queries)) {
		return 0
	}
	return reuse.Touch(scores[first:end]) + reuse.Touch(l.grades[first:end]) +
		reuse.Touch(dst.Lambda[first:end]) + reuse.Touch(dst.Hessian[first:end])
}

// alone computes the gradients of a query, given those of all rows.
func (l *lambdaRank) alone(s *several, dst Gradients, query int, round Round) {
	q := QueryOf(l.data, query)
	q.Scores, q.Iteration, q.Seed = round.Scores[q.First:q.First+len(q.Labels)], round.Iteration, round.Seed
	q.Canceled = round.Canceled
	own := dst.of(q.First, len(q.Scores))
	l.Gradients(own, q)
	s.see(exact.Largest(own.Lambda, own.Hessian))
}

// see takes in the largest bits of derivatives.
func (s *several) see(gradient, hessian uint64) {
	s.gradient, s.hessian = max(s.gradient, gradient), max(s.hessian, hessian)
}

// of returns the gradients of n rows from the first one on.
func (g Gradients) of(first, n int) Gradients {
	return Gradients{Lambda: g.Lambda[first : first+n], Hessian: g.Hessian[first : first+n]}
}

// wait lets a query wait for others. It returns false if its pairs cannot be added together with theirs.
func (l *lambdaRank) wait(s *several, query int, round Round) bool {
	first, end := l.first[query], l.first[query+1]
	if int(end-first) > pairwise.MostDocuments() || l.params.LambdarankTies == tiesDraw {
		return false
	}
	s.together.Add(round.Scores[first:end], l.gainsOf(&s.ranked[len(s.numbers)], query))
	s.numbers = append(s.numbers, query)
	return true
}

// rankTogether ranks the queries that wait. Those that cannot be added together are processed alone.
func (l *lambdaRank) rankTogether(s *several, dst Gradients, round Round) {
	ranked := l.rankInLanes(s)
	for i, query := range s.numbers {
		if ranked>>i&1 == 0 && !l.settle(s, i, query, round) {
			s.together.Leave(i)
			l.alone(s, dst, query, round)
			s.numbers[i] = done
		}
	}
}

// rankInLanes ranks the queries that wait, but for those with equal scores or scores too far apart. It
// returns a bit for each that it has ranked. If they are few, the next queries are better ranked one by one.
func (l *lambdaRank) rankInLanes(s *several) (ranked uint) {
	const pause = 15 // only speed depends on it
	if s.pause > 0 {
		s.pause--
		return 0
	}
	ranked = s.together.Rank(l.discount, l.params.Sigmoid, l.gapOffset(false))
	if 2*bits.OnesCount(ranked) < len(s.numbers) {
		s.pause = pause
	}
	return ranked
}

// done is in place of the number of a query that waited and was then processed alone.
const done = -1

// settle ranks a query that waits, by itself. It returns false if its pairs cannot be added together with
// others.
func (l *lambdaRank) settle(s *several, number, query int, round Round) bool {
	first, end := l.first[query], l.first[query+1]
	r := &s.ranked[number]
	l.rank(r, round.Scores[first:end], l.order[first:end], r.gains)
	if pairwise.Distant(l.params.Sigmoid, r.Spread()) || !pairwise.CanTogether(r.ties) {
		return false
	}
	s.together.SetRanking(number, &r.Ranking, r.ties, r.gains, l.discount, l.params.Sigmoid,
		l.gapOffset(r.Tied()))
	return true
}

// conclude adds the pairs of the queries that wait, and writes their gradients.
func (l *lambdaRank) conclude(s *several, dst Gradients, round Round) {
	l.rankTogether(s, dst, round)
	sums, sigma := s.together.Pairs(l.params.LambdarankTruncationLevel), l.params.Sigmoid
	logs := s.logs[:len(sums)]
	for i := range sums {
		sums[i] = float64(2 * sigma * sums[i])
		logs[i] = 1 + sums[i]
	}
	exact.Log2s(logs)
	for i, query := range s.numbers {
		if query == done {
			continue
		}
		factor := sigma
		if l.params.LambdarankLogNorm && sums[i] > 0 {
			factor = sigma * (logs[i] / sums[i])
		}
		first, end := l.first[query], l.first[query+1]
		lambda, hessian := dst.Lambda[first:end], dst.Hessian[first:end]
		largest, largestHessian := s.together.Derivatives(i, lambda, hessian, factor, sigma*factor)
		if l.data.Weights != nil {
			multiply(Gradients{lambda, hessian}, l.data.Weights[first:end])
			largest, largestHessian = exact.Largest(lambda, hessian)
		}
		s.see(largest, largestHessian)
	}
	s.numbers = s.numbers[:0]
}
