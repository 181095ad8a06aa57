package evaluate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// clicks draws queries of 8 documents, their scores, and clicks with a probability of 1/(1+e^(-1.5·s+1)), or
// of two steps.
func clicks(seed uint64, queries int, steps bool) (*dataset.Meta, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	meta := &dataset.Meta{}
	var scores []float64
	for q := range queries {
		meta.Queries = append(meta.Queries, dataset.Query{ID: fmt.Sprint(q), First: 8 * q, Len: 8})
		for range 8 {
			s := math.Round(rng.NormFloat64()*50) / 50 // some are equal
			p := 1 / (1 + math.Exp(-1.5*s+1))
			if steps {
				p = map[bool]float64{true: 0.7, false: 0.1}[s > 0.2]
			}
			label := 0.0
			if rng.Float64() < p {
				label = 2
			}
			scores, meta.Labels = append(scores, s), append(meta.Labels, label)
			meta.Weights = append(meta.Weights, float64(1+rng.IntN(3)))
		}
	}
	return meta, scores
}

// TestIsotonicIsTheNaiveOne: the fitted probability of each block is max over lower ends of the min over
// upper ends of the mean between (Robertson, Wright and Dykstra, Order restricted statistical inference,
// 1988, theorem 1.4.4).
func TestIsotonicIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(20) {
		meta, scores := clicks(seed, 12, seed%2 == 0)
		c, err := evaluate.Calibrate(t.Context(), tree.Isotonic, meta, scores, tree.Event{Grade: 1})
		require.NoError(t, err)
		want := naive(meta, scores)
		var distinct []float64
		for _, v := range want {
			if n := len(distinct); n == 0 || v > distinct[n-1]+1e-12 {
				distinct = append(distinct, v)
			}
		}
		require.Len(t, c.Probabilities, len(distinct))
		for i := range distinct {
			if 0 < distinct[i] && distinct[i] < 1 {
				assert.InDelta(t, distinct[i], c.Probabilities[i], 1e-12)
			} else {
				assert.Greater(t, math.Min(c.Probabilities[i], 1-c.Probabilities[i]), 1e-4, "nothing is certain")
			}
		}
		assert.True(t, slices.IsSorted(c.Probabilities))
	}
}

// naive returns the isotonic regression at each distinct score, ascending.
func naive(meta *dataset.Meta, scores []float64) (fitted []float64) {
	at := slices.Compact(slices.Sorted(slices.Values(scores)))
	weight, good := make([]float64, len(at)), make([]float64, len(at))
	for i, s := range scores {
		k, _ := slices.BinarySearch(at, s)
		weight[k] += meta.Weights[i]
		if meta.Labels[i] >= 1 {
			good[k] += meta.Weights[i]
		}
	}
	for k := range at {
		best := 0.0
		for low := range k + 1 {
			least := math.Inf(1)
			for high := k; high < len(at); high++ {
				w, g := 0.0, 0.0
				for i := low; i <= high; i++ {
					w, g = w+weight[i], g+good[i]
				}
				least = min(least, g/w)
			}
			best = max(best, least)
		}
		fitted = append(fitted, best)
	}
	return fitted
}

// TestPlattIsAMinimum: the loss on Platt's targets is larger beside the fitted numbers, and these are near
// those that drew the labels.
func TestPlattIsAMinimum(t *testing.T) {
	meta, scores := clicks(1, 500, false)
	meta.Weights = nil
	c, err := evaluate.Calibrate(t.Context(), tree.Platt, meta, scores, tree.Event{Grade: 2})
	require.NoError(t, err)
	assert.InDelta(t, -1.5, c.A, 0.15)
	assert.InDelta(t, 1, c.B, 0.15)
	good := 0.0
	for _, y := range meta.Labels {
		good += y / 2
	}
	bad := float64(len(scores)) - good
	loss := func(a, b float64) (sum float64) {
		for i, s := range scores {
			target := 1 / (bad + 2)
			if meta.Labels[i] > 0 {
				target = (good + 1) / (good + 2)
			}
			x := a*s + b
			sum += target*math.Log1p(math.Exp(x)) + (1-target)*math.Log1p(math.Exp(-x))
		}
		return sum
	}
	for _, d := range [][2]float64{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}} {
		assert.Greater(t, loss(c.A+d[0], c.B+d[1]), loss(c.A, c.B))
	}
}

// TestCalibrationKeepsTheOrder: probabilities rise with scores, beyond the fitted ones too, and are the same
// after a round trip through the text.
func TestCalibrationKeepsTheOrder(t *testing.T) {
	meta, scores := clicks(3, 40, true)
	for _, kind := range []string{tree.Platt, tree.Isotonic, evaluate.Auto} {
		c, err := evaluate.Calibrate(t.Context(), kind, meta, scores, tree.Event{Grade: 1})
		require.NoError(t, err)
		back, err := tree.ParseCalibration(c.String())
		require.NoError(t, err)
		assert.Equal(t, c, back)
		last := 0.0
		for s := -20.0; s < 20; s += 0.01 {
			p := c.Probability(s)
			require.True(t, last < p && p < 1, "%s: %v after %v at %v", kind, p, last, s)
			last = p
		}
		for _, far := range []float64{1e308, math.Inf(1)} {
			assert.LessOrEqual(t, last, c.Probability(far))
			assert.LessOrEqual(t, c.Probability(-far), c.Probability(-20))
		}
	}
}

func TestAutoTakesTheBetterKind(t *testing.T) {
	for _, steps := range []bool{false, true} {
		meta, scores := clicks(5, 1500, steps)
		c, err := evaluate.Calibrate(t.Context(), evaluate.Auto, meta, scores, tree.Event{Grade: 1})
		require.NoError(t, err)
		assert.Equal(t, map[bool]string{true: tree.Isotonic, false: tree.Platt}[steps], c.Kind)
	}
}

func TestCanceledCalibration(t *testing.T) {
	meta, scores := clicks(1, 30, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Ctrl-C")
	cancel(why)
	for _, kind := range []string{tree.Platt, evaluate.Auto} {
		_, err := evaluate.Calibrate(ctx, kind, meta, scores, tree.Event{Grade: 1})
		assert.Equal(t, why, err)
	}
}

// TestPlattEndsWhereNothingIsGained: on many scores that are close together and far from 0, rounding keeps
// the gradient from becoming as small as elsewhere, and no step can be seen to be a good one.
func TestPlattEndsWhereNothingIsGained(t *testing.T) {
	meta, scores := clicks(1, 40_000, false)
	for i := range scores {
		scores[i] = scores[i]/50 - 20
	}
	asked := &asking{Context: t.Context()}
	_, err := evaluate.Calibrate(asked, tree.Platt, meta, scores, tree.Event{Grade: 1})
	require.NoError(t, err)
	assert.Less(t, asked.times, 25)
}

// asking counts how often a calculation asks whether it is to end, which it does at each step.
type asking struct {
	context.Context
	times int
}

func (a *asking) Err() error {
	a.times++
	return a.Context.Err()
}

func TestFaultsOfCalibration(t *testing.T) {
	meta, scores := clicks(1, 30, false)
	for _, kind := range []string{tree.Platt, tree.Isotonic, evaluate.Auto} {
		for _, grade := range []float64{0, 3} { // all documents, and none
			_, err := evaluate.Calibrate(t.Context(), kind, meta, scores, tree.Event{Grade: grade})
			require.ErrorIs(t, err, evaluate.ErrOneOutcome)
			assert.ErrorContains(t, err, "calibration_label=")
		}
		reversed := slices.Clone(scores)
		slices.SortFunc(reversed, func(a, b float64) int { return cmp.Compare(b, a) })
		sorted := slices.Sorted(slices.Values(meta.Labels))
		event, ordered := tree.Event{Grade: 1}, &dataset.Meta{Labels: sorted, Queries: meta.Queries}
		_, err := evaluate.Calibrate(t.Context(), kind, ordered, reversed, event)
		assert.ErrorIs(t, err, evaluate.ErrUnordered)
		for _, s := range []float64{math.NaN(), math.Inf(1), -1e101} {
			reversed[7] = s
			_, err = evaluate.Calibrate(t.Context(), kind, ordered, reversed, event)
			assert.ErrorContains(t, err, fmt.Sprintf("the score of row 7 (query %s) is %v", meta.Queries[0].ID, s))
		}
		broken := slices.Clone(meta.Labels)
		broken[7] = math.NaN()
		_, err = evaluate.Calibrate(t.Context(), kind, &dataset.Meta{Labels: broken, Queries: meta.Queries}, scores,
			event)
		assert.ErrorContains(t, err, "the label of row 7 is NaN")
		broken[7] = -1
		_, err = evaluate.Calibrate(t.Context(), kind, &dataset.Meta{Labels: meta.Labels, Weights: broken,
			Queries: meta.Queries}, scores, event)
		assert.ErrorContains(t, err, "the weight of row 7 is -1")
		_, err = evaluate.Calibrate(t.Context(), kind, meta, scores[1:], event)
		assert.ErrorContains(t, err, "want one a row")
		_, err = evaluate.Calibrate(t.Context(), kind, &dataset.Meta{Labels: meta.Labels,
			Weights: slices.Repeat([]float64{1e308}, len(scores)), Queries: meta.Queries}, scores, event)
		assert.ErrorIs(t, err, dataset.ErrWeightSum)
		equal := make([]float64, len(scores))
		_, err = evaluate.Calibrate(t.Context(), kind, meta, equal, event)
		assert.ErrorIs(t, err, evaluate.ErrUnordered, "all scores are equal")
		_, err = evaluate.Calibrate(t.Context(), kind, &dataset.Meta{}, nil, event)
		assert.ErrorIs(t, err, evaluate.ErrOneOutcome, "no rows")
		one := &dataset.Meta{Labels: meta.Labels, Queries: []dataset.Query{{ID: "1", Len: len(scores)}}}
		c, err := evaluate.Calibrate(t.Context(), kind, one, scores, event)
		require.NoError(t, err, "%s: one query", kind)
		assert.Less(t, c.Probability(-2), c.Probability(2))
	}
	for _, text := range []string{"", "platt", "platt;1;1,0", "platt;1;-1", "isotonic;1;0,1;0.5",
		"isotonic;1;1,0;0,1",
		"isotonic;1;0,1;1,0", "isotonic;1;0,1;0,2", "isotonic;1;-1e308,1e308;0,1", "isotonic;1;0;NaN",
		"other;1;-1,0", "isotonic;1,2;0;1", "platt; 1;-1,0"} {
		_, err := tree.ParseCalibration(text)
		assert.Error(t, err, text)
	}
}

// TestReliability: the values are those of plain sums, also where documents have weights.
func TestReliability(t *testing.T) {
	meta, scores := clicks(7, 60, false)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range scores {
		scores[i] = rng.Float64()
	}
	for n, q := range meta.Queries {
		for row := q.First; row < q.First+q.Len; row++ {
			meta.Weights[row] = float64(1 + n%3)
		}
	}
	event := tree.Event{Grade: 2}
	judge := func(s []float64) (*evaluate.Judgment, error) {
		return evaluate.Judge(t.Context(), evaluate.FromScores("s", meta, s),
			[]metric.Metric{metric.NDCG(metric.Default(), 10)}, evaluate.Options{Event: &event})
	}
	j, err := judge(scores)
	require.NoError(t, err)
	total, loss, brier := 0.0, 0.0, 0.0
	for i, p := range scores {
		w, happened := meta.Weights[i], p
		if meta.Labels[i] < event.Grade {
			happened = 1 - p
		}
		total, loss, brier = total+w, loss-w*math.Log(happened), brier+w*(1-happened)*(1-happened)
	}
	r := j.Reliability
	assert.InDelta(t, loss/total, r.LogLoss, 1e-12)
	assert.InDelta(t, brier/total, r.Brier, 1e-12)
	require.Len(t, r.Bins, 15)
	ece, documents, last := 0.0, 0.0, 0.0
	for _, b := range r.Bins {
		ece += b.Documents * math.Abs(b.Probability-b.Events)
		documents += b.Documents
		assert.Greater(t, b.Probability, last)
		last = b.Probability
	}
	assert.InDelta(t, ece/total, r.ECE, 1e-12)
	assert.Equal(t, total, documents)
	scores[9] = 1.5
	_, err = judge(scores)
	require.ErrorIs(t, err, evaluate.ErrNoProbabilities)
	assert.ErrorContains(t, err, "query 1: score 1.5")
}

// TestReliabilityOfTies: documents of one probability share their events, so that neither their order nor
// documents of weight 0 decide what is in a bin.
func TestReliabilityOfTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var rows []metric.Outcome
	for i := range 300 {
		weight := float64(1 + i%3)
		rows = append(rows, metric.Outcome{Probability: 0.25, Weight: weight, Good: weight * float64(i/3%4/3)},
			metric.Outcome{Probability: 0.1 * float64(i%5), Weight: 0})
	}
	r := metric.NewReliability(slices.Clone(rows))
	assert.InDelta(t, 0, r.ECE, 1e-12, "a quarter are events")
	require.Len(t, r.Bins, 15)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	assert.Equal(t, r, metric.NewReliability(rows))
}
