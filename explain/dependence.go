package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// Dependence is how scores depend on one feature: its partial dependence (Friedman, Greedy Function
// Approximation, 2001, section 8.2).
type Dependence struct {
	Feature string `json:"feature"`
	// X is values of the feature, quantiles of the documents' values, ascending.
	X     []metric.Value `json:"x"`
	Texts []string       `json:"texts,omitempty"` // the categories that X stands for; empty for numbers
	// Score is the mean score of the documents if each had that value while the other documents of its query
	// keep theirs, minus the mean of their actual scores.
	Score []metric.Value `json:"score"`
}

// Surface is the partial dependence of scores on two features.
type Surface struct {
	Features [2]string        `json:"features"`
	X        []metric.Value   `json:"x"` // values of the first feature
	Y        []metric.Value   `json:"y"` // values of the second one
	Score    [][]metric.Value `json:"score"`
}

// Interaction is how much two features contribute together, beyond what each contributes alone.
type Interaction struct {
	Features [2]string `json:"features"`
	Mean     float64   `json:"mean"` // of the magnitudes of joint contributions ([tree.Ensemble.Interactions])
}

const (
	gridPoints    = 20  // values of a feature
	surfacePoints = 9   // values of each feature of a pair
	averagedRows  = 300 // documents that dependences average over
	pairedRows    = 100 // documents whose interactions are computed; fewer with very many features
	mostPairs     = 1 << 26
)

// dependences returns the dependence on each of some features, given by name. If ctx is canceled, the error
// is its cause.
func (d *Data) dependences(ctx context.Context, features []string) ([]Dependence, error) {
	scorer, err := tree.Compile(d.Model)
	if err != nil {
		return nil, err
	}
	list, base := make([]Dependence, len(features)), d.meanWith(scorer, nil)
	done := d.options.counter("dependences", len(features))
	pool := par.New(d.options.Workers)
	defer pool.Close()
	pool.Run(len(features), func(_, i int) {
		defer done(1)
		f := d.number(features[i])
		list[i].Feature = features[i]
		for _, x := range d.quantiles(f, gridPoints) {
			if ctx.Err() != nil {
				return
			}
			score := d.meanWith(scorer, map[int]float64{f: x}) - base
			list[i].X, list[i].Score = append(list[i].X, metric.Value(x)), append(list[i].Score, metric.Value(score))
			if d.Model.Dictionaries[f] != nil {
				list[i].Texts = append(list[i].Texts, d.category(f, x))
			}
		}
	})
	return list, context.Cause(ctx)
}

// surface returns the dependence on two features. If ctx is canceled, the error is its cause.
func (d *Data) surface(ctx context.Context, a, b string) (Surface, error) {
	s := Surface{Features: [2]string{a, b}}
	scorer, err := tree.Compile(d.Model)
	if err != nil {
		return s, err
	}
	f, g, base := d.number(a), d.number(b), d.meanWith(scorer, nil)
	for _, y := range d.quantiles(g, surfacePoints) {
		s.Y = append(s.Y, metric.Value(y))
	}
	done := d.options.counter("lines of the dependence on "+a+" and "+b, surfacePoints)
	for _, x := range d.quantiles(f, surfacePoints) {
		done(1)
		s.X = append(s.X, metric.Value(x))
		var line []metric.Value
		for _, y := range s.Y {
			if ctx.Err() != nil {
				return s, context.Cause(ctx)
			}
			mean := d.meanWith(scorer, map[int]float64{f: x, g: float64(y)})
			line = append(line, metric.Value(mean-base))
		}
		s.Score = append(s.Score, line)
	}
	return s, nil
}

// number returns the number of a feature of the model.
func (d *Data) number(name string) int { return slices.Index(d.Model.FeatureNames(), name) }

// quantiles returns up to n different values of a feature, from the smallest to the
// largest that is not missing.
func (d *Data) quantiles(f, n int) []float64 {
	values := make([]float64, len(d.Number))
	for row := range values {
		values[row] = d.row(row)[f]
	}
	return quantilesOf(values, n)
}

// quantilesOf returns up to n different values of some, from the smallest to the largest that is not missing.
func quantilesOf(values []float64, n int) []float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	if different := slices.Compact(slices.Clone(values)); len(different) <= n {
		return different
	}
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = values[i*(len(values)-1)/(n-1)]
	}
	return slices.Compact(grid)
}

// sampled returns the indexes of at most n rows, equally spaced.
func (d *Data) sampled(n int) []int {
	n = min(n, len(d.Number))
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i * len(d.Number) / n
	}
	return rows
}

// meanWith returns the mean score of some documents if each of them had certain values while the other
// documents of its query keep theirs.
func (d *Data) meanWith(scorer *tree.Scorer, changed map[int]float64) float64 {
	sum, rows := 0.0, d.sampled(averagedRows)
	width := d.Model.NumFeatures()
	values, scores := make([]float64, len(rows)*width), make([]float64, len(rows))
	features := make(map[int]*contextual, len(changed))
	for f := range changed {
		features[f] = d.contextual(f)
	}
	for i, row := range rows {
		to := values[i*width:][:width]
		copy(to, d.row(row))
		for f, v := range changed {
			d.replace(to, row, features[f], v)
		}
	}
	_ = scorer.Score(scores, values) // the lengths are right
	for _, score := range scores {
		sum += score
	}
	return sum / float64(len(rows))
}

// replace writes into values another value of a feature of one row, and the query context of that value among
// the other documents; in a query of more than longQuery documents, among all documents of the query.
func (d *Data) replace(values []float64, row int, c *contextual, v float64) {
	if len(c.columns) > 0 {
		c.among(d, d.queryOf(row), row, v)
	}
	c.write(values, v)
}

// among prepares the context of the value v of one row. c has only been used for the same v.
func (c *contextual) among(d *Data, q dataset.Query, row int, v float64) {
	isNew := c.query != q.First+1
	if isNew {
		c.of(d, q)
		c.query, c.sorted = q.First+1, append(c.sorted[:0], c.values...)
		slices.Sort(c.sorted)
	}
	if q.Len > longQuery && !isNew {
		return // the context of v is that of the row before
	}
	c.values = append(c.values[:0], c.sorted...)
	if q.Len <= longQuery {
		own, _ := slices.BinarySearch(c.values, d.row(row)[c.number])
		c.values = slices.Delete(c.values, own, own+1)
	}
	at, _ := slices.BinarySearch(c.values, v)
	c.values = slices.Insert(c.values, at, v)
	c.prepare()
}

// queryOf returns the query of a row.
func (d *Data) queryOf(row int) dataset.Query {
	next := sort.Search(len(d.Meta.Queries), func(i int) bool { return d.Meta.Queries[i].First > row })
	return d.Meta.Queries[next-1]
}

// interactions returns the n pairs of features with the largest interactions, the largest first. If ctx
// is canceled, the error is its cause.
func (d *Data) interactions(ctx context.Context, n int) ([]Interaction, error) {
	features := d.Model.NumFeatures()
	rows := d.sampled(max(1, min(pairedRows, mostPairs/(features*features))))
	if err := limits.Check(8*(len(rows)+1)*features*features, "the interactions of all pairs of features",
		"a model of fewer features needs less"); err != nil {
		return nil, err
	}
	pool := par.New(d.options.Workers)
	defer pool.Close()
	matrices, errs := make([][]float64, len(rows)), make([]error, len(rows))
	pool.Run(len(rows), func(_, i int) {
		if ctx.Err() != nil {
			return
		}
		matrices[i] = make([]float64, features*features)
		errs[i] = d.Model.Interactions(matrices[i], d.row(rows[i]), 1)
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	sum := make([]float64, features*features)
	for i, matrix := range matrices {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for at, v := range d.ownedPairs(matrix) {
			sum[at] += 2 * math.Abs(v) / float64(len(rows))
		}
	}
	var list []Interaction
	for f := range features {
		for g := range f {
			if v := sum[f*features+g]; v > 0 {
				list = append(list, Interaction{[2]string{d.Model.Features[g].Name, d.Model.Features[f].Name}, v})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Interaction) int { return cmp.Compare(b.Mean, a.Mean) })
	return list[:min(n, len(list))], nil
}

// ownedPairs sums a matrix by columns of the model into one by features.
func (d *Data) ownedPairs(matrix []float64) []float64 {
	if d.Model.QueryContext() == nil {
		return matrix
	}
	n := d.Model.NumFeatures()
	sums := make([]float64, len(matrix))
	for i := range n {
		for j, v := range d.owned(matrix[i*n:][:n]) {
			sums[d.owner(i)*n+j] += v
		}
	}
	return sums
}
