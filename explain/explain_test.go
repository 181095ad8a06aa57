package explain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

const features = 6

// made draws data whose grades depend on the first two features and on their product, with missing values.
func made(t *testing.T, queries int) dataset.Columned {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var meta dataset.Meta
	var values []float64
	for q := range queries {
		n := 5 + rng.IntN(20)
		meta.Queries = append(meta.Queries, dataset.Query{ID: fmt.Sprint("q", q), First: len(meta.Labels), Len: n})
		for d := range n {
			row := make([]float64, features)
			for f := range row {
				row[f] = math.Round(rng.NormFloat64()*8) / 4
			}
			if rng.IntN(9) == 0 {
				row[2] = math.NaN()
			}
			grade := row[0] + row[1] + row[0]*row[1]/2 + rng.NormFloat64()
			meta.Labels = append(meta.Labels, max(0, min(4, math.Round(grade+1))))
			meta.Docs = append(meta.Docs, fmt.Sprintf("d%d-%d", q, d))
			values = append(values, row...)
		}
	}
	for f := range features {
		meta.Features = append(meta.Features, fmt.Sprint("f", f))
	}
	d, err := dataset.NewDense(meta, values)
	require.NoError(t, err)
	return d
}

// model trains a small model, with the given kinds of query context.
func model(t *testing.T, src dataset.Source, kinds ...string) *tree.Ensemble {
	t.Helper()
	ctx := context.Background()
	all, err := data.Load(ctx, histogram.BinParams{MaxBin: 63, MinDataInBin: 1, SampleCount: 10000,
		Missing: histogram.MissingNaN}, data.LoadOptions{QueryContext: kinds}, data.Input{Source: src})
	require.NoError(t, err)
	p := booster.DefaultParams()
	p.NumIterations, p.NumLeaves, p.MinDataInLeaf, p.QueryContext = 20, 8, 5, kinds
	result, err := booster.Train(ctx, p, booster.Data{Meta: all.Training.Meta, Values: all.Training.Bins}, nil,
		booster.Options{})
	require.NoError(t, err)
	return result.Model
}

func loaded(t *testing.T, change func(o *Options), kinds ...string) *Data {
	t.Helper()
	src := made(t, 60)
	o := DefaultOptions()
	o.Queries, o.Repeats, o.Workers = 40, 2, 2
	if change != nil {
		change(&o)
	}
	d, err := Load(context.Background(), src, model(t, src, kinds...), o)
	require.NoError(t, err)
	return d
}

// TestManyFeatures: the work depends on the features that the model uses, not on those of the data.
func TestManyFeatures(t *testing.T) {
	few := loaded(t, nil)
	src := made(t, 60)
	m := *model(t, src)
	m.Features = slices.Clone(m.Features)
	for f := len(m.Features); f < 1<<20; f++ {
		m.Features = append(m.Features, tree.Feature{Name: fmt.Sprint("Column_", f)})
	}
	d, err := Load(t.Context(), src, &m, few.options)
	require.NoError(t, err)
	assert.Len(t, d.Rows, len(few.Rows))
	want, err := few.importance(t.Context(), 0.95)
	require.NoError(t, err)
	got, err := d.importance(t.Context(), 0.95)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestMemoryIsCheckedFirst: the copies of the values that workers permute count.
func TestMemoryIsCheckedFirst(t *testing.T) {
	d := loaded(t, nil)
	most := 8 * len(d.Rows) * 6 // too little for values, contributions and four copies
	t.Setenv("GOMEMLIMIT", strconv.Itoa(most))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(most)))
	require.NoError(t, d.checkMemory(0))
	d.options.Workers = 4
	assert.ErrorIs(t, d.checkMemory(0), limits.ErrMemory)
	d.options.Query = "1"
	assert.ErrorIs(t, d.checkMemory(0), limits.ErrMemory, "the shares of each document count")
	d.options.Documents = []string{"1", "2"}
	assert.NoError(t, d.checkMemory(0))
}

// TestOnlySomeDocuments: two documents are compared without the contributions of the others.
func TestOnlySomeDocuments(t *testing.T) {
	for _, kinds := range [][]string{nil, {"rank"}} {
		whole := loaded(t, nil, kinds...)
		q := whole.Meta.Queries[0]
		a, b := whole.name(q.First), whole.name(q.First+1)
		want, err := whole.Pair(0, a, b)
		require.NoError(t, err)
		some := loaded(t, func(o *Options) { o.Query, o.Documents = q.ID, []string{a, b} }, kinds...)
		got, err := some.Pair(0, a, b)
		require.NoError(t, err)
		wantText, err := json.Marshal(want)
		require.NoError(t, err)
		gotText, err := json.Marshal(got)
		require.NoError(t, err)
		assert.JSONEq(t, string(wantText), string(gotText))
		assert.False(t, some.explained(2, q.Len))
	}
}

// TestSharesSum: for both kinds of contributions, the shares of a document sum to its score minus the mean
// score, and the shares of a pair to the difference of the two scores.
func TestSharesSum(t *testing.T) {
	for _, background := range []int{0, 30} {
		d := loaded(t, func(o *Options) { o.Background = background })
		for n := range d.Meta.Queries {
			q := ordered(t, d, n)
			for i, document := range q.Documents {
				sum := 0.0
				for _, s := range document.Shares {
					sum += float64(s.Share)
				}
				assert.InDelta(t, document.Score-q.Mean, sum, 1e-12)
				if i > 0 {
					assert.LessOrEqual(t, document.Score, q.Documents[i-1].Score)
				}
			}
			p, err := d.Pair(n, q.Documents[0].ID, q.Documents[len(q.Documents)-1].ID)
			require.NoError(t, err)
			sum := 0.0
			for _, s := range p.Shares {
				sum += float64(s.Share)
			}
			assert.InDelta(t, p.Difference, sum, 1e-12)
		}
	}
}

// ordered explains a query.
func ordered(t *testing.T, d *Data, n int) *Query {
	t.Helper()
	q, err := d.Query(n)
	require.NoError(t, err)
	return q
}

// TestLossIsThatOfTheMetric: under every convention, the losses by pair and by feature each sum to 1 - nDCG,
// for every cut-off, also if many documents have equal scores.
func TestLossIsThatOfTheMetric(t *testing.T) { checkLosses(t) }

// TestLossOfManyPairs: the same if only some pairs are looked at.
func TestLossOfManyPairs(t *testing.T) {
	set(t, &mostExchanges, 5)
	checkLosses(t)
}

func checkLosses(t *testing.T) {
	d := loaded(t, nil)
	for i := range d.Scores {
		d.Scores[i] = math.Round(d.Scores[i] * 4)
	}
	for _, c := range metric.Presets() {
		for _, cutoff := range []int{0, 1, 3, 10} {
			d.options.Convention, d.options.Cutoff = c, cutoff
			results, err := metric.Evaluate([]metric.Metric{metric.NDCG(c, cutoff)}, d.Meta, d.Scores, 1)
			require.NoError(t, err)
			total := 0.0
			for n, want := range results[0].PerQuery {
				q := ordered(t, d, n)
				loss := q.Loss
				if math.IsNaN(want) {
					assert.True(t, math.IsNaN(float64(q.Value)))
					assert.Zero(t, loss.Total)
					continue
				}
				assert.InDelta(t, want, float64(q.Value), 1e-12)
				assert.InDelta(t, 1-want, loss.Total, 1e-12, "%s@%d", c.Name, cutoff)
				total += loss.Total
				if len(loss.Pairs) == 0 {
					continue
				}
				pairs, shares := loss.Tied+loss.Unsplit, loss.Ties+loss.Unsplit
				for _, p := range loss.Pairs {
					assert.Positive(t, p.Cost)
					pairs += p.Cost
				}
				for _, f := range loss.Features {
					shares += f.Cost
				}
				assert.InDelta(t, loss.Total, pairs, 1e-12)
				assert.InDelta(t, loss.Total, shares, 1e-12)
			}
			losses, err := d.losses(t.Context())
			require.NoError(t, err)
			assert.InDelta(t, 1-results[0].Mean, losses.Total, 1e-12)
			assert.InDelta(t, total/float64(losses.Queries), losses.Total, 1e-12)
		}
	}
}

// TestOrderOfRowsDoesNotMatter: if ties are averaged, the order of the rows changes no part of a loss.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	d := loaded(t, nil)
	for i := range d.Scores {
		d.Scores[i] = math.Round(d.Scores[i] * 2)
	}
	found := 0
	for _, q := range d.Meta.Queries {
		documents := d.ranked(q)
		turned := slices.Clone(documents)
		slices.Reverse(turned)
		slices.SortStableFunc(turned, func(a, b Document) int { return cmp.Compare(b.Score, a.Score) })
		there, back := d.loss(documents, 0), d.loss(turned, 0)
		if there.Tied > 0 {
			found++
		}
		assert.InDelta(t, there.Total, back.Total, 1e-12)
		assert.InDelta(t, there.Ties, back.Ties, 1e-12)
		cost := map[Lost]float64{}
		for _, p := range there.Pairs {
			cost[Lost{Above: p.Above, Below: p.Below}] = p.Cost
		}
		require.Len(t, back.Pairs, len(there.Pairs))
		for _, p := range back.Pairs {
			assert.InDelta(t, cost[Lost{Above: p.Above, Below: p.Below}], p.Cost, 1e-12)
		}
		require.Len(t, back.Features, len(there.Features))
		for _, b := range back.Features {
			i := slices.IndexFunc(there.Features, func(f Blame) bool { return f.Feature == b.Feature })
			assert.InDelta(t, there.Features[i].Cost, b.Cost, 1e-12)
		}
	}
	assert.Greater(t, found, 10)
}

// TestTheModelsParametersJudge: without a convention, nDCG has the gains and the convention of the model's
// parameters, and a grade without a gain is named.
func TestTheModelsParametersJudge(t *testing.T) {
	src := made(t, 10)
	m := model(t, src)
	m.Parameters = "[label_gain: 0,1,1,1]\n[lambdamart: made_by=train; metric_convention=lightgbm]\n"
	d, err := Load(context.Background(), src, m, DefaultOptions())
	require.NoError(t, err)
	assert.Equal(t, "lightgbm with gain 0,1,1,1", d.options.Convention.Name)
	_, err = d.losses(t.Context())
	require.ErrorIs(t, err, ErrGrade)
	assert.ErrorContains(t, err, "label 4 of row ")
	assert.ErrorContains(t, err, ": the grade has no gain by the convention lightgbm with "+
		"gain 0,1,1,1: label_gain ends at label 3")
}

// TestWeightedImportance: the importance of a feature is the weighted mean over
// queries, and lies in its interval.
func TestWeightedImportance(t *testing.T) {
	d := loaded(t, nil)
	var weights []float64
	for n, q := range d.Meta.Queries {
		weights = append(weights, []float64{20, 1, 0.1}[n%3])
		for range q.Len {
			d.Meta.Weights = append(d.Meta.Weights, weights[n])
		}
	}
	measured, _, err := d.Measure(t.Context())
	require.NoError(t, err)
	list, err := d.importance(t.Context(), 0.95)
	require.NoError(t, err)
	for _, m := range measured {
		sum, total := 0.0, 0.0
		for q, drop := range m.Drops {
			sum, total = sum+weights[q]*drop, total+weights[q]
		}
		i := slices.IndexFunc(list, func(i Importance) bool {
			return i.Feature == d.Model.Features[m.Feature].Name
		})
		assert.InDelta(t, sum/total, float64(list[i].Drop), 1e-12)
		assert.True(t, list[i].Low <= list[i].Drop && list[i].Drop <= list[i].High)
	}
}

// TestUnknownNames: the error for an unknown id suggests the most similar one.
func TestUnknownNames(t *testing.T) {
	src := made(t, 60)
	m := model(t, src)
	o := DefaultOptions()
	o.Query = "q599"
	_, err := Load(context.Background(), src, m, o)
	assert.ErrorIs(t, err, ErrUnknown)
	assert.EqualError(t, err, `there is no query "q599"; the nearest is "q59"`)
	o.Query = "q59"
	d, err := Load(context.Background(), src, m, o)
	require.NoError(t, err)
	_, err = d.Pair(0, "d59-0", "d59_1")
	assert.ErrorIs(t, err, ErrUnknown)
	assert.ErrorContains(t, err, `; the nearest is "d59-1"`)
	_, err = Load(context.Background(), src, m.Part(0, 1).Part(1, 0), o)
	assert.ErrorIs(t, err, ErrNoTrees)
}

// TestPagesEscape: names of documents and queries are escaped on the page.
func TestPagesEscape(t *testing.T) {
	d := loaded(t, nil)
	d.Meta.Queries[0].ID, d.Meta.Docs[0] = `<b>&"q`, `<script>`
	q := ordered(t, d, 0)
	p, err := d.Pair(0, q.Documents[0].ID, q.Documents[1].ID)
	require.NoError(t, err)
	for _, r := range []Report{{Query: q}, {Pair: p}} {
		var page, text strings.Builder
		require.NoError(t, r.WriteHTML(&page, "test"))
		require.NoError(t, r.WriteText(&text))
		assert.NotContains(t, page.String(), "<script>")
		assert.NotContains(t, page.String(), `<b>&"q`)
		assert.NotContains(t, page.String(), "NaN")
		assert.Contains(t, text.String(), `<b>&"q`)
	}
}

// TestCanceledRunsEnd: a canceled run does not go on to the last permutation, nor
// to any other part of a report.
func TestCanceledRunsEnd(t *testing.T) {
	d := loaded(t, func(o *Options) { o.Repeats = 1 << 40 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := d.Measure(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = d.losses(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = d.dependences(ctx, []string{"f0"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = d.interactions(ctx, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = d.surface(ctx, "f0", "f1")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestCategoriesHaveTheirTexts: where a value stands for a text, explanations show the text.
func TestCategoriesHaveTheirTexts(t *testing.T) {
	src := made(t, 60)
	m := model(t, src)
	m.Dictionaries = map[int][]string{0: {"shoes", "bags", "hats"}}
	d, err := Load(context.Background(), src, m, DefaultOptions())
	require.NoError(t, err)
	n := slices.IndexFunc(d.Meta.Queries, func(q dataset.Query) bool { return int(d.row(q.First)[0]) == 1 })
	require.GreaterOrEqual(t, n, 0)
	q, err := d.Query(n)
	require.NoError(t, err)
	first := d.Meta.Docs[d.Meta.Queries[n].First]
	i := slices.IndexFunc(q.Documents, func(o Document) bool { return o.ID == first })
	assert.Contains(t, listed(q.Documents[i].Shares), "f0 (bags)")
	p, err := d.Pair(n, first, d.Meta.Docs[d.Meta.Queries[n].First+1])
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, (&Report{Pair: p}).WriteText(&text))
	assert.Regexp(t, `f0 +[-+.0-9]+ +bags `, text.String())
	assert.Empty(t, d.category(0, 3)+d.category(0, math.NaN())+d.category(1, 1))
}

// TestAxisOfDependences: one value that is far from the others does not squeeze them; the axis then has the
// quantiles at equal distances, and its ends keep their values.
func TestAxisOfDependences(t *testing.T) {
	for _, c := range []struct {
		x    []metric.Value
		want bool
	}{
		{[]metric.Value{0, 1, 2, 3, 4}, false},
		{[]metric.Value{0, 1, 2, 3, 1e6}, true},
		{[]metric.Value{-1e6, 1, 2, 3, 4}, true},
		{[]metric.Value{0, 1}, false},
		{[]metric.Value{0, 1, 1e6}, false},
	} {
		assert.Equal(t, c.want, farOut(c.x), c.x)
		r := Report{Dependences: []Dependence{{Feature: "f", X: c.x, Score: make([]metric.Value, len(c.x))}}}
		text := r.dependence().Section.Figures[0].Chart.(*plot.Curves).Draw()
		assert.Equal(t, c.want, strings.Contains(text, "quantile of value"), c.x)
	}
	shares := make([]float64, 6)
	far, near := []float64{3, 1e9, 1, math.NaN(), 2, 1}, []float64{3, 4, 1, math.NaN(), 2, 1}
	panel := dotsOf(far, ranksOf(far), shares)
	assert.Equal(t, []plot.Point{{X: .6}, {X: .8}, {}, {X: .4}, {}}, panel.Points, "dots of contributions too")
	assert.Equal(t, [2]float64{1, 1e9}, panel.Ends)
	panel = dotsOf(near, ranksOf(near), shares)
	assert.Equal(t, []plot.Point{{X: 3}, {X: 4}, {X: 1}, {X: 2}, {X: 1}}, panel.Points)
	assert.Empty(t, panel.XLabel)
}

// TestRoundedScores: the best scores of all members of an ensemble have four decimals on pages.
func TestRoundedScores(t *testing.T) {
	r := ModelReport{Settings: []param.Setting{{Name: "best_score", Value: "0.9380583768558104,0.5,"}}}
	assert.Equal(t, "0.9381,0.5000,", r.facts().Tables[0].Rows[0][1])
}

// TestPageOfOneQuery: one query has no interval, and features of one value have no line.
func TestPageOfOneQuery(t *testing.T) {
	unknown := metric.Value(math.NaN())
	r := Report{Metric: "ndcg@10", Losses: &Losses{Queries: 1, Total: .5},
		Importance:  []Importance{{Feature: "f", Drop: .1, Low: unknown, High: unknown}},
		Dependences: []Dependence{{Feature: "f", X: []metric.Value{2}, Score: []metric.Value{0}}}}
	var page, text strings.Builder
	require.NoError(t, r.WriteHTML(&page, "test"))
	require.NoError(t, r.WriteText(&text))
	for _, said := range []string{page.String(), text.String()} {
		assert.Contains(t, said, "1 query loses 0.5000 of ndcg@10 on average.")
		assert.NotContains(t, said, "NaN")
	}
	assert.NotContains(t, page.String(), "dependences")
}

// TestPageOfAnEnsembleNamesNoIteration: the iterations of its models add up to more than any curve has.
func TestPageOfAnEnsembleNamesNoIteration(t *testing.T) {
	for model, want := range []bool{true, false} {
		r := ModelReport{Model: &tree.Ensemble{}, Kept: 538, Rounds: []training.Round{{Number: 300, Model: model}}}
		assert.Equal(t, want, strings.Contains(r.curves().Text, "iteration 538"))
	}
}

// TestValuesAtThresholds: thresholds lie some units of the last digit beside the middle of two values.
func TestValuesAtThresholds(t *testing.T) {
	for v, want := range map[float64]string{
		77.50000000000003: "just above 77.5", 77.49999999999999: "just below 77.5", 77.5: "77.5", 0: "0",
		math.NaN(): "missing", -2.0000000000000004: "just below -2",
	} {
		assert.Equal(t, want, beyond(1, v))
	}
	const v, w = 2.3282565000000006, -0.1234565
	assert.Equal(t, []string{"2.32826", "2.32825", "-0.123456", "-0.123457"},
		[]string{beyond(1, v), beyond(3, v), beyond(-1, w), beyond(1, w)})
}

// TestUnknownCategoriesAreSaid: data with only categories that the model does not know is warned about.
func TestUnknownCategoriesAreSaid(t *testing.T) {
	for set, want := range map[uint32]int{1 << 31: 1, 1: 0} {
		brand := tree.Tree{Feature: []int32{0}, Threshold: []float64{0},
			Decision: []tree.Decision{tree.Categorical}, Left: []int32{^int32(0)}, Right: []int32{^int32(1)},
			LeafValue: []float64{-1, 1}, LeafCount: []int64{1, 1},
			CategoryStart: []int32{0, 1}, Categories: []uint32{set}, InternalCount: []int64{2}, Gain: []float64{1}}
		src := made(t, 60)
		m := model(t, src)
		m.Trees = []tree.Tree{brand}
		d, err := Load(t.Context(), src, m, DefaultOptions())
		require.NoError(t, err)
		require.Len(t, d.Warnings, want)
		if want > 0 {
			assert.Contains(t, d.Warnings[0], "column f0: the model knows none of its categories")
		}
	}
}
