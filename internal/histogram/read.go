package histogram

import (
	"context"
	"errors"
	"runtime"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// ErrChanged means that a source returned a different number of rows than before.
var ErrChanged = errors.New("the data changed between two readings")

// Sample is data that has been read once: its bins, and some of its rows, or all of them.
type Sample struct {
	Mapper *Mapper
	Meta   *dataset.Meta // of all rows

	// Remarks are sentences for the user about categories.
	Remarks []string

	kept *sampler // nil once Bin has used its rows
}

// Read reads the source once and finds the bins of its features from a sample of p.SampleCount
// rows, or from all rows if there are no more. An error matches [ErrParams] if p is not valid, and
// is otherwise an error of the source.
//
// The sample consists of the rows whose keyed hash, a number in [0, 1), is below SampleCount/rows. It depends
// on the number of rows and on the seed, but not on the number of workers. If peers share the data (each has
// a [dataset.Part]), the sample is drawn from the rows of all peers, and all of them get the same bins.
func Read(ctx context.Context, src dataset.Source, p BinParams) (*Sample, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	columned, kept, meta, err := p.read(ctx, src)
	if err != nil {
		return nil, err
	}
	categorical, err := p.categorical(meta)
	if err != nil {
		return nil, err
	}
	params, err := p.byFeature(meta.Features)
	if err != nil {
		return nil, err
	}
	pool := par.New(src.Workers())
	defer pool.Close()
	f := newFinding(params, categorical, pool)
	switch {
	case meta.Part.Group().Size() > 1:
		err = f.together(ctx, meta.Part, kept)
	case columned != nil:
		err = f.inColumns(ctx, columned, p.sampled(meta.NumRows()), meta.NumRows())
	default:
		err = f.inKept(ctx, kept)
	}
	if err != nil {
		return nil, err
	}
	p.chooseSparse(f.mapper, f.shares)
	remarks, err := describeCategories(categorical, f.found, meta.Features)
	if err != nil {
		return nil, err
	}
	runtime.GC() // so that the matrix can reuse the memory of the columns
	return &Sample{Mapper: f.mapper, Meta: meta, Remarks: remarks, kept: kept}, nil
}

// read returns src as a dataset.Columned if it stores its values by feature and this process has all of the
// data. Otherwise it reads the source once and returns the rows that it keeps.
func (p BinParams) read(ctx context.Context, src dataset.Source) (dataset.Columned, *sampler, *dataset.Meta,
	error) {
	if c, is := src.(dataset.Columned); is {
		meta, err := dataset.Describe(ctx, c)
		if err != nil || meta.Part.Group().Size() == 1 {
			return c, nil, meta, err
		}
	}
	kept, meta, err := readSample(ctx, src, p)
	return nil, kept, meta, err
}

// Bin bins all rows of the source that was read. It reads the source again, unless the sample has all rows;
// rows of the sample are not parsed again. Bin consumes the rows of the sample: a second call reads the whole
// source. The error matches [ErrChanged] if the source has a different number of rows than before; the rows
// themselves are not compared. It is also an error if memory is limited to less than the bins need.
func (s *Sample) Bin(ctx context.Context, src dataset.Source) (*Matrix, error) {
	kept := s.kept
	s.kept = nil
	x, err := s.Mapper.emptyMatrix(s.Meta.NumRows(), int(kept.held()))
	if err != nil {
		return nil, err
	}
	f := newFilling(x, src.Workers())
	if err := f.fillRest(ctx, src, kept); err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// emptyMatrix returns a matrix of this many rows. It is an error if its bins and other bytes need more memory
// than there is.
func (m *Mapper) emptyMatrix(rows, others int) (*Matrix, error) {
	if err := limits.Check(m.Bytes(rows)+others, "the bins of "+wording.Count(rows, "row"),
		"smaller max_bin= and fewer features need less, and several machines can share the rows"); err != nil {
		return nil, err
	}
	return newMatrix(m, rows), nil
}

// Bin bins all rows of a source with the bins of m, which were found in other data, and also returns the
// source's metadata. Features that m does not have are left out; features that the source does not have are
// zero. The source is read once if it knows its number of rows, or if its rows are few enough to be kept in
// memory, and otherwise twice.
func (m *Mapper) Bin(ctx context.Context, src dataset.Source) (*Matrix, *dataset.Meta, error) {
	if err := m.canBin(); err != nil {
		return nil, nil, err
	}
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

// binRows is like Bin, for a known number of rows.
func (m *Mapper) binRows(ctx context.Context, src dataset.Source, rows int) (*Matrix, *dataset.Meta, error) {
	x, err := m.emptyMatrix(rows, 0)
	if err != nil {
		return nil, nil, err
	}
	f := newFilling(x, src.Workers())
	meta, err := f.scan(ctx, src, nil)
	if err != nil {
		return nil, nil, err
	}
	return f.finish(), meta, nil
}
