package histogram

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/keyed"
)

// sampler keeps the non-zero values of sampled rows.
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
	hash    []float64 // of each row
	end     []int     // of each row, in the slices below
	feature []int32
	value   []float64
	compact int // number of rows that calls for dropping surplus ones
}

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
		s.workers[i].compact = 2 * (p.SampleCount/len(s.workers) + 1)
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
	for i, v := range row.Value {
		if math.Abs(v) > zeroBound {
			w.feature = append(w.feature, row.Feature[i])
			w.value = append(w.value, v)
		}
	}
	w.hash = append(w.hash, s.key.Float64(row.Number))
	w.end = append(w.end, len(w.value))
	if len(w.hash) >= w.compact {
		w.drop(s.threshold(max(row.Number+1, s.rows)))
		w.compact = max(w.compact, 2*len(w.hash))
	}
	return nil
}

// drop removes the rows whose hash is not below the threshold.
func (w *sampleRows) drop(threshold float64) {
	rows, n, begin := 0, 0, 0
	for i, h := range w.hash {
		end := w.end[i]
		if h < threshold {
			copy(w.feature[n:], w.feature[begin:end])
			n += copy(w.value[n:], w.value[begin:end])
			w.hash[rows], w.end[rows] = h, n
			rows++
		}
		begin = end
	}
	w.hash, w.end = w.hash[:rows], w.end[:rows]
	w.feature, w.value = w.feature[:n], w.value[:n]
}

// columns returns the sampled non-zero values of each feature, in no order, and
// the number of sampled rows, once all rows of the data have been seen. The
// sampler is empty afterwards.
func (s *sampler) columns(rows, features int) ([][]float64, int) {
	counts := make([]int, features)
	sampled := 0
	for i := range s.workers {
		w := &s.workers[i]
		w.drop(s.threshold(rows))
		sampled += len(w.hash)
		for _, f := range w.feature {
			counts[f]++
		}
	}
	columns := make([][]float64, features)
	for f := range columns {
		columns[f] = make([]float64, 0, counts[f])
	}
	for i := range s.workers {
		w := &s.workers[i]
		for j, f := range w.feature {
			columns[f] = append(columns[f], w.value[j])
		}
		*w = sampleRows{}
	}
	return columns, sampled
}
