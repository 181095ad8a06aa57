package objective

import (
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
)

// several is the memory for queries whose pairs are added together, reused for the next ones.
type several struct {
	together pairwise.Together
	ranked   [pairwise.MostTogether]ranked
	numbers  []int // of the queries
	logs     [pairwise.MostTogether]float64
}

// Idle reports whether the gradients of a query are always 0.
func (l *lambdaRank) Idle(query int) bool { return !l.hasPairs[query] }

// GradientsOf does for several queries what Gradients does for each, faster if they have few documents. dst and
// the scores are by row.
func (l *lambdaRank) GradientsOf(dst Gradients, queries []int, round Round) {
	s, _ := l.severals.Get().(*several)
	if s == nil {
		s = new(several)
	}
	defer l.severals.Put(s)
	s.numbers = s.numbers[:0]
	s.together.Forget()
	for _, n := range queries {
		if !l.wait(s, n, round) {
			l.alone(dst, n, round)
		} else if len(s.numbers) == pairwise.MostTogether {
			l.conclude(s, dst)
		}
	}
	if s.together.Pays() {
		l.conclude(s, dst)
		return
	}
	for _, n := range s.numbers {
		l.alone(dst, n, round)
	}
}

// alone computes the gradients of a query, given those of all rows.
func (l *lambdaRank) alone(dst Gradients, query int, round Round) {
	q := QueryOf(l.data, query)
	q.Scores, q.Iteration, q.Seed = round.Scores[q.First:q.First+len(q.Labels)], round.Iteration, round.Seed
	q.Canceled = round.Canceled
	l.Gradients(dst.of(q.First, len(q.Scores)), q)
}

// of returns the gradients of n rows from the first one on.
func (g Gradients) of(first, n int) Gradients {
	return Gradients{Lambda: g.Lambda[first : first+n], Hessian: g.Hessian[first : first+n]}
}

// wait ranks a query and lets it wait for others. It returns false if its pairs cannot be added together with
// theirs.
func (l *lambdaRank) wait(s *several, query int, round Round) bool {
	q := &l.data.Queries[query]
	if q.Len > pairwise.MostDocuments() || l.params.LambdarankTies == tiesDraw {
		return false
	}
	r, gains := &s.ranked[len(s.numbers)], l.gains[q.First:q.First+q.Len]
	l.rank(r, round.Scores[q.First:q.First+q.Len], l.order[q.First:q.First+q.Len], gains)
	if pairwise.Distant(l.params.Sigmoid, r.Spread()) || !pairwise.CanTogether(r.ties) {
		return false
	}
	s.together.Add(&r.Ranking, r.ties, gains, l.discount, l.params.Sigmoid, l.gapOffset(&r.Ranking))
	s.numbers = append(s.numbers, query)
	return true
}

// conclude adds the pairs of the queries that wait, and writes their gradients.
func (l *lambdaRank) conclude(s *several, dst Gradients) {
	sums, sigma := s.together.Pairs(l.params.LambdarankTruncationLevel), l.params.Sigmoid
	logs := s.logs[:len(sums)]
	for i := range sums {
		sums[i] = float64(2 * sigma * sums[i])
		logs[i] = 1 + sums[i]
	}
	exact.Log2s(logs)
	for i, query := range s.numbers {
		factor := sigma
		if l.params.LambdarankLogNorm && sums[i] > 0 {
			factor = sigma * (logs[i] / sums[i])
		}
		q := &l.data.Queries[query]
		own := dst.of(q.First, q.Len)
		s.together.Derivatives(i, own.Lambda, own.Hessian, factor, sigma*factor)
		if l.data.Weights != nil {
			multiply(own, l.data.Weights[q.First:q.First+q.Len])
		}
	}
	s.numbers = s.numbers[:0]
}
