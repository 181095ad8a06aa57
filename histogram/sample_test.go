package histogram

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/keyed"
)

// rowsSource has one row of features for each entry, and may hide their number.
type rowsSource struct {
	rows    [][]float64
	workers int
	hidden  bool
}

func (s *rowsSource) Workers() int { return s.workers }

func (s *rowsSource) NumRows(context.Context) (int, bool, error) {
	return len(s.rows), !s.hidden, nil
}

// Scan lets each worker take every so many-th row.
func (s *rowsSource) Scan(_ context.Context, keep func(int) bool, visit func(int, dataset.Row) error) (*dataset.Meta, error) {
	var wg sync.WaitGroup
	for worker := range s.workers {
		wg.Go(func() {
			for number := worker; number < len(s.rows); number += s.workers {
				if keep != nil && !keep(number) {
					continue
				}
				row := dataset.Row{Number: number}
				for f, v := range s.rows[number] {
					row.Feature, row.Value = append(row.Feature, int32(f)), append(row.Value, v)
				}
				_ = visit(worker, row)
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

// TestSampleIsWhatTheHashesSay compares the sample with the rows chosen by their
// definition, for all numbers of workers, with the number of rows known and not.
func TestSampleIsWhatTheHashesSay(t *testing.T) {
	const features = 7
	rows := randomRows(rand.New(rand.NewPCG(1, 1)), 5000, features)
	for _, count := range []int{1, 50, 500, 4999, 5000, 6000} {
		p := BinParams{SampleCount: count, Seed: 9}
		want, wantRows := sampleByDefinition(rows, p)
		for _, workers := range []int{1, 2, 5} {
			for _, hidden := range []bool{false, true} {
				src := &rowsSource{rows, workers, hidden}
				s, err := newSampler(t.Context(), src, p)
				require.NoError(t, err)
				meta, err := src.Scan(t.Context(), s.keep, s.visit)
				require.NoError(t, err)
				got, gotRows := s.columns(meta.NumRows(), features)
				require.Equal(t, wantRows, gotRows)
				for f := range got {
					slices.Sort(got[f])
					require.Equal(t, want[f], got[f])
				}
			}
		}
	}
}

func sampleByDefinition(rows [][]float64, p BinParams) (columns [][]float64, sampled int) {
	key := keyed.New(p.Seed, keyed.BinSample, 0)
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

// TestSurplusRowsAreDropped watches the memory of a sample whose data turns out
// to be much larger than it.
func TestSurplusRowsAreDropped(t *testing.T) {
	rows := randomRows(rand.New(rand.NewPCG(2, 2)), 20000, 3)
	src := &rowsSource{rows, 1, true}
	s, err := newSampler(t.Context(), src, BinParams{SampleCount: 100})
	require.NoError(t, err)
	most := 0
	_, err = src.Scan(t.Context(), s.keep, func(worker int, row dataset.Row) error {
		defer func() { most = max(most, s.workers[0].rows) }()
		return s.visit(worker, row)
	})
	require.NoError(t, err)
	assert.Less(t, most, 500)
	assert.Greater(t, most, 100)
}

func TestBinFindsChangedData(t *testing.T) {
	src := &rowsSource{randomRows(rand.New(rand.NewPCG(3, 3)), 100, 3), 2, false}
	m, _, err := FindBins(t.Context(), src, BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 50})
	require.NoError(t, err)
	for _, rows := range []int{99, 101} {
		_, err = Bin(t.Context(), src, m, rows)
		assert.ErrorIs(t, err, ErrChanged)
	}
	x, err := Bin(t.Context(), src, m, 100)
	require.NoError(t, err)
	for number, values := range src.rows {
		for c, f := range x.Columns {
			assert.Equal(t, m.Features[f].searchBin(values[f]), x.At(int32(number), int32(c)))
		}
	}
}
