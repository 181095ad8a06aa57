package study

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// FeatureImportance is the importance of a feature for the models of a step, on validation queries. Drop and
// Size have intervals over queries.
type FeatureImportance struct {
	Feature int `json:"feature"` // its number

	Drop     float64 `json:"drop"` // decrease of nDCG if the values of the feature are permuted among documents
	DropLow  float64 `json:"drop_low"`
	DropHigh float64 `json:"drop_high"`
	// mean over queries of the mean absolute contribution, after subtracting its mean over the query
	Size     float64 `json:"size"`
	SizeLow  float64 `json:"size_low"`
	SizeHigh float64 `json:"size_high"`
	Gain     float64 `json:"gain"`  // share of the gain of all splits in training, the mean over parts
	Split    float64 `json:"split"` // number of splits of all parts
}

// measure measures the importance of all features in their models.
func (s *selection) measure(fitted []fittedPart) ([]FeatureImportance, error) {
	n := len(s.data.Meta.Features)
	all := importanceSums{drops: make([][]float64, n), sizes: make([][]float64, n),
		of: make([]FeatureImportance, n)}
	judged := false
	for i := range fitted {
		list, weights, err := s.measured(&s.parts[i], &fitted[i])
		if errors.Is(err, explain.ErrNoGrades) {
			continue
		} else if err != nil {
			return nil, err
		}
		judged = true
		all.add(list, weights, len(fitted))
	}
	if !judged {
		return nil, explain.ErrNoGrades
	}
	if n := len(metric.NewSample(all.drops[0], all.weights).Values); n < 2 {
		return nil, fmt.Errorf("importance is measured on %d query that counts; want at least 2", n)
	}
	list := make([]FeatureImportance, len(s.all))
	for i, f := range s.all {
		list[i] = all.importance(f, s.tests)
	}
	return list, nil
}

// importanceSums collects the measurements on the queries of all parts, by feature.
type importanceSums struct {
	drops, sizes [][]float64         // values of queries; NaN for those that do not count
	weights      []float64           // of these queries
	of           []FeatureImportance // only Gain and Split
}

// add adds the queries of a part. The values of a feature that the model of the part does not use are zeros.
func (s *importanceSums) add(list []explain.Measured, weights []float64, parts int) {
	total, none := 0.0, slices.Clone(list[0].Drops)
	for _, m := range list {
		total += m.Gain
	}
	for query, drop := range none {
		none[query] = drop - drop // NaN for a query that does not count
		if weights == nil {
			s.weights = append(s.weights, 1)
		}
	}
	s.weights = append(s.weights, weights...)
	for f := range s.drops {
		s.drops[f] = append(s.drops[f], none...)
		s.sizes[f] = append(s.sizes[f], make([]float64, len(list[0].Sizes))...)
	}
	for _, m := range list {
		drops, sizes, of := s.drops[m.Feature], s.sizes[m.Feature], &s.of[m.Feature]
		copy(drops[len(drops)-len(m.Drops):], m.Drops)
		copy(sizes[len(sizes)-len(m.Sizes):], m.Sizes)
		of.Split += m.Split
		if total > 0 {
			of.Gain += m.Gain / total / float64(parts)
		}
	}
}

// importance returns the importance of a feature.
func (s *importanceSums) importance(f int, tests metric.TestOptions) FeatureImportance {
	drops, sizes := metric.NewSample(s.drops[f], s.weights), metric.NewSample(s.sizes[f], s.weights)
	drop, size := drops.Interval(tests), sizes.Interval(tests)
	return FeatureImportance{Feature: f, Drop: drops.Mean(), DropLow: drop.Low, DropHigh: drop.High,
		Size: sizes.Mean(), SizeLow: size.Low, SizeHigh: size.High, Gain: s.of[f].Gain, Split: s.of[f].Split}
}

// measured measures the importance of features in the model of a part on its validation queries, and returns
// the weights of these queries.
func (s *selection) measured(part *part, fitted *fittedPart) ([]explain.Measured, []float64, error) {
	o := explain.DefaultOptions()
	o.Queries, o.Repeats, o.Seed, o.Workers = s.o.Queries, s.o.Repeats, s.o.Seed,
		par.Threads(s.params.NumThreads)
	o.Convention = s.metric.Convention()
	if cutoff, ok := strings.CutPrefix(s.metric.Name(), "ndcg@"); ok {
		o.Cutoff, _ = strconv.Atoi(cutoff)
	}
	d, err := explain.Load(s.ctx, binnedRows(part.validData()), fitted.Model, o)
	if err != nil {
		return nil, nil, err
	}
	return d.Measure(s.ctx, nil)
}

// binnedRows returns the rows with each value replaced by one of its bin ([histogram.FeatureBins.Value]):
// models with these bins score them as they score the original rows.
func binnedRows(d booster.Data) dataset.Source {
	return dataset.NewMemory(d.Meta, 1, func(b *dataset.Block, rows []int) error {
		n := len(d.Values.Columns)
		b.Memory = reuse.Slice(b.Memory, n*len(rows))
		for i, r := range rows {
			row := dataset.Row{Number: r, Feature: d.Values.Columns, Value: b.Memory[i*n : (i+1)*n]}
			for c := range row.Value {
				row.Value[c] = d.Values.Bins(int32(c)).Value(d.Values.At(int32(r), int32(c)))
			}
			b.Rows = append(b.Rows, row)
		}
		return nil
	})
}
