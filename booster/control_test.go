package booster

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/rounds"
)

// wavyTable draws rows whose grade is a sum of waves of all columns, plus noise.
func wavyTable(seed uint64, rows, columns int, noise float64) *table {
	rng := rand.New(rand.NewPCG(seed, 0))
	values, labels := make([][]float64, rows), make([]float64, rows)
	for r := range values {
		x, sum := make([]float64, columns), 0.0
		for c := range x {
			x[c] = rng.NormFloat64()
			sum += math.Sin(2 * x[c])
		}
		values[r] = x
		grade := sum/math.Sqrt(float64(columns)/2) + noise*rng.NormFloat64()
		labels[r] = math.Round(max(0, min(4, 1+grade/math.Sqrt(1+noise*noise))))
	}
	return newTable(values, labels, 20)
}

// TestControlFollowsGain: the share rises where a level pays and falls where it does not, though gains fall
// and are noisy. Where trees gain nothing any more, it falls even if a level seems to pay, and where rows are
// most of the work, a level must gain more than where they are little of it.
func TestControlFollowsGain(t *testing.T) {
	costly, cheap := load{share: 1, every: 1}, load{share: 1, fixed: 50, every: 51}
	for name, c := range map[string]struct {
		work                     load
		pays, decay, noise, want float64
	}{
		"pays": {costly, 0.05, 0.98, 0.05, 0}, "costs": {cheap, -0.03, 0.98, 0.05, -5},
		"over": {cheap, 0.02, 0.7, 0.05, -5}, "pays cheap work": {cheap, 0.008, 1, 0.02, 0},
		"pays no costly work": {costly, 0.008, 1, 0.02, -5},
	} {
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 1))
			control := newControl(-5)
			control.highest, control.work = -1, c.work
			base, sum := 100.0, 0.0
			for round := range 120 {
				level, judges := control.next()
				v := verdict{level: level}
				if judges {
					v.fitted = base
					v.honest = float64(base * (0.8 + float64(c.pays*level) + float64(c.noise*rng.NormFloat64())))
				}
				control.see(v)
				if base *= c.decay; round >= 80 {
					sum += level
				}
			}
			assert.InDelta(t, c.want, sum/40, 0.5, "%s %d", name, seed)
		}
	}
}

// TestControlMendsWrongFall: where noise of the first rounds makes the share fall to the lowest, though a
// level pays, it rises soon. Where a level costs, it stays there, with few trials.
func TestControlMendsWrongFall(t *testing.T) {
	for _, pays := range []float64{0.1, -0.04} {
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 2))
			control := newControl(-4)
			control.highest, control.work = -1, load{share: 1, fixed: 2, every: 3}
			trials := 0
			for round := range 100 {
				slope := pays
				if round < 10 {
					slope = -0.05
				}
				level, judges := control.next()
				v := verdict{level: level}
				if judges {
					v.honest, v.fitted = float64(100*(0.8+float64(slope*level)+float64(0.1*rng.NormFloat64()))), 100
				}
				if control.see(v); round >= 60 && level > -4 {
					trials++
				}
			}
			if pays > 0 {
				assert.Greater(t, trials, 36, "%d", seed)
			} else {
				assert.Less(t, trials, 6, "%d", seed)
			}
		}
	}
}

// TestJudgeIsNaive compares what a tree gains on judging queries with sums row by row, and checks that these
// queries take no part in its growth.
func TestJudgeIsNaive(t *testing.T) {
	p := smallParams()
	p.MinDataInLeaf, p.MinSumHessianInLeaf = 0, 0
	data := binned(t, &p, wavyTable(1, 10_000, 4, 0.3))
	for _, level := range []float64{0, -2} {
		run, err := New(p, data[0], nil, Options{})
		require.NoError(t, err)
		defer run.Close()
		tr := run.trainer
		tr.control = newControl(-3)
		tr.control.center, tr.control.highest = level+1, -1 // the first round is one level below the center
		if level == 0 {
			tr.control.center, tr.control.levels = 0, make([]float64, trialEvery/2-1)
		}
		_, err = run.Step(t.Context())
		require.NoError(t, err)
		got := tr.control.recent[2]
		require.Equal(t, level, got.level)

		type sums struct{ gradient, hessian, rows float64 }
		leaves := tr.grower.NumLeaves()
		judged, others := make([]sums, leaves), make([]sums, leaves)
		for n, q := range data[0].Meta.Queries {
			for row := q.First; row < q.First+q.Len; row++ {
				s := &others[tr.leafOf[row]]
				if tr.judge.queries[n] {
					s = &judged[tr.leafOf[row]]
				}
				s.gradient, s.hessian, s.rows = s.gradient+tr.gradients.Lambda[row],
					s.hessian+tr.gradients.Hessian[row], s.rows+1
			}
		}
		honest, fitted, judges, rest := 0.0, 0.0, 0.0, 0.0
		for leaf := range judged {
			a, b := judged[leaf], others[leaf]
			v := -p.LearningRate * b.gradient / b.hessian
			honest -= a.gradient*v + a.hessian*v*v/2
			fitted -= b.gradient*v + b.hessian*v*v/2
			judges, rest = judges+a.rows, rest+b.rows
		}
		assert.InEpsilon(t, honest, got.honest, 1e-6)
		assert.InEpsilon(t, fitted*judges/rest, got.fitted, 1e-6)
		assert.InDelta(t, judging*float64(data[0].Meta.NumRows()), judges, 600)
		requireSilent(t, tr, data[0])
	}
}

// requireSilent checks that no judging row has a gradient in the growth of the tree.
func requireSilent(t *testing.T, tr *trainer, data Data) {
	t.Helper()
	a, active := &tr.active, 0
	for place, packed := range a.Packed {
		row := place
		if len(a.Rows) > 0 && !a.Spread {
			row = int(a.Rows[place])
		}
		n := row / 20
		require.Equal(t, n*20, data.Meta.Queries[n].First)
		if tr.judge.queries[n] {
			require.Zero(t, packed)
		} else if packed != 0 {
			active++
		}
	}
	require.Positive(t, active)
}

// TestControlledTraining: threads, peers and checkpoints change neither the shares nor the models.
func TestControlledTraining(t *testing.T) {
	p := smallParams()
	p.NumIterations = 16
	table := wavyTable(3, controlledRows+1000, 16, 0.5)
	for name, change := range map[string]func(*Params){
		"plain":     func(*Params) {},
		"bags":      func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.99, 2 },
		"symmetric": func(p *Params) { p.GrowPolicy = Symmetric },
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			change(&p)
			data := binned(t, &p, table)
			want := requireSameModel(t, p, 9, data)
			assert.Contains(t, want.section, provenance.ActiveShares+"=")
		})
	}
}

// TestFewGradientsGrowOnEveryRow: if one query alone has different grades, a sample has too few rows for two
// leaves, which every row has.
func TestFewGradientsGrowOnEveryRow(t *testing.T) {
	p := smallParams()
	p.NumIterations, p.MinDataInLeaf = 8, 20
	table := wavyTable(3, controlledRows+1000, 4, 0.5)
	clear(table.meta.Labels[20:])
	data := binned(t, &p, table)
	auto := requireSameModel(t, p, 5, data)
	assert.Contains(t, auto.section, provenance.ActiveShares+"=1*8")
	p.ActiveFraction = 1
	every, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	assert.Equal(t, every.model, auto.model)
}

// requireSameModel trains on one thread, and requires the same of three threads, of two peers, and of a run
// that is interrupted after some rounds and resumed.
func requireSameModel(t *testing.T, p Params, rounds int, data []Data) rankOutcome {
	t.Helper()
	p.NumThreads = 1
	want, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	whole := trainUntil(t, p, 0, nil, data)
	p.NumThreads = 3
	got, err := trainOn(t, peers.Group{}, p, data)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	requirePeers(t, 2, p, data, want)
	assert.Equal(t, string(whole.model), string(resumed(t, p, rounds, data).model))
	return want
}

// TestShareFollowsData: on curves with little noise trees end up on every row, and on labels of noise alone
// on few.
func TestShareFollowsData(t *testing.T) {
	p := DefaultParams()
	p.NumIterations, p.NumLeaves = 40, 31
	shares := func(noise float64) float64 {
		data := binned(t, &p, wavyTable(5, controlledRows+8000, 12, noise))
		run, err := New(p, data[0], nil, Options{})
		require.NoError(t, err)
		defer run.Close()
		require.NoError(t, rounds.Loop(t.Context(), run.Rounds(), run.Step, nil))
		c, sum := run.trainer.control, 0.0
		for _, level := range c.levels[20:] {
			sum += shareOf(level) / 20
		}
		t.Log(strings.ReplaceAll(sharesText(c.shares(40)), ",", " "))
		return sum
	}
	assert.Greater(t, shares(0.1), 0.8)
	assert.Less(t, shares(1000), 0.4)
}

// TestWorkOfRareGradients: where only a fifth of the rows have a gradient, sums of every row are little work,
// and a sample of many rows is slower.
func TestWorkOfRareGradients(t *testing.T) {
	w := work{sums: 105, partition: 24, copying: 75, descent: 24, search: 20, nonzero: 1}
	assert.Greater(t, w.highest(-5), -2.0)
	w.nonzero = 0.2
	assert.Less(t, w.highest(-5), -3.0)
	assert.Equal(t, -3.0, w.highest(-3))
}

// TestFewTrialsOfSlowSamples: once both levels of a round would be every row, since samples save little, few
// rounds are judged, and some are still trials of fewer rows.
func TestFewTrialsOfSlowSamples(t *testing.T) {
	c := newControl(-5)
	c.highest, c.center = -2.25, -1
	judged, trials := 0, 0
	for range 72 {
		level, judges := c.next()
		if judges {
			judged++
		}
		if level < 0 {
			assert.LessOrEqual(t, level, c.highest)
			trials++
		}
		c.levels = append(c.levels, level)
	}
	assert.Equal(t, 9, judged)
	assert.Equal(t, 3, trials)
}

// TestDensity: a row of a column for each of many values is little work, whether its columns are sparse or
// share bytes, and one of other columns is as much work as it has columns.
func TestDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	values := make([][]float64, 1200)
	for row := range values {
		values[row] = make([]float64, 210)
		for c := range 10 {
			values[row][c] = rng.NormFloat64()
		}
		values[row][10+rng.IntN(200)] = 1
	}
	of := func(columns int, sparse bool) float64 {
		p := DefaultParams()
		p.EnableSparse = sparse
		var part [][]float64
		for _, row := range values {
			part = append(part, row[:columns])
		}
		work, _ := density(binned(t, &p, newTable(part, make([]float64, len(part)), 20))[0])
		return work
	}
	assert.Equal(t, of(210, false), of(210, true))
	assert.InDelta(t, 16+ofSparseValue, of(210, true), 1)
	assert.Equal(t, 10.0, of(10, true))
}
