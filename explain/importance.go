package explain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/metric/significance"
	"github.com/lambdamart/lambdamart/tree"
)

// Importance is how much a model rests on a feature.
type Importance struct {
	Feature string `json:"feature"`

	// Drop is what the mean nDCG loses if the values of the feature are exchanged among all documents that
	// were loaded, and Low and High its bootstrap interval over queries. It is the mean of Options.Repeats exchanges.
	Drop Number `json:"drop"`
	Low  Number `json:"low"`
	High Number `json:"high"`

	Gain  float64 `json:"gain"`  // of the model's splits
	Split float64 `json:"split"` // number of the model's splits
	Mean  float64 `json:"mean"`  // of the sizes of the contributions, less their means over the query
}

// Importance returns the importance of the features that the model uses, the largest drop first. level is that of the
// intervals. The work is that of scoring the documents Options.Repeats times for each feature; progress, if not nil, is
// called after each feature, from several goroutines.
func (d *Data) Importance(level float64, progress func()) ([]Importance, error) {
	base, err := d.values(d.Scores)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(d.Meta.Labels, func(label float64) bool { return label > 0 }) {
		return nil, ErrNoGrades
	}
	used, gain, split := d.used(), d.Model.Importance(tree.ByGain), d.Model.Importance(tree.BySplit)
	if d.Model.QueryContext() != nil {
		return nil, ErrContext
	}
	scorer, err := tree.Compile(d.Model)
	if err != nil {
		return nil, err
	}
	sizes := d.sizes()
	list, errs := make([]Importance, len(used)), make([]error, len(used))
	pool := par.New(d.options.Workers)
	defer pool.Close()
	rows := make([][]float64, pool.Workers())
	tests := significance.DefaultOptions()
	tests.Level, tests.Seed, tests.Workers = level, d.options.Seed, 1
	pool.Run(len(used), func(worker, i int) {
		if rows[worker] == nil {
			rows[worker] = slices.Clone(d.Rows)
		}
		f := used[i]
		list[i] = Importance{Feature: d.Model.Features[f].Name, Gain: gain[f], Split: split[f], Mean: sizes[f]}
		errs[i] = d.permute(&list[i], f, rows[worker], scorer, base, tests)
		if progress != nil {
			progress()
		}
	})
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Drop, a.Drop) })
	return list, errors.Join(errs...)
}

// ErrContext is the error for what cannot be said about a model with query context, whose features depend on each other.
var ErrContext = errors.New("the model has query context, whose features are computed of others: exchanging the values of one feature means nothing; context=precomputed takes them for features of their own")

// ErrNoGrades is the error for queries without a document of a grade above 0, whose nDCG is the same in any order.
var ErrNoGrades = errors.New("no document of these queries has a grade above 0, so that nDCG says nothing about their order")

// permute measures what nDCG loses without the values of a feature. rows are the caller's to change, and are as before afterwards.
func (d *Data) permute(dst *Importance, f int, rows []float64, scorer *tree.Scorer, base []float64, tests significance.Options) error {
	n, width := len(d.Number), d.Model.NumFeatures()
	drops, scores, order := make([]float64, len(base)), make([]float64, n), make([]int, n)
	for repeat := range d.options.Repeats {
		key := keyed.New(d.options.Seed, keyed.Permutation, repeat).Key(f)
		for i := range order {
			order[i] = i
		}
		for i := n - 1; i > 0; i-- { // Fisher and Yates
			j := int(key.Float64(i) * float64(i+1))
			order[i], order[j] = order[j], order[i]
		}
		for row, other := range order {
			rows[row*width+f] = d.Rows[other*width+f]
		}
		if err := scorer.Score(scores, rows); err != nil {
			return err
		}
		values, err := d.values(scores)
		if err != nil {
			return err
		}
		for q := range drops {
			drops[q] += (base[q] - values[q]) / float64(d.options.Repeats)
		}
	}
	for row := range n {
		rows[row*width+f] = d.Rows[row*width+f]
	}
	interval := significance.Bootstrap(drops, tests)
	dst.Drop, dst.Low, dst.High = Number(mean(drops)), Number(interval.Low), Number(interval.High)
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// values returns the nDCG of the queries that count.
func (d *Data) values(scores []float64) ([]float64, error) {
	var values []float64
	m := d.metric()
	for _, q := range d.Meta.Queries {
		labels := d.Meta.Labels[q.First : q.First+q.Len]
		if err := d.options.Convention.Check(labels); err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}
		value, counts := m.Query(labels, scores[q.First:q.First+q.Len])
		if math.IsNaN(value) {
			return nil, fmt.Errorf("query %s: a score or a label cannot be judged", q.ID)
		}
		if counts {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return nil, errors.New("no query counts for nDCG: the labels are missing, or all are 0")
	}
	return values, nil
}

// sizes returns the mean size of each feature's contributions less their means over the query.
func (d *Data) sizes() []float64 {
	sizes := make([]float64, d.Model.NumFeatures())
	for _, q := range d.Meta.Queries {
		means := d.means(q)
		for row := q.First; row < q.First+q.Len; row++ {
			for f, v := range d.of(row) {
				sizes[f] += math.Abs(v-means[f]) / float64(len(d.Number))
			}
		}
	}
	return sizes
}
