package booster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/objective"
)

// The benchmarks check their results, and report the time per unit of work on one worker.

// perUnit reports the mean time per unit if each iteration of the benchmark processes this many units.
func perUnit(b *testing.B, units int, name string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+name)
}

const benchRows = 1 << 17

// onePool returns a pool of one worker.
func onePool(b *testing.B) *par.Pool {
	pool := par.New(1)
	b.Cleanup(pool.Close)
	return pool
}

// BenchmarkPartition partitions the rows of a leaf. Rows that go left and right alternate at random.
// Missing
// values go left, although their bin lies on the right.
func BenchmarkPartition(b *testing.B) {
	for _, share := range []float64{0, 0.2} {
		b.Run(fmt.Sprintf("missing=%v", share), func(b *testing.B) {
			benchPartition(b,
				withNaN(randomTable(1, benchRows), 1, share))
		})
	}
}

func benchPartition(b *testing.B, t *table) {
	p := smallParams()
	data := binned(b, &p, t)[0]
	pool := onePool(b)
	g := &grower{binTree: newBinTree(data.Values, pool), bins: withPlanes(data, pool)}
	rows, spare := make([]int32, benchRows), make([]int32, benchRows)
	all := make([]int32, benchRows)
	for i := range all {
		all[i] = int32(i)
	}
	s := &split{bin: uint16(data.Values.Bins(0).NumBins() / 2)}
	missing := data.Values.MissingBins[0]
	want := 0
	for _, r := range all {
		if !s.goesRight(data.Values.At(r, 0), missing) {
			want++
		}
	}
	for _, n := range []int{partitionBlock, benchRows} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			lefts := 0
			for b.Loop() {
				copy(rows[:n], all)
				lefts = g.partition(rows[:n], spare[:n], s)
			}
			perUnit(b, n, "row")
			if n == benchRows && lefts != want || !slices.IsSorted(rows[:lefts]) || !slices.IsSorted(rows[lefts:n]) {
				b.Fatalf("%d rows left instead of %d", lefts, want)
			}
		})
	}
}

// BenchmarkFindLeaves sends rows down a tree of 255 leaves.
func BenchmarkFindLeaves(b *testing.B) {
	for _, share := range []float64{0, 0.2} {
		b.Run(fmt.Sprintf("missing=%v", share), func(b *testing.B) {
			benchFindLeaves(b,
				withNaN(randomTable(1, benchRows), 1, share))
		})
	}
}

func benchFindLeaves(b *testing.B, s *table) {
	p := smallParams()
	p.NumLeaves, p.NumThreads = 255, 1
	data := binned(b, &p, s)[0]
	obj, err := p.newObjective()
	if err != nil {
		b.Fatal(err)
	}
	t, err := newTrainer(&p, data, nil, obj)
	if err != nil {
		b.Fatal(err)
	}
	defer t.close()
	if grown, err := t.step(); err != nil || !grown {
		b.Fatal("no tree", err)
	}
	leaves := make([]int32, benchRows)
	for b.Loop() {
		t.grower.findLeaves(leaves, data.Values)
	}
	perUnit(b, benchRows, "row")
	for row, leaf := range leaves {
		if leaf != t.grower.leafOf(data.Values, row) {
			b.Fatalf("row %d: leaf %d", row, leaf)
		}
	}
}

// BenchmarkActivate rounds long-tailed gradients, like LambdaMART's.
func BenchmarkActivate(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	g := objective.Gradients{Lambda: make([]float64, benchRows), Hessian: make([]float64, benchRows)}
	rows := make([]int32, benchRows)
	for i := range rows {
		size := math.Exp(2 * rng.NormFloat64())
		g.Lambda[i], g.Hessian[i], rows[i] = size*(rng.Float64()-0.5), size*rng.Float64(), int32(i)
	}
	key, all := random.New(1, random.RoundGradient, 1), allRows(benchRows)
	pool := onePool(b)
	for _, fraction := range []float64{1, 0.125} {
		b.Run(fmt.Sprintf("fraction=%v", fraction), func(b *testing.B) {
			a := activation{}
			for b.Loop() {
				if err := a.activate(&all, all.size, g, extremesOf(g, 0), fraction, key, pool); err != nil {
					b.Fatal(err)
				}
			}
			perUnit(b, benchRows, "row")
			checkActive(b, &a, rows, g, key)
		})
	}
}

// checkActive checks the active rows and their rounded gradients against the formulas.
func checkActive(b *testing.B, a *activation, rows []int32, g objective.Gradients, key random.Key) {
	round := func(s exact.Scale, x, r float64) int64 {
		if a.sparse {
			return s.Dither(x, r)
		}
		return s.Round(x)
	}
	n := 0
	for _, row := range rows {
		r := key.Float64(int(row))
		want := binsum.Sum{Gradient: round(a.gradient, g.Lambda[row], r),
			Hessian: round(a.hessian, g.Hessian[row], r)}
		if a.sparse && want == (binsum.Sum{}) {
			continue
		}
		if a.rows[n] != row || binsum.Unpack(a.packed[n]) != want {
			b.Fatalf("row %d: %+v", row, want)
		}
		n++
	}
	if n != len(a.rows) {
		b.Fatalf("%d active rows instead of %d", len(a.rows), n)
	}
}
