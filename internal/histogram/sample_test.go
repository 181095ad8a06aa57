package histogram

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
)

// rowsSource is a source of rows, given as slices. If hidden, it does not tell their number.
type rowsSource struct {
	rows    [][]float64
	workers int
	hidden  bool
	parsed  atomic.Int64 // number of rows, over all passes
	scans   atomic.Int64
}

func (s *rowsSource) Workers() int { return s.workers }

func (s *rowsSource) NumRows(context.Context) (int, bool, error) {
	return len(s.rows), !s.hidden, nil
}

func (*rowsSource) HasWeights() bool { return false }

func (*rowsSource) Part() *dataset.Part { return nil }

// Blocks gives worker w of n the rows w, w+n, w+2n, ....
func (s *rowsSource) Blocks(_ context.Context, p dataset.Pass) (*dataset.Meta, error) {
	s.scans.Add(1)
	var wg sync.WaitGroup
	for worker := range s.workers {
		wg.Go(func() {
			for number := worker; number < len(s.rows); number += s.workers {
				if p.Keep != nil && !p.Keep(number) {
					continue
				}
				row := dataset.Row{Number: number}
				for f, v := range s.rows[number] {
					row.Feature, row.Value = append(row.Feature, int32(f)), append(row.Value, v)
				}
				s.parsed.Add(1)
				_ = p.Work(worker, &dataset.Block{Rows: []dataset.Row{row}})
			}
		})
	}
	wg.Wait()
	meta := &dataset.Meta{Labels: make([]float64, len(s.rows)), Features: make([]string, len(s.rows[0]))}
	return meta, nil
}

func randomRows(rng *rand.Rand, rows, features int) [][]float64 {
	all := make([][]float64, rows)
	for r := range all {
		all[r] = make([]float64, features)
		for f := range all[r] {
			if rng.IntN(3) > 0 {
				all[r][f] = rng.NormFloat64()
			}
		}
	}
	return all
}

// someRooms are limits in bytes for keeping all rows: none, too small, and large enough.
var someRooms = []int{0, keptPage, keptMost}

// keepRows reads src like readSample.
func keepRows(t *testing.T, src *rowsSource, p BinParams, most int) *sampler {
	t.Helper()
	rows := unknownRows
	if !src.hidden {
		rows = len(src.rows)
	}
	s := newSampler(p, rows, src.workers, most)
	meta, err := dataset.Scan(t.Context(), src, s.keep, s.visit)
	require.NoError(t, err)
	s.finish(meta.NumRows())
	return s
}

// TestSampleIsWhatTheHashesSay compares the sample with the rows chosen by definition, for several numbers of
// workers, and with the number of rows known and unknown.
func TestSampleIsWhatTheHashesSay(t *testing.T) {
	const features = 7
	rows := randomRows(rand.New(rand.NewPCG(1, 1)), 5000, features)
	pool := par.New(3)
	defer pool.Close()
	for _, count := range []int{1, 50, 500, 4999, 5000, 6000} {
		p := BinParams{SampleCount: count, Seed: 9}
		want, wantRows := sampleByDefinition(rows, p)
		for _, workers := range []int{1, 2, 5} {
			for _, hidden := range []bool{false, true} {
				for _, most := range someRooms {
					s := keepRows(t, &rowsSource{rows: rows, workers: workers, hidden: hidden}, p, most)
					got, gotRows, err := s.columns(features, pool)
					require.NoError(t, err)
					require.Equal(t, wantRows, gotRows)
					for f := range got {
						slices.Sort(got[f])
						require.Equal(t, want[f], got[f])
					}
				}
			}
		}
	}
}

func sampleByDefinition(rows [][]float64, p BinParams) (columns [][]float64, sampled int) {
	key := random.New(p.Seed, random.BinSample, 0)
	columns = make([][]float64, len(rows[0]))
	for f := range columns {
		columns[f] = []float64{}
	}
	for number, values := range rows {
		if len(rows) > p.SampleCount && key.Float64(number) >= float64(p.SampleCount)/float64(len(rows)) {
			continue
		}
		sampled++
		for f, v := range values {
			if v != 0 {
				columns[f] = append(columns[f], v)
			}
		}
	}
	for f := range columns {
		slices.Sort(columns[f])
	}
	return columns, sampled
}

// TestSurplusRowsAreDropped counts the rows held at any time if the data is much larger than the sample and
// there is no memory for all rows.
func TestSurplusRowsAreDropped(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(2, 2)), 20000, 3)
	src := &rowsSource{rows: rows, workers: 1, hidden: true}
	s := newSampler(BinParams{SampleCount: 100}, unknownRows, 1, 0)
	most := 0
	_, err := dataset.Scan(t.Context(), src, s.keep, func(worker int, row dataset.Row) error {
		defer func() { most = max(most, s.workers[0].rows) }()
		return s.visit(worker, row)
	})
	require.NoError(t, err)
	assert.Less(t, most, 500)
	assert.Greater(t, most, 100)
}

// TestAllRowsAreKeptWhileThereIsRoom counts rows and pages if all rows are kept, if only sampled rows are
// kept, and if memory for all rows runs out.
func TestAllRowsAreKeptWhileThereIsRoom(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(4, 4)), 20000, 10) // 1.4 MB packed
	p := BinParams{SampleCount: 100}
	for _, c := range []struct {
		hidden bool
		most   int
		all    bool
		rows   int
	}{
		{true, keptMost, true, 20000},
		{true, 2 * keptPage, false, 100},
		{false, keptMost, false, 100},
	} {
		s := keepRows(t, &rowsSource{rows: rows, workers: 1, hidden: c.hidden}, p, c.most)
		assert.Equal(t, c.all, s.hasAll())
		assert.InDelta(t, c.rows, s.workers[0].rows, 40) // four standard deviations of 100
		assert.LessOrEqual(t, len(s.workers[0].pages), 3)
	}
}

// TestReadingEndsWhereMemoryDoes: what is kept while the source is read counts, and so do the columns that it
// will need. A source that knows how many values these have is not read at all.
func TestReadingEndsWhereMemoryDoes(t *testing.T) {
	const most = 4 * keptPage
	t.Setenv("GOMEMLIMIT", strconv.Itoa(most))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(most))
	rows := randomRows(rand.New(rand.NewPCG(8, 8)), 1, 1000)
	for _, known := range []int{100_000, unknownRows} {
		s, read, err := newSampler(BinParams{SampleCount: 100_000}, known, 1, keptMost), 0, error(nil)
		for ; err == nil && read < 1000; read++ {
			row := dataset.Row{Number: read, Feature: make([]int32, 1000), Value: rows[0]}
			for f := range row.Feature {
				row.Feature[f] = int32(f)
			}
			err = s.visit(0, row)
		}
		require.ErrorIs(t, err, limits.ErrMemory)
		assert.LessOrEqual(t, s.held(), int64(most))
	}

	src := &countedSource{rowsSource{rows: randomRows(rand.New(rand.NewPCG(8, 9)), 300, 2), workers: 1}, 10}
	p := BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 200}
	_, err := Read(t.Context(), src, p)
	require.NoError(t, err)
	src.parsed.Store(0)
	src.values = most / 8 / 200
	_, err = Read(t.Context(), src, p)
	require.ErrorIs(t, err, limits.ErrMemory)
	assert.Zero(t, src.parsed.Load())
}

// countedSource says that its rows have at least so many values.
type countedSource struct {
	rowsSource
	values int
}

func (s *countedSource) LeastValues() int { return s.values }

// TestRowsAreBinnedOnce compares the matrix with the definition of bins, for every way in which rows reach
// it, and counts how often rows are parsed.
func TestRowsAreBinnedOnce(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(5, 5)), 3000, 5)
	rows[7][2], rows[8][2] = math.NaN(), 1e-36
	p := BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 50, Missing: MissingNaN}
	sample, err := Read(t.Context(), &rowsSource{rows: rows, workers: 3}, p)
	require.NoError(t, err)
	for _, count := range []int{0, 50, 3000} {
		p.SampleCount = count
		for _, hidden := range []bool{false, true} {
			for _, most := range someRooms {
				src := &rowsSource{rows: rows, workers: 3, hidden: hidden}
				s := keepRows(t, src, p, most)
				kept := s.workers[0].rows + s.workers[1].rows + s.workers[2].rows
				all := hidden && most == keptMost || count == len(rows)
				assert.Equal(t, all, kept == len(rows))
				f := newFilling(newMatrix(sample.Mapper, len(rows)), src.workers)
				require.NoError(t, f.fillRest(t.Context(), src, s))
				requireBins(t, rows, f.finish())
				if most == keptMost || most == 0 && !hidden { // otherwise some rows are parsed twice
					assert.EqualValues(t, len(rows), src.parsed.Load())
				}
				assert.Equal(t, all, src.scans.Load() == 1, "read again unless all rows are kept")
			}
		}
	}
}

func requireBins(t *testing.T, rows [][]float64, x *Matrix) {
	t.Helper()
	for number, values := range rows {
		for c, f := range x.Columns {
			require.Equal(t, x.Mapper.Features[f].searchBin(values[f]), x.At(int32(number), int32(c)))
		}
	}
}

// TestOtherDataIsBinned bins data with the bins of other data that has fewer features.
func TestOtherDataIsBinned(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	sample, err := Read(t.Context(), &rowsSource{rows: randomRows(rng, 100, 3), workers: 2},
		BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 50})
	require.NoError(t, err)
	for _, hidden := range []bool{false, true} {
		src := &rowsSource{rows: randomRows(rng, 200, 4), workers: 2, hidden: hidden}
		x, meta, err := sample.Mapper.Bin(t.Context(), src)
		require.NoError(t, err)
		assert.Equal(t, 200, meta.NumRows())
		requireBins(t, src.rows, x)
		assert.EqualValues(t, 200, src.parsed.Load(), "one reading")
	}
}

// TestBinAgainReadsAll: the first call frees the sampled rows, so a second call reads all rows again.
func TestBinAgainReadsAll(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(7, 7)), 300, 4)
	for _, count := range []int{50, 300} {
		src := &rowsSource{rows: rows, workers: 2}
		s, err := Read(t.Context(), src, BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: count})
		require.NoError(t, err)
		for range 2 {
			x, err := s.Bin(t.Context(), src)
			require.NoError(t, err)
			requireBins(t, rows, x)
		}
		assert.EqualValues(t, 600, src.parsed.Load())
	}
}

// TestBinsMadeByHandAreRefused: feature bins made as a struct literal lack the table for looking up values.
func TestBinsMadeByHandAreRefused(t *testing.T) {
	m := &Mapper{Features: []FeatureBins{{UpperBounds: []float64{1, math.Inf(1)}, Max: 2}}}
	_, _, err := m.Bin(t.Context(), &rowsSource{rows: [][]float64{{1}, {2}}, workers: 1})
	assert.ErrorIs(t, err, ErrRaw)
	assert.ErrorContains(t, err, "feature 0")
}

func TestBinFindsChangedData(t *testing.T) {
	p := BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 50}
	for _, rows := range []int{99, 101} {
		src := &rowsSource{rows: randomRows(rand.New(rand.NewPCG(3, 3)), 100, 3), workers: 2}
		s, err := Read(t.Context(), src, p)
		require.NoError(t, err)
		src.rows = randomRows(rand.New(rand.NewPCG(3, 3)), rows, 3)
		_, err = s.Bin(t.Context(), src)
		assert.ErrorIs(t, err, ErrChanged)
	}
}

// TestBinEndsWithItsContext cancels a call that does not read the source, so the source cannot notice it.
func TestBinEndsWithItsContext(t *testing.T) {
	src := &rowsSource{rows: randomRows(rand.New(rand.NewPCG(3, 3)), 100, 3), workers: 2, hidden: true}
	s, err := Read(t.Context(), src, BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 50})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Bin(ctx, src)
	assert.ErrorIs(t, err, context.Canceled)
}
