package histogram

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/keyed"
)

// sampler keeps the non-zero values of sampled rows, NaN among them.
//
// A row belongs to the sample if its hash is below count/rows. Where the number
// of rows is not known in advance, the rows seen so far stand for it: that
// keeps too many at first, and the surplus is dropped later.
type sampler struct {
	count   float64
	rows    int // known number of rows, or 0
	key     keyed.Key
	workers []sampleRows // one for each worker of the source
}

// sampleRows are the sampled rows of one worker.
type sampleRows struct {
	chunks  []sampleChunk
	free    []sampleChunk // emptied ones
	rows    int
	compact int // number of rows that calls for dropping surplus ones
}

// sampleChunk holds some rows, one behind the other. It is never grown: copying
// the sample again and again would cost more than parsing it.
type sampleChunk struct {
	hash    []float64 // of each row
	end     []int     // of each row, in the slices below
	feature []int32
	value   []float64
}

// chunkValues is the number of values that a chunk has room for, unless a single
// row has more.
const chunkValues = 1 << 16

func newSampler(ctx context.Context, src dataset.Source, p BinParams) (*sampler, error) {
	rows, known, err := src.NumRows(ctx)
	if err != nil {
		return nil, err
	}
	if !known {
		rows = 0
	}
	s := &sampler{
		count:   float64(p.SampleCount),
		rows:    rows,
		key:     keyed.New(p.Seed, keyed.BinSample, 0),
		workers: make([]sampleRows, src.Workers()),
	}
	for i := range s.workers {
		s.workers[i].compact = surplus(p.SampleCount/len(s.workers) + 1)
	}
	return s, nil
}

// threshold is the hash below which rows of a data set with at least the given
// number of rows are sampled. It never rises as rows are added.
func (s *sampler) threshold(rows int) float64 {
	if float64(rows) <= s.count {
		return 1
	}
	return s.count / float64(rows)
}

func (s *sampler) keep(row int) bool {
	return s.key.Float64(row) < s.threshold(max(row+1, s.rows))
}

func (s *sampler) visit(worker int, row dataset.Row) error {
	w := &s.workers[worker]
	w.add(s.key.Float64(row.Number), row.Feature, row.Value)
	if w.rows >= w.compact {
		w.drop(s.threshold(max(row.Number+1, s.rows)))
		w.compact = max(w.compact, surplus(w.rows))
	}
	return nil
}

// surplus is the number of rows up to which a sample may grow that will keep so
// many.
func surplus(rows int) int { return rows + rows/2 }

// add keeps the values of a row that are not zero.
func (w *sampleRows) add(hash float64, features []int32, values []float64) {
	c := w.roomFor(len(values))
	for i, v := range values {
		if !(math.Abs(v) <= zeroBound) {
			c.feature = append(c.feature, features[i])
			c.value = append(c.value, v)
		}
	}
	c.hash = append(c.hash, hash)
	c.end = append(c.end, len(c.value))
	w.rows++
}

// roomFor returns a chunk that takes so many more values.
func (w *sampleRows) roomFor(values int) *sampleChunk {
	if n := len(w.chunks); n > 0 {
		if c := &w.chunks[n-1]; cap(c.value)-len(c.value) >= values {
			return c
		}
	}
	if n := len(w.free); n > 0 && cap(w.free[n-1].value) >= values {
		w.chunks, w.free = append(w.chunks, w.free[n-1]), w.free[:n-1]
	} else {
		size := max(chunkValues, values)
		w.chunks = append(w.chunks, sampleChunk{feature: make([]int32, 0, size), value: make([]float64, 0, size)})
	}
	return &w.chunks[len(w.chunks)-1]
}

// drop removes the rows whose hash is not below the threshold. Emptied chunks are
// filled again, so that it takes no memory but for one of them.
func (w *sampleRows) drop(threshold float64) {
	all := w.chunks
	w.chunks, w.rows = nil, 0
	for i := range all {
		c := &all[i]
		begin := 0
		for row, hash := range c.hash {
			end := c.end[row]
			if hash < threshold {
				w.add(hash, c.feature[begin:end], c.value[begin:end])
			}
			begin = end
		}
		w.free = append(w.free, sampleChunk{hash: c.hash[:0], end: c.end[:0], feature: c.feature[:0], value: c.value[:0]})
	}
}

// columns returns the sampled non-zero values of each feature, in no order, and
// the number of sampled rows, once all rows of the data have been seen. The
// sampler is empty afterwards.
func (s *sampler) columns(rows, features int) ([][]float64, int) {
	counts := make([]int, features)
	sampled := 0
	for i := range s.workers {
		w := &s.workers[i]
		if s.rows == 0 {
			w.drop(s.threshold(rows))
		}
		sampled += w.rows
		for _, c := range w.chunks {
			for _, f := range c.feature {
				counts[f]++
			}
		}
	}
	columns := make([][]float64, features)
	for f := range columns {
		columns[f] = make([]float64, 0, counts[f])
	}
	for i := range s.workers {
		for _, c := range s.workers[i].chunks {
			for j, f := range c.feature {
				columns[f] = append(columns[f], c.value[j])
			}
		}
		s.workers[i] = sampleRows{}
	}
	return columns, sampled
}
