package study

import (
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/metric"
)

// Data is what a study trains on, and how its training runs are judged.
type Data struct {
	Train booster.Data
	Valid *booster.Data // judges all runs; it has the bins of Train. nil: Folds do
	Folds Folds         // each judges the run on all others; ignored if there is a validation set
}

// parts returns the part of each run.
func (d *Data) parts() ([]part, error) {
	if d.Valid == nil {
		return newParts(d.Train, d.Folds)
	}
	if !d.Valid.Meta.AnyPairs() {
		return nil, fmt.Errorf("%s: in none of the queries is a document more relevant than another, so nothing "+
			"can be judged by it; give validation data with judgments", d.Valid.Name)
	}
	return []part{withValidation(d.Train, *d.Valid)}, nil
}

// part is the part of a data set that is trained on, and the part that is validated on. Their rows are
// copied from the whole when they are needed.
type part struct {
	Name  string
	Train []int // queries to train on, ascending
	Valid []int // queries to validate on; nil if Other is given
	Other *booster.Data

	whole booster.Data
}

// newParts returns a part for each fold of the data: the fold's queries are validated on, all others
// trained on.
func newParts(d booster.Data, folds Folds) ([]part, error) {
	if err := folds.check(d.Meta); err != nil {
		return nil, err
	}
	parts := make([]part, len(folds.Names))
	for fold, name := range folds.Names {
		in, out := folds.queries(fold)
		parts[fold] = part{Name: name, Train: out, Valid: in, whole: d}
	}
	return parts, nil
}

// withValidation returns the part that trains on all queries of d and validates on a set of its own,
// which has the same bins.
func withValidation(d, valid booster.Data) part {
	p := part{Name: valid.Name, Other: &valid, whole: d}
	for query := range d.Meta.Queries {
		p.Train = append(p.Train, query)
	}
	return p
}

// sampleParts returns the parts with a share of their training queries, drawn by the seed. A query that is in
// a share is in every larger one.
func sampleParts(parts []part, share float64, seed uint64) []part {
	key, sampled := random.New(seed, random.QueryShare, 0), slices.Clone(parts)
	for i := range sampled {
		left := func(query int) bool { return key.Float64(query) >= share }
		sampled[i].Train = slices.DeleteFunc(slices.Clone(sampled[i].Train), left)
	}
	return sampled
}

// trainData returns the data to train on.
func (p *part) trainData() booster.Data {
	if len(p.Train) == len(p.whole.Meta.Queries) {
		return p.whole
	}
	return p.selected("train", p.Train)
}

// validMeta returns the description of the data to validate on.
func (p *part) validMeta() *dataset.Meta {
	if p.Other != nil {
		return p.Other.Meta
	}
	return p.whole.Meta.Select(p.Valid)
}

// weigh returns which validation queries count by a metric, and with which weights. The error is [ErrFolds]
// if none does.
func (p *part) weigh(m metric.Metric, threads int) (*metric.Result, error) {
	w, err := metric.Weigh(m, p.validMeta(), threads)
	if err != nil {
		return nil, fmt.Errorf("fold %s: %w", p.Name, err)
	}
	if !(w.Weight > 0) {
		return nil, fmt.Errorf("%w: none of the %d queries of fold %s counts by %s (%s)",
			ErrFolds, w.Queries, p.Name, w.Metric, w.Rules)
	}
	return w, nil
}

// validationWeights returns the weights that the validation queries of parts have in the mean of a metric,
// in the order of [perQuery]; nil if all have the same. The error wraps [ErrFolds] for a part without a
// query that counts, or [metric.ErrBareQueries].
func validationWeights(parts []part, m metric.Metric, threads int) (all []float64, err error) {
	for i := range parts {
		w, err := parts[i].weigh(m, threads)
		if err != nil {
			return nil, err
		}
		weights := w.Weights
		if weights == nil {
			weights = slices.Repeat([]float64{1}, w.Queries)
		}
		all = append(all, weights...)
	}
	if slices.Min(all) == slices.Max(all) {
		return nil, nil
	}
	return all, nil
}

// validData returns the data to validate on.
func (p *part) validData() booster.Data {
	if p.Other != nil {
		return *p.Other
	}
	return p.selected("valid", p.Valid)
}

func (p *part) selected(name string, queries []int) booster.Data {
	meta := p.whole.Meta
	return booster.Data{Name: name, Meta: meta.Select(queries),
		Values: p.whole.Values.Select(meta.RowsOf(queries))}
}

// narrowParts returns parts in which features are constant, so that no tree uses them, unless keep returns
// true for their numbers. Everything else is as in the given parts, which stay as they are; the bins are not
// made again.
func narrowParts(parts []part, keep func(feature int) bool) []part {
	mappers, matrices := map[*histogram.Mapper]*histogram.Mapper{}, map[*histogram.Matrix]*histogram.Matrix{}
	narrow := func(d booster.Data) booster.Data {
		mapper := mappers[d.Values.Mapper]
		if mapper == nil {
			mapper = d.Values.Mapper.Narrow(keep)
			mappers[d.Values.Mapper] = mapper
		}
		matrix := matrices[d.Values]
		if matrix == nil {
			matrix = d.Values.Narrow(mapper)
			matrices[d.Values] = matrix
		}
		d.Values = matrix
		return d
	}
	narrowed := make([]part, len(parts))
	for i, p := range parts {
		p.whole = narrow(p.whole)
		if p.Other != nil {
			other := narrow(*p.Other)
			p.Other = &other
		}
		narrowed[i] = p
	}
	return narrowed
}

// identify writes what tells data apart from other data, for a hash: the bins of all rows by a fingerprint,
// and all that training runs learn from. This many workers compute the fingerprint, one for each processor if
// below 1.
func identify(w io.Writer, d booster.Data, workers int) {
	fmt.Fprintln(w, d.Meta.Queries, d.Meta.Labels, d.Meta.Weights, d.Meta.InitialScores, d.Meta.SecondLabels,
		d.Meta.Positions, d.Meta.PositionNames)
	fmt.Fprintf(w, "%q %s\n", d.Meta.Features, d.Values.Fingerprint(workers))
}

// identifyParts writes what tells the parts of one data set apart from other parts.
func identifyParts(w io.Writer, parts []part, workers int) {
	identify(w, parts[0].whole, workers)
	for _, part := range parts {
		fmt.Fprintln(w, part.Train, part.Valid)
		if part.Other != nil {
			identify(w, *part.Other, workers)
		}
	}
}
