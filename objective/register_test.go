package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

// The tests of this file run on every registered objective, so they also cover new ones. The test file of an
// objective checks its formula, and may add a method
//
//	loss(q Query, scores []float64) float64
//
// that returns the loss of q's documents at scores that differ from q.Scores. Whatever the objective treats
// as constant (ranks, weights of pairs, draws) stays as it is at q.Scores.

// lossy is an objective whose lambdas are the derivatives of a loss that its tests compute.
type lossy interface {
	loss(q Query, scores []float64) float64
}

// weighsTogether is an objective in which a document's weight also affects other documents of the query.
type weighsTogether interface {
	checkWeights(t *testing.T, q Query, weighted Gradients)
}

// usable returns an objective that can be used.
func usable(o Objective, err error) Objective {
	if err != nil {
		panic(err)
	}
	return o
}

// eachObjective runs a test with each built-in objective at its default parameters.
func eachObjective(t *testing.T, test func(t *testing.T, o Objective)) {
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			p := DefaultAllParams()
			test(t, usable(e.construct(&p)))
		})
	}
}

// randomData draws queries of different lengths: the first has one document, the second has documents of
// equal grades. Grades are 0 and 1, which all objectives accept.
func randomData(rng *rand.Rand, weighted bool) *dataset.Meta {
	data := new(dataset.Meta)
	for n := range 12 {
		length := 1 + 7*n
		data.Queries = append(data.Queries, dataset.Query{ID: "q", First: len(data.Labels), Len: length})
		for range length {
			data.Labels = append(data.Labels, float64(min(n, 1)*rng.IntN(2)))
		}
	}
	if weighted {
		for range data.Labels {
			data.Weights = append(data.Weights, 3*rng.Float64())
		}
	}
	for n, q := range data.Queries {
		for range q.Len - 1 {
			better := rng.IntN(q.Len)
			data.Pairs = append(data.Pairs, dataset.Pair{Query: n, Better: better,
				Worse:  (better + 1 + rng.IntN(q.Len-1)) % q.Len,
				Weight: 2 * rng.Float64()})
		}
	}
	slices.SortFunc(data.Pairs, dataset.ComparePairs)
	return data
}

// atRandomScores returns a query with random scores in the third iteration of a run.
func atRandomScores(rng *rand.Rand, data *dataset.Meta, n int) Query {
	q := QueryOf(data, n)
	q.Iteration, q.Seed = 3, 42
	for range q.Labels {
		q.Scores = append(q.Scores, 2*rng.NormFloat64())
	}
	return q
}

// gradientsAt returns the derivatives of a prepared objective.
func gradientsAt(o Objective, q Query) Gradients {
	dst := Gradients{make([]float64, len(q.Labels)), make([]float64, len(q.Labels))}
	for i := range dst.Lambda {
		dst.Lambda[i], dst.Hessian[i] = math.NaN(), math.NaN() // must be overwritten
	}
	o.Gradients(dst, q)
	return dst
}

func TestNamesOfObjectivesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range entries {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			assert.False(t, seen[name], name)
			assert.Equal(t, strings.ToLower(strings.TrimSpace(name)), name)
			seen[name] = true
		}
		assert.Regexp(t, `^[A-Z].*\.$`, e.Help)
	}
}

func TestEveryNameAndAliasMakesTheObjective(t *testing.T) {
	for _, e := range entries {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			p := DefaultAllParams()
			o, err := New(name, &p)
			require.NoError(t, err)
			assert.Equal(t, e.Name, o.Name())
			value := "something else"
			choice := Choice(&value)
			require.NoError(t, choice.Set(name))
			require.NoError(t, choice.Check())
			assert.Equal(t, e.Name, value)
		}
	}
}

func TestNamesOfOtherToolsAreKnown(t *testing.T) {
	for alias, want := range map[string]string{
		"QueryRMSE": "query_rmse", "RMSE": "regression", "Logloss": "binary", "CrossEntropy": "cross_entropy",
		"rank:ndcg": "lambdarank", "LambdaMart": "lambdarank", "reg:squarederror": "regression", "l2": "regression",
		"mse": "regression", "binary:logistic": "binary", "xentropy": "cross_entropy",
		"xe_ndcg_mart": "rank_xendcg",
	} {
		value := ""
		choice := Choice(&value)
		require.NoError(t, choice.Set(alias))
		require.NoError(t, choice.Check(), alias)
		assert.Equal(t, want, value)
	}
}

// TestUnusedParameters: parameters that an objective does not use are named, so that none is ignored
// silently.
func TestUnusedParameters(t *testing.T) {
	p := DefaultAllParams()
	assert.Empty(t, Unused("query_rmse", &p))
	p.Sigmoid, p.BoostFromAverage = 2, false
	names := func(objective string) (names []string) {
		for _, entry := range Unused(objective, &p) {
			names = append(names, entry.Name)
		}
		return names
	}
	assert.Equal(t, []string{"sigmoid", "boost_from_average"}, names("query_rmse"))
	assert.Equal(t, []string{"boost_from_average"}, names("lambdarank"))
	assert.Empty(t, names("binary"))
	assert.Empty(t, names("no such"))
	for _, e := range entries {
		for _, name := range e.reads {
			assert.NotNil(t, Table(&p).Find(name), "%s of %s", name, e.Name)
		}
	}
}

// TestModelNamesAreLightGBMs: model files name an objective that LightGBM loads.
func TestModelNamesAreLightGBMs(t *testing.T) {
	for _, e := range entries {
		assert.True(t, slices.Contains(lightgbmObjectives, e.ModelName) ||
			strings.HasPrefix(e.ModelName, "binary sigmoid:"), e.ModelName)
		assert.Equal(t, e.ModelName, modelName(e.Name))
	}
	assert.Equal(t, "lambdarank", modelName("lambdarank"))
	assert.Equal(t, "rank_xendcg", modelName("rank_xendcg"), "of a user's own")
	assert.Equal(t, "cross_entropy", modelName("cross_entropy"))
	for _, name := range []string{"my_loss", "", "binary sigmoid:2", "multiclass", "lambdarank\nx", "custom"} {
		assert.Equal(t, "custom", modelName(name), name)
	}
}

func TestObjectivesGiveUsableDerivatives(t *testing.T) {
	eachObjective(t, func(t *testing.T, o Objective) {
		rng := rand.New(rand.NewPCG(1, 1))
		data := randomData(rng, true)
		require.NoError(t, o.Prepare(data))
		for n := range data.Queries {
			q := atRandomScores(rng, data, n)
			for _, spread := range []float64{0, 1, 100, 1e6, 1e300} {
				scaled := q
				scaled.Scores = slices.Clone(q.Scores)
				for i := range scaled.Scores {
					scaled.Scores[i] *= spread
				}
				g := gradientsAt(o, scaled)
				for i := range g.Lambda {
					require.LessOrEqual(t, math.Abs(g.Lambda[i]), math.MaxFloat64, "query %d, spread %v", n, spread)
					require.LessOrEqual(t, g.Hessian[i], math.MaxFloat64)
					require.GreaterOrEqual(t, g.Hessian[i], 0.0)
				}
			}
		}
	})
}

func TestObjectivesAgreeWithFiniteDifferences(t *testing.T) {
	eachObjective(t, func(t *testing.T, o Objective) {
		l, ok := o.(lossy)
		if !ok {
			t.Skip("its tests have no method loss")
		}
		rng := rand.New(rand.NewPCG(2, 2))
		data := randomData(rng, false)
		require.NoError(t, o.Prepare(data))
		for n := range data.Queries {
			q := atRandomScores(rng, data, n)
			g := gradientsAt(o, q)
			for i := range q.Scores {
				want := firstDifference(func(d float64) float64 {
					moved := slices.Clone(q.Scores)
					moved[i] += d
					return l.loss(q, moved)
				})
				require.InDelta(t, want, g.Lambda[i], 1e-6+1e-6*math.Abs(want), "document %d of query %d", i, n)
			}
		}
	})
}

// firstDifference returns the first derivative at 0, up to errors of the order step^4.
func firstDifference(at func(float64) float64) float64 {
	const step = 1e-3
	return (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
}

// secondDifference returns the second derivative at 0, up to errors of the order step^4.
func secondDifference(at func(float64) float64) float64 {
	const step = 1e-3
	return (16*(at(step)+at(-step)) - at(2*step) - at(-2*step) - 30*at(0)) / (12 * step * step)
}

func TestObjectivesMultiplyByWeights(t *testing.T) {
	eachObjective(t, func(t *testing.T, o Objective) {
		rng := rand.New(rand.NewPCG(4, 4))
		data := randomData(rng, true)
		require.NoError(t, o.Prepare(data))
		for n := range data.Queries {
			q := atRandomScores(rng, data, n)
			weighted := gradientsAt(o, q)
			weights := q.Weights
			if mixed, ok := o.(weighsTogether); ok {
				mixed.checkWeights(t, q, weighted)
				continue
			}
			q.Weights = nil
			plain := gradientsAt(o, q)
			for i, w := range weights {
				assert.InDelta(t, w*plain.Lambda[i], weighted.Lambda[i], 1e-14*(1+math.Abs(weighted.Lambda[i])))
				assert.InEpsilon(t, 1+w*plain.Hessian[i], 1+weighted.Hessian[i], 1e-14)
			}
		}
	})
}

// TestObjectivesDependOnTheQueryAlone: derivatives do not depend on earlier calls, the order of queries, or
// the calling goroutine, and arguments are not modified.
func TestObjectivesDependOnTheQueryAlone(t *testing.T) {
	eachObjective(t, func(t *testing.T, o Objective) {
		rng := rand.New(rand.NewPCG(5, 5))
		data := randomData(rng, true)
		require.NoError(t, o.Prepare(data))
		labels, weights := slices.Clone(data.Labels), slices.Clone(data.Weights)
		queries, scores, want := make([]Query, len(data.Queries)), make([][]float64, len(data.Queries)),
			make([]Gradients, len(data.Queries))
		for n := range queries {
			queries[n] = atRandomScores(rng, data, n)
			scores[n] = slices.Clone(queries[n].Scores)
			want[n] = gradientsAt(o, queries[n])
		}
		for _, n := range rng.Perm(len(queries)) { // with other scores, iterations and seeds in between
			gradientsAt(o, atRandomScores(rng, data, n))
		}
		require.NoError(t, o.Prepare(data))
		got := make([]Gradients, len(queries))
		var all sync.WaitGroup
		for n := range queries {
			all.Go(func() { got[n] = gradientsAt(o, queries[n]) })
		}
		all.Wait()
		assert.Equal(t, want, got)
		assert.Equal(t, labels, data.Labels)
		assert.Equal(t, weights, data.Weights)
		for n := range queries {
			assert.Equal(t, scores[n], queries[n].Scores)
		}
	})
}

func TestObjectivesRefuseLabelsThatAreNoNumbers(t *testing.T) {
	eachObjective(t, func(t *testing.T, o Objective) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			err := o.Prepare(oneQuery(0, 1, bad))
			assert.ErrorContains(t, err, "row 2 (query 1)", "%v", bad)
		}
	})
}

func TestObjectivesAllocateNothing(t *testing.T) {
	if aid.RaceDetector {
		t.Skip("under the race detector, sync.Pool forgets at random")
	}
	eachObjective(t, func(t *testing.T, o Objective) {
		rng := rand.New(rand.NewPCG(6, 6))
		data := randomData(rng, true)
		require.NoError(t, o.Prepare(data))
		q := atRandomScores(rng, data, len(data.Queries)-1)
		dst := Gradients{make([]float64, len(q.Labels)), make([]float64, len(q.Labels))}
		assert.Zero(t, testing.AllocsPerRun(100, func() { o.Gradients(dst, q) }))
	})
}

// TestRandomObjectivesSaySo: another seed changes the derivatives, with and without tied scores, if and only
// if IsRandom returns true.
func TestRandomObjectivesSaySo(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	data := randomData(rng, false)
	for _, e := range entries {
		for _, change := range []func(*AllParams){
			func(*AllParams) {},
			func(p *AllParams) { p.LambdarankTies = tiesFile },
			func(p *AllParams) { p.LambdarankTies = tiesDraw },
			func(p *AllParams) { p.LambdarankTarget = targetMAP },
		} {
			p := DefaultAllParams()
			p.LambdarankTruncationLevel = 5
			change(&p)
			o := usable(e.construct(&p))
			require.NoError(t, o.Prepare(data))
			random := false
			for n := range data.Queries {
				tied := QueryOf(data, n)
				tied.Scores = make([]float64, len(tied.Labels))
				for _, q := range []Query{atRandomScores(rng, data, n), tied} {
					q.Seed = 1
					first := gradientsAt(o, q)
					q.Seed = 2
					random = random || !assert.ObjectsAreEqual(first, gradientsAt(o, q))
				}
			}
			assert.Equal(t, random, IsRandom(e.Name, &p), "%s %+v", e.Name, p)
		}
	}
}
