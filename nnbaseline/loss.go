package nnbaseline

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// loss compares the scores of a query with its labels. A loss has memory of its own, and only one
// goroutine uses it.
type loss interface {
	// of returns the loss of a query, and writes its derivative by each score to dst, by index.
	of(dst []float64, q query, scores []float64) float64

	// teaches reports whether an order, or a value, can be learned from the labels of a query.
	teaches(labels []float64) bool

	// shiftable reports whether adding the same number to all scores leaves the loss as it is. Then the
	// derivative by the last bias is 0 except for rounding errors.
	shiftable() bool
}

// query is the input of a loss for a query.
type query struct {
	number int           // of the query in the data
	first  int           // row of its first document
	labels []float64     // by index
	step   int           // number of the training step, from 1; random draws depend on it
	stop   pairwise.Stop // ends the sums of pairs early
}

// newLoss returns the loss that p names.
func newLoss(p *Params) loss {
	switch p.Ranker {
	case RankNet:
		return &rankNet{sigma: p.Sigmoid, pairs: p.Pairs, seed: p.Seed}
	case LambdaRank:
		return &lambdaRank{sigma: p.Sigmoid, truncation: p.LambdarankTruncationLevel, gain: p.LabelGain}
	case ListNet:
		return &listNet{}
	case ListNetKL:
		return &listNet{divergence: true}
	case ListMLE:
		return &listMLE{seed: p.Seed}
	default:
		return squaredError{}
	}
}

// checkLabels returns an error for the first label that the loss cannot use.
func checkLabels(p *Params, data Data) error {
	if p.Ranker != LambdaRank {
		return nil
	}
	for row, label := range data.Meta.Labels {
		if err := p.LabelGain.Check(label); err != nil {
			return fmt.Errorf("%s: %w", data.Name, data.Meta.LabelError(row, err))
		}
	}
	return nil
}

// ordered is embedded in losses that learn an order: from queries that have two
// documents with different labels.
type ordered struct{}

func (ordered) teaches(labels []float64) bool {
	return slices.ContainsFunc(labels, func(label float64) bool { return label != labels[0] })
}

func (ordered) shiftable() bool { return true }

// teaching returns the numbers of the queries that the loss can learn from, and counts the others: those with
// one document, and those whose labels are all equal.
func teaching(l loss, data *dataset.Meta) (numbers []int32, single, equal int) {
	for number, q := range data.Queries {
		switch {
		case l.teaches(data.Labels[q.First : q.First+q.Len]):
			numbers = append(numbers, int32(number))
		case q.Len == 1:
			single++
		default:
			equal++
		}
	}
	return numbers, single, equal
}

// lambdaRank is RankNet's loss with each pair weighted by how much nDCG would change if its two
// documents swapped ranks, the weights taken as constants:
//
//	L = Σ Δ · log(1 + e^(-σ (s_high - s_low))),
//	Δ = |(gain_high - gain_low) · (discount_high - discount_low)| / maxDCG
//
// over the pairs of documents with different gains, one of them among the first ranks, as many as the
// truncation level; maxDCG is the largest DCG of these ranks. Equal scores rank in file order. Trees have the
// same lambdas if their normalizations are off (package objective): both go through [pairwise.Swaps]. Trees
// do not need the value of the loss, and compute lambdas faster, with sums that differ in the last bits.
// (Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, section 3.)
type lambdaRank struct {
	ordered
	sigma      float64
	truncation int
	gain       metric.Gain

	dcg   pairwise.DCG
	swaps pairwise.Swaps
}

func (l *lambdaRank) of(dst []float64, q query, scores []float64) float64 {
	clear(dst)
	l.arrange(q.labels, scores)
	l.swaps.Stop = q.stop
	if l.swaps.Scale == 0 {
		return 0 // no document has a gain
	}
	loss := 0.0
	for pair := range l.swaps.All {
		rho, pairLoss := pairwise.Logistic(-float64(l.sigma * pair.Gap))
		slope := float64(float64(l.sigma*pair.Delta) * rho)
		dst[pair.High] -= slope
		dst[pair.Low] += slope
		loss += float64(pair.Delta * pairLoss)
	}
	return loss
}

// arrange ranks the documents and finds their gains.
func (l *lambdaRank) arrange(labels, scores []float64) {
	s := &l.swaps
	s.RankAnew(scores)
	s.Gains = reuse.Slice(s.Gains, len(labels))
	for i, label := range labels {
		s.Gains[i] = l.gain.Of(label)
	}
	s.Truncation, s.Discounts, s.Scale = l.truncation, l.dcg.Discounts(len(labels)), l.dcg.InverseIdeal(s.Gains,
		l.truncation)
}

// listNet compares two probabilities that a document is ranked first, by its score s and by its label y, with
// P(z)_i = e^z_i / Σ e^z_j. The loss is their cross entropy
//
//	L = -Σ_i P(y)_i · log P(s)_i
//
// or their Kullback-Leibler divergence, which is smaller by the entropy of P(y)
// and so has the same derivative,
//
//	∂L/∂s_i = P(s)_i - P(y)_i.
//
// (Cao et al., Learning to rank: from pairwise approach to listwise approach, ICML 2007, section 5,
// with top-one probabilities and φ = exp.)
type listNet struct {
	ordered
	divergence bool
	target     []float64 // P(y)
}

func (l *listNet) of(dst []float64, q query, scores []float64) float64 {
	l.target = reuse.Slice(l.target, len(scores))
	label, ofLabels := pairwise.Softmax(l.target, q.labels)
	score, ofScores := pairwise.Softmax(dst, scores)
	logLabels, logScores := q.labels[label]+exact.Ln(ofLabels), scores[score]+exact.Ln(ofScores)
	loss := 0.0
	for i, target := range l.target {
		loss += float64(target * (logScores - scores[i]))
		if l.divergence {
			loss -= float64(target * (logLabels - q.labels[i]))
		}
		dst[i] -= target
	}
	return loss
}

// squaredError is the mean of (s - y)² over a query's documents, with scores s and labels y. It learns
// from every query.
type squaredError struct{}

func (squaredError) teaches([]float64) bool { return true }

func (squaredError) shiftable() bool { return false }

func (squaredError) of(dst []float64, q query, scores []float64) float64 {
	n, sum := float64(len(scores)), 0.0
	for i, s := range scores {
		d := s - q.labels[i]
		sum += float64(d * d)
		dst[i] = 2 * d / n
	}
	return sum / n
}

// rankNet is the mean of RankNet's loss over pairs of documents of different labels
// ([pairwise.RankNet] has the formulas), either over all pairs of a query, or over a number of them
// that each step draws again, with replacement.
type rankNet struct {
	ordered
	sigma float64
	pairs int // number of pairs that are drawn; 0: all
	seed  uint64

	sums pairwise.RankNet
}

func (r *rankNet) of(dst []float64, q query, scores []float64) (loss float64) {
	r.sums.Sigma, r.sums.Stop = r.sigma, q.stop
	r.sums.Arrange(q.labels)
	if r.pairs > 0 {
		loss = r.some(q, scores)
	} else {
		loss = r.sums.All(scores)
	}
	r.sums.Slopes(dst)
	return loss
}

// some adds up r.pairs random pairs, drawn uniformly from all pairs of the query.
func (r *rankNet) some(q query, scores []float64) float64 {
	key := random.New(r.seed, random.DocumentPair, q.step)
	share, loss := 1/float64(r.pairs), 0.0
	for draw := range r.pairs {
		number, _ := bits.Mul64(key.Uint64(q.number<<32+draw), uint64(r.sums.NumPairs()))
		loss += r.sums.Add(int(number), scores, share)
	}
	return float64(loss * share)
}

// listMLE is the negative logarithm of the probability that the model of Plackett and Luce, with the
// scores as its parameters, gives to the ideal order π, by descending label:
//
//	L = Σ_i (log Σ_{k≥i} e^s_π(k) - s_π(i)),
//	∂L/∂s_π(k) = Σ_{i≤k} e^s_π(k) / Σ_{j≥i} e^s_π(j) - 1
//
// Each step draws the order of documents of the same label again. (Xia et al., Listwise approach to
// learning to rank: theory and algorithm, ICML 2008, equations 7 and 8.)
type listMLE struct {
	ordered
	seed  uint64
	order []int32
	tails []float64 // log Σ_{k≥i} e^s_π(k), by rank i
}

func (l *listMLE) of(dst []float64, q query, scores []float64) float64 {
	l.arrange(q)
	n := len(scores)
	l.tails = reuse.Slice(l.tails, n)
	tail, loss := math.Inf(-1), 0.0
	for rank := n - 1; rank >= 0; rank-- {
		score := scores[l.order[rank]]
		tail = logAdd(tail, score)
		l.tails[rank] = tail
		loss += tail - score
	}
	above := math.Inf(-1) // log Σ_{i≤rank} e^-tails[i]
	for rank, index := range l.order {
		above = logAdd(above, -l.tails[rank])
		dst[index] = exact.Exp(scores[index]+above) - 1
	}
	return loss
}

// arrange draws the ideal order.
func (l *listMLE) arrange(q query) {
	key := random.New(l.seed, random.EqualGrades, q.step)
	l.order = reuse.Slice(l.order, len(q.labels))
	for i := range l.order {
		l.order[i] = int32(i)
	}
	slices.SortFunc(l.order, func(a, b int32) int {
		if c := cmp.Compare(q.labels[b], q.labels[a]); c != 0 {
			return c
		}
		return cmp.Compare(key.Uint64(q.first+int(a)), key.Uint64(q.first+int(b)))
	})
}

// logAdd returns log(e^a + e^b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(exact.Exp(b-a))
}
