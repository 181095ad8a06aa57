package histogram

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/rowblock"
)

// finding is the search for the bins of all features. Any worker may find the bins of any feature.
type finding struct {
	mapper      *Mapper
	params      *featuresParams
	categorical []int        // ascending
	found       []categories // of the categorical features, in their order
	// by feature: share of the sampled rows whose value is not 0; 0 for categorical ones
	shares  []float64
	pool    *par.Pool
	finders []finder // one for each worker of the pool
}

func newFinding(params *featuresParams, categorical []int, pool *par.Pool) *finding {
	return &finding{
		mapper:      &Mapper{Features: make([]FeatureBins, params.features)},
		params:      params,
		categorical: categorical,
		found:       make([]categories, len(categorical)),
		shares:      make([]float64, params.features),
		pool:        pool,
		finders:     make([]finder, pool.Workers()),
	}
}

// find finds the bins of a feature. values are its values in this many sampled rows, in any order and
// possibly without zeros. They are overwritten.
func (f *finding) find(worker, feature int, values []float64, rows int) {
	w, p, zeros := &f.finders[worker], f.params.of(feature), rows-len(values)
	if i, is := slices.BinarySearch(f.categorical, feature); is {
		f.found[i] = w.findCategories(values, zeros, p)
		f.mapper.Features[feature] = f.found[i].bins
		return
	}
	f.mapper.Features[feature] = w.find(values, zeros, p)
	f.shares[feature] = float64(w.others) / float64(max(1, rows))
}

// inKept finds the bins of all features in the sampled rows among the rows that were kept.
func (f *finding) inKept(ctx context.Context, kept *sampler) error {
	columns, rows, err := kept.columns(f.params.features, f.pool)
	if err != nil {
		return err
	}
	f.pool.Run(len(columns), func(worker, feature int) {
		if ctx.Err() == nil {
			f.find(worker, feature, columns[feature], rows)
			columns[feature] = nil
		}
	})
	return ctx.Err()
}

// columnsAtOnce is the number of features whose values a worker reads together: in a row of float64, they
// share a cache line.
const columnsAtOnce = 8

// inColumns finds the bins of all features of a source that stores its values by feature. It uses the sampled
// rows, or all rows if sampled is nil. It needs memory only for a few columns. If a value is infinite, it
// returns the error that reading the source returns.
func (f *finding) inColumns(ctx context.Context, src dataset.Columned, sampled []int, all int) error {
	rows := all
	if sampled != nil {
		rows = len(sampled)
	}
	blocks := (f.params.features + columnsAtOnce - 1) / columnsAtOnce
	if err := checkMemory(bytesOfValue * min(f.pool.Workers(), blocks) * columnsAtOnce * rows); err != nil {
		return err
	}
	buffers := make([][columnsAtOnce][]float64, f.pool.Workers())
	infinite, errs := make([]bool, f.pool.Workers()), make([]error, blocks)
	f.pool.Run(blocks, func(worker, block int) {
		first := block * columnsAtOnce
		columns := buffers[worker][:min(columnsAtOnce, f.params.features-first)]
		for i := range columns {
			columns[i] = slices.Grow(columns[i][:0], rows)
		}
		if ctx.Err() != nil {
			return
		}
		if errs[block] = src.Columns(columns, first, sampled); errs[block] != nil {
			return
		}
		for i, values := range columns {
			if rowblock.Infinite(values) >= 0 {
				infinite[worker] = true
				return
			}
			f.find(worker, first+i, values, rows)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	if slices.Contains(infinite, true) {
		if _, err := dataset.Scan(ctx, src, nil, func(int, dataset.Row) error { return nil }); err != nil {
			return err
		}
		return errInfinite
	}
	return ctx.Err()
}

var errInfinite = errors.New("a value is infinite")

// sampled returns the numbers of the rows in the sample, among this many rows; nil if all are in it.
func (p BinParams) sampled(rows int) []int {
	if rows <= p.SampleCount {
		return nil
	}
	s := newSampler(p, rows, 1, 0)
	numbers := make([]int, 0, p.SampleCount+p.SampleCount/16)
	for row := range rows {
		if s.sampled(row) {
			numbers = append(numbers, row)
		}
	}
	return numbers
}

// finder finds the bins of one feature after another, and reuses its memory.
type finder struct {
	keys, spare []uint64   // of sortValues
	distinct    []distinct // of upperBounds
	others      int        // number of values of the latest feature that are not 0
}

// find finds the bins of a feature. values are its sampled values in any order; find overwrites them. zeros
// is the number of sampled zeros that are not among them.
//
// If NaN is missing, the other values have one bin less. As in LightGBM, zeros of a feature with only two
// bins are not missing.
func (w *finder) find(values []float64, zeros int, p BinParams) FeatureBins {
	all := len(values)
	values, nans := dropNaNAndZero(values)
	w.others = len(values) + nans
	zeros += all - len(values) - nans
	f := FeatureBins{Missing: p.missingOf(nans, len(values)+zeros)}
	if f.Missing == MissingNaN {
		p.MaxBin--
	} else {
		zeros += nans
	}
	w.sortValues(values)
	f.UpperBounds = w.upperBounds(values, zeros, &p)
	if f.Missing == MissingZero && len(f.UpperBounds) <= 2 {
		f.Missing = MissingNone
	}
	f.Zero = uint16(sort.SearchFloat64s(f.UpperBounds, 0))
	if len(values) > 0 {
		f.Min, f.Max = values[0], values[len(values)-1]
	}
	if zeros > 0 {
		f.Min, f.Max = min(f.Min, 0), max(f.Max, 0)
	}
	f.lookup = newLookup(&f)
	return f
}

// Narrow returns a mapper of the first n features, with the bins of m for those that keep accepts. The others
// are constant: a matrix has no columns for them, and no tree is split on them.
func (m *Mapper) Narrow(n int, keep func(feature int) bool) *Mapper {
	narrow := &Mapper{Features: slices.Clone(m.Features[:n]), stored: m.stored}
	for f := range narrow.Features {
		if !keep(f) {
			narrow.Features[f] = narrow.Features[f].constant()
		}
	}
	return narrow
}

// constant returns a single bin of the kind of f, numeric or categorical.
func (f *FeatureBins) constant() FeatureBins {
	if f.IsCategorical() {
		return FeatureBins{Categories: []int32{}, lookup: newCategoryLookup(nil)}
	}
	return FeatureBins{UpperBounds: []float64{math.Inf(1)}, lookup: oneBin}
}

// Narrow returns a matrix of the rows of x with the columns of m, which [Mapper.Narrow]
// returned for the mapper of x or for an equal mapper.
func (x *Matrix) Narrow(m *Mapper) *Matrix {
	narrow := newMatrix(m, x.rows)
	narrow.sparse = x.narrowSparse(narrow)
	from := make([]Field, len(narrow.Columns))
	var dense []int // columns
	for c, f := range narrow.Columns {
		from[c] = x.Fields[x.ColumnOf[f]]
		narrow.NaNs[f] = x.NaNs[f]
		if !from[c].Sparse {
			dense = append(dense, c)
		}
	}
	for row := range x.rows {
		src, dst := x.Row(row), narrow.Row(row)
		for _, c := range dense {
			narrow.Fields[c].put(dst, from[c].Of(src))
		}
	}
	return narrow
}

// Value returns a value of a bin: Bin(Value(bin)) is bin. It is NaN for the bin of missing values if NaN is
// missing, 0 for the bin of 0, and otherwise the largest value of the bin. Trees of these bins send it to the
// same side as every value of the bin.
func (f *FeatureBins) Value(bin uint16) float64 {
	switch n := len(f.UpperBounds); {
	case f.IsCategorical():
		if bin == 0 {
			return -1 // no category
		}
		return float64(f.Categories[bin-1])
	case int(bin) >= n:
		return math.NaN()
	case bin == f.Zero:
		return 0
	case int(bin) == n-1:
		return math.Nextafter(f.UpperBounds[n-2], math.Inf(1)) // n is not 1, since 0 lies in another bin
	case f.isMissing(f.UpperBounds[bin]): // the bound of the bin below 0, if 0 is missing
		return math.Nextafter(f.UpperBounds[bin], math.Inf(-1))
	default:
		return f.UpperBounds[bin]
	}
}
