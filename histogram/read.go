package histogram

import (
	"context"
	"runtime"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// Sample is data that has been read once: its bins, and some of its rows, or all.
type Sample struct {
	Mapper *Mapper
	Meta   *dataset.Meta // of all rows

	kept *sampler
}

// Read reads the source once and finds the bins of its features from a sample of
// p.SampleCount rows (all rows, if there are no more).
//
// The sample consists of the rows whose keyed hash is below SampleCount/rows. It
// depends on the number of rows and the seed alone, not on workers.
func Read(ctx context.Context, src dataset.Source, p BinParams) (*Sample, error) {
	kept, meta, err := readSample(ctx, src, p)
	if err != nil {
		return nil, err
	}
	pool := par.New(src.Workers())
	defer pool.Close()
	columns, rows := kept.columns(meta.NumFeatures(), pool)
	m := &Mapper{Features: make([]FeatureBins, meta.NumFeatures())}
	finders := make([]finder, pool.Workers())
	pool.Run(len(columns), func(worker, f int) {
		m.Features[f] = finders[worker].find(columns[f], rows-len(columns[f]), p)
		columns[f] = nil
	})
	runtime.GC() // so that the matrix takes the memory of the columns
	return &Sample{Mapper: m, Meta: meta, kept: kept}, nil
}

// Bin bins all rows of the source. It reads the source again, unless the sample
// has all rows; rows that it has are not parsed a second time. It is called once:
// the sample has no rows afterwards.
func (s *Sample) Bin(ctx context.Context, src dataset.Source) (*Matrix, error) {
	f := newFilling(newMatrix(s.Mapper, s.Meta.NumRows()), src.Workers())
	if err := f.fillRest(ctx, src, s.kept); err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// Bin bins all rows of a source with m, which other data brought, and also returns
// what the source tells of them. Features that m does not know are left out. It reads
// the source once if that knows the number of its rows, or if they are few enough to
// be kept.
func (m *Mapper) Bin(ctx context.Context, src dataset.Source) (*Matrix, *dataset.Meta, error) {
	rows, known, err := src.NumRows(ctx)
	if err != nil {
		return nil, nil, err
	}
	if known {
		return m.binRows(ctx, src, rows)
	}
	kept, meta, err := readSample(ctx, src, BinParams{})
	if err != nil {
		return nil, nil, err
	}
	x, err := (&Sample{Mapper: m, Meta: meta, kept: kept}).Bin(ctx, src)
	return x, meta, err
}

// binRows is Bin for so many rows.
func (m *Mapper) binRows(ctx context.Context, src dataset.Source, rows int) (*Matrix, *dataset.Meta, error) {
	f := newFilling(newMatrix(m, rows), src.Workers())
	meta, err := f.scan(ctx, src, nil)
	if err != nil {
		return nil, nil, err
	}
	return f.finish(), meta, nil
}
