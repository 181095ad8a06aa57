package histogram

import (
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
	if err := checkColumns(next, s.bytes()); err != nil {
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

// checkColumns returns an error if columns for these numbers of values, together with other bytes, need more
// memory than there is.
func checkColumns(counts [][]int, others int) error {
	values := 0
	for _, n := range counts {
		values += sum(n)
	}
	return limits.Check(8*values+others, "finding the bins of the features",
		"a smaller bin_construct_sample_cnt= needs less")
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
