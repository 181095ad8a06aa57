package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// Importance is the importance of a feature for a model.
type Importance struct {
	Feature string `json:"feature"`

	// Drop is the decrease of the mean nDCG, over queries with their weights, if the values of the feature
	// are permuted among all loaded documents and query context is recomputed. Low and High are its interval
	// over queries. It is the mean of Options.Repeats permutations.
	Drop metric.Value `json:"drop"`
	Low  metric.Value `json:"low"`
	High metric.Value `json:"high"`

	Gain  float64 `json:"gain"`  // of the model's splits
	Split float64 `json:"split"` // number of the model's splits
	Mean  float64 `json:"mean"`  // of the absolute values of the contributions minus their means over the query
}

// importance returns the importance of the features that the model uses, the largest drop first. level is the
// level of the intervals; ctx is as for [Data.Measure].
func (d *Data) importance(ctx context.Context, level float64) ([]Importance, error) {
	all, weights, err := d.Measure(ctx)
	if err != nil {
		return nil, err
	}
	tests := metric.DefaultTestOptions()
	tests.Level, tests.Seed, tests.Workers = level, d.options.Seed, d.options.Workers
	list, used := make([]Importance, len(all)), d.used()
	for i, m := range all {
		drops := metric.NewSample(m.Drops, weights)
		interval := drops.Interval(tests)
		list[i] = Importance{Feature: d.Model.Features[used[i]].Name, Drop: metric.Value(drops.Mean()),
			Low: metric.Value(interval.Low), High: metric.Value(interval.High),
			Gain: m.Gain, Split: m.Split, Mean: d.meanSize(m.Sizes)}
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Drop, a.Drop) })
	return list, nil
}

// Measured is the measurements from which the importance of a feature is computed.
type Measured struct {
	Feature int       // its number in the model
	Drops   []float64 // decrease of nDCG of each loaded query; NaN for a query that does not count
	Gain    float64   // of the model's splits
	Split   float64   // number of the model's splits
	// of each loaded query: the mean absolute value of the contributions minus their means over the query
	Sizes []float64
}

// Measure returns the measurements from which importance is computed, for each feature that the model uses,
// ascending, and the weights of the queries in the mean of nDCG, nil if all are equal. It scores the
// documents Options.Repeats times for each feature. If ctx is canceled, the error is its cause.
func (d *Data) Measure(ctx context.Context) (list []Measured, weights []float64, err error) {
	judged, err := d.judge(d.Scores)
	if err == nil {
		_, err = judged.Sample() // fails if the mean is not one of weighted queries
	}
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(d.Meta.Labels, func(label float64) bool { return label > 0 }) {
		return nil, nil, ErrNoGrades
	}
	used, gain, split := d.used(), d.owned(d.Model.Importance(tree.ByGain)),
		d.owned(d.Model.Importance(tree.BySplit))
	scorer, err := tree.Compile(d.Model)
	if err != nil {
		return nil, nil, err
	}
	sizes, errs := d.sizesByQuery(), make([]error, len(used))
	list = make([]Measured, len(used))
	done := d.options.counter("features permuted", len(used))
	pool := par.New(d.options.Workers)
	defer pool.Close()
	rows := make([][]float64, pool.Workers())
	pool.Run(len(used), func(worker, i int) {
		if ctx.Err() != nil {
			return
		}
		if rows[worker] == nil {
			rows[worker] = slices.Clone(d.Rows)
		}
		f := used[i]
		list[i] = Measured{Feature: d.numbers[f], Gain: gain[f], Split: split[f], Sizes: sizes[f]}
		list[i].Drops, errs[i] = d.permute(ctx, f, rows[worker], scorer, judged.PerQuery)
		done(1)
	})
	return list, judged.Weights, cmp.Or(context.Cause(ctx), errors.Join(errs...))
}

// ErrNoGrades is the error for queries without a document of a grade above 0, whose
// nDCG is the same in any order.
var ErrNoGrades = errors.New("no document of these queries has a grade above 0, so that nDCG says nothing " +
	"about their order")

// permute returns the decrease of each query's nDCG when the values of a feature are permuted. It changes
// rows temporarily. If ctx is canceled, it returns early.
func (d *Data) permute(ctx context.Context, f int, rows []float64, scorer *tree.Scorer,
	base []float64) ([]float64, error) {
	n := len(d.Number)
	drops, scores, order, feature := make([]float64, len(base)), make([]float64, n), make([]int, n),
		d.contextual(f)
	for repeat := range d.options.Repeats {
		if ctx.Err() != nil {
			break
		}
		key := random.New(d.options.Seed, random.Permutation, repeat).Key(d.numbers[f])
		for i := range order {
			order[i] = i
		}
		for i := n - 1; i > 0; i-- { // Fisher and Yates
			j := int(key.Float64(i) * float64(i+1))
			order[i], order[j] = order[j], order[i]
		}
		d.exchange(rows, feature, order)
		if err := scorer.Score(scores, rows); err != nil {
			return nil, err
		}
		values, err := d.values(scores)
		if err != nil {
			return nil, err
		}
		for q := range drops {
			drops[q] += (base[q] - values[q]) / float64(d.options.Repeats)
		}
	}
	copy(rows, d.Rows)
	return drops, nil
}

// exchange writes to each row the value that the feature has in row order[row] of the data, and the resulting
// query context.
func (d *Data) exchange(rows []float64, c *contextual, order []int) {
	width := d.Model.NumFeatures()
	for _, q := range d.Meta.Queries {
		c.values = c.values[:0]
		for _, other := range order[q.First:][:q.Len] {
			c.values = append(c.values, d.row(other)[c.number])
		}
		c.prepare()
		for i, x := range c.values {
			c.write(rows[(q.First+i)*width:], x)
		}
	}
}

// judge returns the nDCG of all queries. The error is that of [metric.Evaluate], or says that a grade cannot
// be judged or that no query counts.
func (d *Data) judge(scores []float64) (*metric.Result, error) {
	for n := range d.Meta.Queries {
		if err := d.checkGrades(n); err != nil {
			return nil, err
		}
	}
	results, err := metric.Evaluate([]metric.Metric{d.metric()}, d.Meta, scores, 1)
	switch {
	case err != nil:
		return nil, err
	case results[0].LeftOut == results[0].Queries:
		return nil, errors.New("no query counts for nDCG: the labels are missing, or all are 0")
	}
	return &results[0], nil
}

// ErrGrade is wrapped by the error for a grade that has no gain by the convention.
var ErrGrade = errors.New("the grade has no gain")

// checkGrades returns an error for a document of query number n whose grade has no gain.
func (d *Data) checkGrades(n int) error {
	c, q := &d.options.Convention, d.Meta.Queries[n]
	for row := q.First; row < q.First+q.Len; row++ {
		label := d.Meta.Labels[row]
		if label < 0 && c.NegativeWorthless {
			continue
		}
		if err := c.Gain.Check(label); err != nil {
			return d.Meta.LabelError(row, fmt.Errorf("%w by the convention %s: %w", ErrGrade, c.Name, err))
		}
	}
	return nil
}

// values returns the nDCG of each query, or NaN for a query that does not count.
func (d *Data) values(scores []float64) ([]float64, error) {
	judged, err := d.judge(scores)
	if err != nil {
		return nil, err
	}
	return judged.PerQuery, nil
}

// sizes returns the mean absolute value of each feature's contributions minus their means over the query.
func (d *Data) sizes() []float64 {
	byQuery := d.sizesByQuery()
	sizes := make([]float64, len(byQuery))
	for f := range sizes {
		sizes[f] = d.meanSize(byQuery[f])
	}
	return sizes
}

// sizesByQuery returns the means of sizes separately for the documents of each
// query: by feature, then by query.
func (d *Data) sizesByQuery() [][]float64 {
	sizes := make([][]float64, d.Model.NumFeatures())
	for f := range sizes {
		sizes[f] = make([]float64, len(d.Meta.Queries))
	}
	for number, q := range d.Meta.Queries {
		means := d.means(q, d.of)
		for row := q.First; row < q.First+q.Len; row++ {
			for f, v := range d.of(row) {
				sizes[f][number] += math.Abs(v-means[f]) / float64(q.Len)
			}
		}
	}
	return sizes
}

// meanSize returns the mean over all documents of sizes by query.
func (d *Data) meanSize(byQuery []float64) float64 {
	sum := 0.0
	for number, q := range d.Meta.Queries {
		sum += float64(byQuery[number] * float64(q.Len))
	}
	return sum / float64(len(d.Number))
}
