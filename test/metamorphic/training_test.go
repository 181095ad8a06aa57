package metamorphic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// dependence is a property of the rows that a relation changes or that keys random draws. If a relation
// changes the keys of draws, it cannot hold.
type dependence uint8

const (
	nothing dependence = iota
	rows               // numbers of rows or queries, or of rows within queries
	columns            // feature numbers
)

// variant is a set of parameters under which the relations are tested.
type variant struct {
	name  string
	set   map[string]string
	draws dependence // properties that key random draws
	holes bool       // values are missing
	ties  bool       // gains are sums of small integers, so many are equal
}

var variants = []variant{
	{name: "plain"},
	{name: "regularized", set: map[string]string{"lambda_l1": "0.5", "lambda_l2": "2",
		"min_gain_to_split": "0.25", "max_depth": "3"}},
	{name: "missing", holes: true},
	{name: "zero as missing", set: map[string]string{"zero_as_missing": "true"}},
	{name: "few bins", set: map[string]string{"max_bin": "9"}},
	{name: "sparse rows", set: map[string]string{"active_fraction": "0.5"}, draws: rows, ties: true},
	{name: "bags", set: map[string]string{"bagging_fraction": "0.6", "bagging_freq": "2"}, draws: rows},
	{name: "symmetric", set: map[string]string{"grow_policy": "symmetric", "num_leaves": "16",
		"lambda_l2": "1"}},
	{name: "some features", set: map[string]string{"feature_fraction": "0.5"}, draws: columns},
}

// drawing are the objectives with random draws by query and document. A new one belongs here too.
var drawing = []string{"rank_xendcg", "yetirank"}

// relation changes data and parameters, and predicts the effect on the trees.
type relation struct {
	name  string
	moves dependence

	// change returns the changed data. It may change p. rng is for choices.
	change func(s *set, p *lambdamart.Params, rng *rand.Rand) *set
	// follow changes the trees of the unchanged data into the expected trees; nil changes nothing.
	follow func(t *tree.Tree)

	// base prepares the unchanged data and its parameters.
	base func(s *set, p *lambdamart.Params)
	// only lists the objectives for which the relation holds; nil: all.
	only []string
	// inexact lists the objectives for which it holds only up to rounding.
	inexact []string
	// ties means that the relation does not hold if two splits have equal gains.
	ties bool
}

var order = []int{3, 5, 0, 4, 1, 2}

// listwise are objectives that sum over the documents of a query in file order.
var listwise = []string{"listnet", "query_rmse"}

var relations = []relation{
	{
		name: "queries permuted", moves: rows,
		change: func(s *set, _ *lambdamart.Params, rng *rand.Rand) *set { return s.shuffledQueries(rng) },
	},
	{
		name: "documents within queries permuted", moves: rows,
		change:  func(s *set, _ *lambdamart.Params, rng *rand.Rand) *set { return s.shuffledDocuments(rng) },
		inexact: listwise,
	},
	{
		name: "features permuted", moves: columns, ties: true,
		change: func(s *set, _ *lambdamart.Params, _ *rand.Rand) *set { return s.permuted(order) },
		follow: func(t *tree.Tree) {
			for node, f := range t.Feature {
				t.Feature[node] = int32(slices.Index(order, int(f)))
			}
		},
	},
	{
		name: "a feature times 2^-20, another times 2^300",
		change: func(s *set, _ *lambdamart.Params, _ *rand.Rand) *set {
			return scaled(scaled(s, 0, -20), 3, 300)
		},
		follow: func(t *tree.Tree) {
			scaleThresholds(t, 0, -20)
			scaleThresholds(t, 3, 300)
		},
	},
	{
		name: "labels moved, and their gains with them",
		only: []string{"lambdarank", "lambdaloss", "rank_pairwise"},
		base: func(_ *set, p *lambdamart.Params) { p.LabelGain = gains(0, 1, 3, 7, 15) },
		change: func(s *set, p *lambdamart.Params, _ *rand.Rand) *set {
			p.LabelGain = gains(0, 0, 1, 3, 7, 15)
			return s.changed(func(d *document) { d.label++ })
		},
	},
	{
		name: "all weights doubled, and what is compared with sums of them",
		change: func(s *set, p *lambdamart.Params, _ *rand.Rand) *set {
			p.MinSumHessianInLeaf *= 2
			p.LambdaL1, p.LambdaL2, p.MinGainToSplit = 2*p.LambdaL1, 2*p.LambdaL2, 2*p.MinGainToSplit
			return s.changed(func(d *document) { d.weight *= 2 })
		},
		follow: doubleWeights,
	},
	{
		name: "a constant feature added in front", moves: columns,
		change: func(s *set, _ *lambdamart.Params, _ *rand.Rand) *set {
			c := s.changed(func(d *document) { d.values = slices.Insert(d.values, 0, -1) })
			c.features = slices.Insert(c.features, 0, "constant")
			return c
		},
		follow: func(t *tree.Tree) {
			for node := range t.Feature {
				t.Feature[node]++
			}
		},
	},
}

func TestRelationsOfTraining(t *testing.T) {
	for number, r := range relations {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			random, draws := aid.Random(number), 20
			if aid.Long() {
				draws = 1000
			}
			for done := 0; done < draws; {
				v, names := variants[random.IntN(len(variants))], r.only
				if names == nil {
					names = objectiveNames()
				}
				if name := names[random.IntN(len(names))]; r.holds(v, name) {
					data := random.Uint64()
					check(t, r, randomSet(data, 40, v.holes), parameters(t, name, v.set), v.name, data)
					done++
				}
			}
		})
	}
}

// holds reports whether the relation holds for an objective under the parameters of v.
func (r *relation) holds(v variant, objective string) bool {
	drawn := slices.Contains(drawing, objective) && r.moves == rows
	moved := r.moves != nothing && r.moves == v.draws
	return !drawn && !moved && !(r.ties && v.ties) && (r.only == nil || slices.Contains(r.only, objective))
}

// check trains twice and compares.
func check(t *testing.T, r relation, s *set, p lambdamart.Params, variant string, seed uint64) {
	t.Helper()
	fit01(s, p.Objective)
	if r.base != nil {
		r.base(s, &p)
	}
	want := trained(t, p, s)
	if r.follow != nil {
		for i := range want {
			r.follow(&want[i])
		}
	}
	changedParams := p
	got := trained(t, changedParams, r.change(s, &changedParams, rand.New(rand.NewPCG(seed, 99))))
	require.Greater(t, len(want), 3, "the model has too few trees to compare: %s, %s", variant, p.Objective)
	if slices.Contains(r.inexact, p.Objective) {
		assertClose(t, want, got, "%s, %s, seed %d", variant, p.Objective, seed)
		return
	}
	assert.True(t, assert.ObjectsAreEqual(want, got), "another model: %s, %s, seed %d", variant,
		p.Objective, seed)
}

// fit01 scales labels to between 0 and 1 for objectives that need that.
func fit01(s *set, name string) {
	if !slices.Contains([]string{"binary", "cross_entropy", "rank_calibrated"}, name) {
		return
	}
	for _, q := range s.queries {
		for i := range q.docs {
			q.docs[i].label = math.Floor(q.docs[i].label / 2.5)
		}
	}
}

func objectiveNames() []string { return aid.Graded(objective.Names()) }

func parameters(t *testing.T, name string, set map[string]string) lambdamart.Params {
	t.Helper()
	p := lambdamart.DefaultParams()
	p.Objective, p.NumIterations, p.NumLeaves, p.MinDataInLeaf, p.NumThreads = name, 6, 8, 5, 1
	for key, value := range set {
		require.NoError(t, p.Set(key, value))
	}
	return p
}

func trained(t *testing.T, p lambdamart.Params, s *set) []tree.Tree {
	t.Helper()
	d, err := lambdamart.Bin(t.Context(), p, s.source(t))
	require.NoError(t, err)
	defer d.Close()
	r, err := lambdamart.Train(t.Context(), p, d)
	require.NoError(t, err)
	return r.Model.Trees
}

// tolerance bounds relative differences of numbers in models that are equal up to the rounding of
// gradients: float64 sums in another order, and integers of 30 bits on another scale.
const tolerance = 1e-6

// assertClose asserts that trees have the same splits, and numbers that are nearly the same.
func assertClose(t *testing.T, want, got []tree.Tree, message string, args ...any) {
	t.Helper()
	args = append([]any{message}, args...)
	if !assert.Len(t, got, len(want), args...) {
		return
	}
	for i := range want {
		w, g := &want[i], &got[i]
		same := slices.Equal(w.Feature, g.Feature) && slices.Equal(w.Threshold, g.Threshold) &&
			slices.Equal(w.Left, g.Left) &&
			slices.Equal(w.Right, g.Right) && slices.Equal(w.Decision, g.Decision)
		if !assert.True(t, same, args...) {
			return
		}
		assertNear(t, w.LeafValue, g.LeafValue, args...)
		assertNear(t, w.LeafWeight, g.LeafWeight, args...)
	}
}

// assertNear compares with the largest magnitude of want.
func assertNear(t *testing.T, want, got []float64, args ...any) {
	t.Helper()
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	assert.InDeltaSlice(t, want, got, tolerance*largest, args...)
}

func gains(g ...float64) metric.Gain {
	table, err := metric.Table(g)
	if err != nil {
		panic(err)
	}
	return table
}

func scaled(s *set, feature, exponent int) *set {
	return s.changed(func(d *document) { d.values[feature] = math.Ldexp(d.values[feature], exponent) })
}

// zeroThreshold is LightGBM's bound for values that count as zero. As a threshold it is not scaled.
const zeroThreshold = 1e-35

func scaleThresholds(t *tree.Tree, feature, exponent int) {
	for node, f := range t.Feature {
		if int(f) == feature && math.Abs(t.Threshold[node]) > 2*zeroThreshold {
			t.Threshold[node] = math.Ldexp(t.Threshold[node], exponent)
		}
	}
}

// doubleWeights doubles the fields that are sums of weights. Leaf values are quotients of such sums, so
// they stay.
func doubleWeights(t *tree.Tree) {
	for _, numbers := range [][]float64{t.Gain, t.InternalWeight, t.LeafWeight} {
		for i := range numbers {
			numbers[i] *= 2
		}
	}
}
