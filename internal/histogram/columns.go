package histogram

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
)

// columns returns, for each feature, its sampled values that are not 0, in any order, and the number of
// sampled rows. It is called after finish. It first counts the values of each worker, so that each worker has
// its own part of every column and all workers can write in parallel:
//
//	column of feature f   [ values of worker 0 │ of worker 1 │ of worker 2 ]
//	                        ↑                    ↑             ↑
//	                        next[0][f]           next[1][f]    next[2][f]
//
// It is an error if memory is limited to less than the columns need.
func (s *sampler) columns(features int, pool *par.Pool) ([][]float64, int, error) {
	next := make([][]int, len(s.workers)) // place of each worker's next value in each column
	rows := make([]int, len(s.workers))   // of each worker
	s.eachPage(pool, func(worker int, page []byte, _ *unpacked) {
		if next[worker] == nil {
			next[worker] = make([]int, features)
		}
		s.eachSampled(page, func(p packedValues) {
			rows[worker]++
			p.countFeatures(next[worker])
		})
	})
	if err := s.check(s.held(), values(next)); err != nil {
		return nil, 0, err
	}
	columns := makeColumns(next, features)
	s.eachPage(pool, func(worker int, page []byte, u *unpacked) {
		place := next[worker]
		s.eachSampled(page, func(p packedValues) {
			u.unpack(p)
			for i, f := range u.feature {
				columns[f][place[f]] = u.value[i]
				place[f]++
			}
		})
	})
	return columns, sum(rows), nil
}

// values returns the sum of all counts.
func values(counts [][]int) (all int64) {
	for _, n := range counts {
		all += int64(sum(n))
	}
	return all
}

const bytesOfValue = 8 // in a column

// checkMemory returns an error if memory is limited to less than these bytes, which bins are found with.
func checkMemory(bytes int) error {
	return limits.Check(bytes, "finding the bins of the features",
		"a smaller bin_construct_sample_cnt=, and fewer features (ignore_column=, query_context_features=), "+
			"need less")
}

// makeColumns makes columns for the values of all workers. counts holds how many values each worker
// has of each feature, or nil for a worker without rows; each count is replaced by the place in the
// column where the worker's values begin.
func makeColumns(counts [][]int, features int) [][]float64 {
	columns := make([][]float64, features)
	for f := range columns {
		size := 0
		for _, n := range counts {
			if n != nil {
				n[f], size = size, size+n[f]
			}
		}
		columns[f] = make([]float64, size)
	}
	return columns
}

func sum(counts []int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// eachPage visits the pages of all workers. The pages of one worker are visited one at a time, with
// memory for unpacked rows.
func (s *sampler) eachPage(pool *par.Pool, visit func(worker int, page []byte, u *unpacked)) {
	pool.Run(len(s.workers), func(_, worker int) {
		var u unpacked
		for _, page := range s.workers[worker].pages {
			visit(worker, page, &u)
		}
	})
}

// eachSampled visits the rows of a page that are in the sample.
func (s *sampler) eachSampled(page []byte, visit func(p packedValues)) {
	eachPacked(page, func(row int, p packedValues) {
		if s.sampled(row) {
			visit(p)
		}
	})
}

// Mapper holds the bins of every feature. The same mapper must bin all data of a training run, because bins
// of different mappers cannot be compared. It is read-only once made, and any
// number of goroutines may use it.
type Mapper struct {
	Features []FeatureBins // by feature number

	stored float64 // estimate from the sample: mean number of stored bins of sparse columns per row
}

// Size returns the number of columns of a matrix, one for each feature that is not constant, and the number
// of their bins.
func (m *Mapper) Size() (columns, bins int) {
	counts := m.binCounts()
	for _, n := range counts {
		bins += n
	}
	return len(counts), bins
}

// Bytes returns how many bytes a matrix of this many rows takes. For sparse columns, it is an estimate from
// the sample.
func (m *Mapper) Bytes(rows int) int {
	return rows*m.Stride() + m.sparseBytes(rows)
}

// Stride returns the number of bytes of a row of a matrix, not counting the bins of sparse columns.
func (m *Mapper) Stride() int {
	_, stride := layout(m.binCounts(), m.sparse())
	return stride
}

// columns returns the features that are not constant, ascending.
func (m *Mapper) columns() []int32 {
	var used []int32
	for f := range m.Features {
		if !m.Features[f].Constant() {
			used = append(used, int32(f))
		}
	}
	return used
}

// binCounts returns the number of bins of each column.
func (m *Mapper) binCounts() []int {
	var counts []int
	for _, f := range m.columns() {
		counts = append(counts, m.Features[f].NumBins())
	}
	return counts
}

// canBin returns an error if the bins of a feature were not made by this package, and so have no lookup.
func (m *Mapper) canBin() error {
	for f := range m.Features {
		if m.Features[f].lookup == nil {
			return fmt.Errorf("%w: feature %d was made without NewFeatureBins", ErrRaw, f)
		}
	}
	return nil
}
