//go:build unix

package test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/training"
)

// longTrees and longRows are for TestLongTraining.
var longTrees, longRows = 400, 5000

func init() {
	if aid.Long() {
		longTrees, longRows = 5000, 100_000
	}
}

// windows is the number of equal parts of a long run whose times are compared.
const windows = 10

// TestLongTraining: neither the memory nor the time of an iteration grows with the number of trees, except
// for the memory of the trees themselves.
func TestLongTraining(t *testing.T) {
	p := lambdamart.DefaultParams()
	p.NumIterations, p.LearningRate = longTrees, 0.02
	d, err := lambdamart.Bin(t.Context(), p, hardData(t, longRows, 40))
	require.NoError(t, err)
	defer d.Close()
	var heap, seconds []float64
	each, last := longTrees/windows, cpuSeconds()
	p.Options.Round = func(r training.Round) {
		if r.Number%each == 0 {
			seconds = append(seconds, cpuSeconds()-last)
			heap = append(heap, heapInUse())
			last = cpuSeconds()
		}
	}
	r, err := lambdamart.Train(context.Background(), p, d)
	require.NoError(t, err)
	require.Len(t, r.Model.Trees, longTrees)
	t.Logf("%d trees on %d rows; in each tenth of them: CPU seconds %.3g, MB of heap at the end %.4g", longTrees,
		longRows, seconds, megabytes(heap))

	perTree := 10_000.0 // for 31 leaves: 2.5 KB, plus spare capacity of slices
	growth := heap[windows-1] - heap[1]
	assert.Less(t, growth, perTree*float64(longTrees)+1e6, "bytes that memory grew by")
	if longTrees < 5000 {
		t.Log("the time is compared in the long form only: a tenth of a second says nothing on a busy machine")
		return
	}
	early, late := slices.Min(seconds[:windows/2]), slices.Min(seconds[windows/2:]) // minima
	assert.Less(t, late, 1.3*early, "seconds of a tenth in the second half, and in the first")
}

// hardData returns rows in queries of 50. Their labels depend on the features and on noise, so that splits
// never run out.
func hardData(t *testing.T, rows, features int) dataset.Columned {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	values, labels := make([]float64, rows*features), make([]float64, rows)
	for i := range values {
		values[i] = math.Round(100 * random.NormFloat64())
	}
	for row := range labels {
		v := values[row*features:]
		labels[row] = float64(min(4, max(0, int(2+v[0]/100+v[1]*v[2]/2e4+random.NormFloat64()))))
	}
	sizes := make([]int, rows/50)
	for q := range sizes {
		sizes[q] = 50
	}
	d, err := dataset.FromRows(slices.Collect(slices.Chunk(values, features)), labels, sizes)
	require.NoError(t, err)
	return d
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// heapInUse returns the bytes in use after a garbage collection.
func heapInUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func megabytes(bytes []float64) (all []float64) {
	for _, b := range bytes {
		all = append(all, b/1e6)
	}
	return all
}
