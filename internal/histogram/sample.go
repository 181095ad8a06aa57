package histogram

import (
	"context"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/random"
)

// sampler keeps the rows of the sample while the source is read.
//
// A row belongs to the sample if its hash is below count/rows. If the number of rows is not known in advance,
// as in compressed text, reading the data a second time is expensive. Therefore all rows are kept until they
// take more than keptMost bytes. From then on only sampled rows are kept, and the number of rows seen so far
// is used as the number of rows. Since it is too small, too many rows are kept, and the surplus is dropped
// from time to time.
type sampler struct {
	count   float64
	rows    int // of the data of all peers, or unknownRows
	first   int // number of row 0 in it
	key     random.Key
	all     atomic.Bool  // all rows seen so far are kept
	bytes   atomic.Int64 // of all pages
	values  atomic.Int64 // number of values in them
	most    int64        // number of bytes that all rows may take
	enough  int64        // number of bytes that there is certainly room for
	workers []keptRows   // one for each worker of the source
	compact []int        // by worker: number of rows at which the surplus is dropped
}

// keptMost is the number of bytes that all rows may take, enough for a million rows of MSLR. If memory is
// limited, they may take less.
const keptMost = 384 << 20

// ValueCounter is a source that knows how many values that are not 0 each row has at least.
type ValueCounter interface{ LeastValues() int }

// readSample reads the source once. It keeps all rows, or those of the sample of p.SampleCount rows,
// which may be 0. It is an error if memory is limited to less than the sample needs.
func readSample(ctx context.Context, src dataset.Source, p BinParams) (*sampler, *dataset.Meta, error) {
	rows, known, err := src.NumRows(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !known {
		rows = unknownRows
	}
	first := 0
	if part := src.Part(); part != nil {
		rows, first = part.Rows, part.FirstRow
	}
	s := newSampler(p, rows, src.Workers(), keptMost)
	s.first = first
	if room, _, limited := limits.Room(); limited {
		s.enough = room / 2
		s.most = min(s.most, room/4) // no result depends on it
	}
	if counter, is := src.(ValueCounter); is && known && src.Part() == nil {
		if err := s.check(0, int64(counter.LeastValues()*min(rows, p.SampleCount))); err != nil {
			return nil, nil, err
		}
	}
	meta, err := dataset.Scan(ctx, src, s.keep, s.visit)
	if err != nil {
		return nil, nil, err
	}
	s.finish(meta.AllRows())
	return s, meta, nil
}

const unknownRows = -1

// newSampler returns a sampler for rows that the given number of workers read. If the number of rows
// is unknown, all rows may take most bytes.
func newSampler(p BinParams, rows, workers, most int) *sampler {
	s := &sampler{
		count:   float64(p.SampleCount),
		rows:    rows,
		key:     random.New(p.Seed, random.BinSample, 0),
		most:    int64(most),
		workers: make([]keptRows, workers),
		compact: make([]int, workers),
	}
	s.all.Store(rows == unknownRows)
	for i := range s.compact {
		s.compact[i] = surplus(p.SampleCount/workers + 1)
	}
	return s
}

// threshold returns the hash below which rows are sampled if the data has the given number of rows.
// It never rises with the number of rows.
func (s *sampler) threshold(rows int) float64 {
	if float64(rows) <= s.count {
		return 1
	}
	return s.count / float64(rows)
}

// sampled reports whether a row is in the sample, judged by the rows that were read so far.
func (s *sampler) sampled(row int) bool { return s.below(s.threshold(max(row+1, s.rows)), row) }

// below reports whether the hash of a row is below the threshold.
func (s *sampler) below(threshold float64, row int) bool {
	return s.key.Float64(s.first+row) < threshold
}

// keep reports whether the source should pass a row to visit.
func (s *sampler) keep(row int) bool { return s.all.Load() || s.sampled(row) }

// visit keeps a row, and drops the surplus if there are too many.
func (s *sampler) visit(worker int, row dataset.Row) error {
	w := &s.workers[worker]
	w.add(row)
	if w.grown > 0 {
		if err := s.grow(w); err != nil {
			return err
		}
	}
	if !s.all.Load() && w.rows >= s.compact[worker] {
		s.drop(w, max(row.Number+1, s.rows))
		s.compact[worker] = max(s.compact[worker], surplus(w.rows))
	}
	return nil
}

// grow counts the memory that a worker has added. It is an error if there is none for the columns of the
// rows that are kept so far; if the number of rows is not known, some of them may be dropped again and do not
// count.
func (s *sampler) grow(w *keptRows) error {
	bytes, values := s.bytes.Add(int64(w.grown)), s.values.Add(int64(w.values))
	w.grown, w.values = 0, 0
	if s.rows == unknownRows {
		values = 0
	}
	if s.all.Load() && bytes > s.most {
		s.all.Store(false)
	}
	return s.check(bytes, values)
}

// check returns an error if memory is limited to less than pages of so many bytes need, together with the
// columns of so many values.
func (s *sampler) check(bytes, values int64) error {
	if bytes += bytesOfValue * values; bytes <= s.enough {
		return nil
	}
	return checkMemory(int(bytes))
}

// drop removes the rows that are not in the sample of this many rows.
func (s *sampler) drop(w *keptRows, rows int) {
	threshold := s.threshold(rows)
	w.drop(func(row int) bool { return s.below(threshold, row) })
}

// surplus returns the number of rows at which the surplus of a sample is dropped, if about the given number
// will be left.
func surplus(rows int) int { return rows + rows/2 }

// finish drops the surplus. It is called after all data, of this many rows, has been read.
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

// hasAll reports whether all rows are kept.
func (s *sampler) hasAll() bool { return s.all.Load() || float64(s.rows) <= s.count }

// held returns the memory of all pages; s may be nil.
func (s *sampler) held() (n int64) {
	if s == nil {
		return 0
	}
	for i := range s.workers {
		for _, page := range s.workers[i].pages {
			n += int64(cap(page))
		}
	}
	return n
}

// takePages removes the pages from all workers and returns them.
func (s *sampler) takePages() (pages [][]byte) {
	for i := range s.workers {
		pages = append(pages, s.workers[i].pages...)
		s.workers[i].pages = nil
	}
	return pages
}
