package histogram

import (
	"context"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/keyed"
)

// sampler keeps sampled rows.
//
// A row belongs to the sample if its hash is below count/rows. Where the number
// of rows is not known in advance, as in compressed text, another reading is dear,
// too: then all rows are kept, so that none is needed. Once that takes more than
// keptMost bytes, only sampled rows are. The rows seen so far then stand for the
// number of rows: that keeps too many, and the surplus is dropped now and then.
type sampler struct {
	count   float64
	rows    int // of the data, or unknownRows
	key     keyed.Key
	all     atomic.Bool  // all rows seen so far are kept
	pages   atomic.Int64 // that they take
	most    int64        // that they may take
	workers []keptRows   // one for each worker of the source
	compact []int        // rows of each worker that call for dropping surplus ones
}

// keptMost bounds the memory of all rows: enough for a million rows of MSLR's.
const keptMost = 384 << 20

// readSample reads the source once. The rows that are kept are then all, or those
// of the sample of p.SampleCount rows, which may be 0.
func readSample(ctx context.Context, src dataset.Source, p BinParams) (*sampler, *dataset.Meta, error) {
	rows, known, err := src.NumRows(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !known {
		rows = unknownRows
	}
	s := newSampler(p, rows, src.Workers(), keptMost)
	meta, err := src.Scan(ctx, s.keep, s.visit)
	if err != nil {
		return nil, nil, err
	}
	s.finish(meta.NumRows())
	return s, meta, nil
}

const unknownRows = -1

// newSampler keeps rows that so many workers read. Where their number is unknown, all
// rows may take most bytes.
func newSampler(p BinParams, rows, workers, most int) *sampler {
	s := &sampler{
		count:   float64(p.SampleCount),
		rows:    rows,
		key:     keyed.New(p.Seed, keyed.BinSample, 0),
		most:    int64(most / keptPage),
		workers: make([]keptRows, workers),
		compact: make([]int, workers),
	}
	s.all.Store(rows == unknownRows)
	for i := range s.compact {
		s.compact[i] = surplus(p.SampleCount/workers + 1)
	}
	return s
}

// threshold is the hash below which rows of a data set with at least the given
// number of rows are sampled. It never rises as rows are added.
func (s *sampler) threshold(rows int) float64 {
	if float64(rows) <= s.count {
		return 1
	}
	return s.count / float64(rows)
}

// sampled tells whether a row is in the sample, as far as is known when it is read.
func (s *sampler) sampled(row int) bool { return s.below(s.threshold(max(row+1, s.rows)), row) }

func (s *sampler) below(threshold float64, row int) bool { return s.key.Float64(row) < threshold }

func (s *sampler) keep(row int) bool { return s.all.Load() || s.sampled(row) }

func (s *sampler) visit(worker int, row dataset.Row) error {
	w := &s.workers[worker]
	pages := len(w.pages)
	w.add(row)
	if s.all.Load() {
		if len(w.pages) > pages && s.pages.Add(1) > s.most {
			s.all.Store(false)
		}
		return nil
	}
	if w.rows >= s.compact[worker] {
		s.drop(w, max(row.Number+1, s.rows))
		s.compact[worker] = max(s.compact[worker], surplus(w.rows))
	}
	return nil
}

// drop removes the rows that are not in the sample of so many rows.
func (s *sampler) drop(w *keptRows, rows int) {
	threshold := s.threshold(rows)
	w.drop(func(row int) bool { return s.below(threshold, row) })
}

// surplus is the number of rows up to which a sample may grow that will keep so
// many.
func surplus(rows int) int { return rows + rows/2 }

// finish is called when all rows of the data have been seen, and drops the surplus.
func (s *sampler) finish(rows int) {
	tooMany := s.rows == unknownRows && !s.all.Load()
	s.rows = rows
	for i := range s.workers {
		if tooMany {
			s.drop(&s.workers[i], rows)
		}
		s.workers[i].free = nil
	}
}

// hasAll tells whether all rows are kept.
func (s *sampler) hasAll() bool { return s.all.Load() || float64(s.rows) <= s.count }

// takePages returns the pages of all workers, which have none afterwards.
func (s *sampler) takePages() (pages [][]byte) {
	for i := range s.workers {
		pages = append(pages, s.workers[i].pages...)
		s.workers[i].pages = nil
	}
	return pages
}
