package booster

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// TestModelsSayHowTheyWereTrained: the section on training does not depend on the number of threads or on
// how values are stored. It depends on every value of the data.
func TestModelsSayHowTheyWereTrained(t *testing.T) {
	p := smallParams()
	p.Patience, p.StopMetric, p.NumThreads = 3, "ndcg@10", 1
	tables := []*table{withNaN(randomTable(3, 1500), 4, 0.1), randomTable(5, 400)}
	data := binned(t, &p, tables...)
	section := func(data []Data) string {
		r, err := Train(t.Context(), p, data[0], data[1:], Options{})
		require.NoError(t, err)
		return r.Model.Parameters
	}
	want := section(data)
	for _, p.NumThreads = range []int{2, 7} {
		assert.Equal(t, want, section(data))
	}
	assert.Equal(t, want, section(asSparse(t, data, someSparse["second"], tables...)))

	r, err := Train(t.Context(), p, data[0], data[1:], Options{})
	require.NoError(t, err)
	parameters, facts, err := provenance.Parse(want)
	require.NoError(t, err)
	again := DefaultParams()
	_, err = again.Table().Apply(parameters)
	require.NoError(t, err)
	again.NumThreads, again.EnableSparse, again.AllowConstant = p.NumThreads, p.EnableSparse, p.AllowConstant
	assert.Equal(t, p, again, "the parameters come back")
	assert.Equal(t, []param.Setting{
		{Name: provenance.MadeBy, Value: provenance.Train}, {Name: provenance.Version, Value: provenance.Release},
		{Name: provenance.Rows, Value: "1500"}}, facts[:3])
	assert.Equal(t, strconv.Itoa(r.Best), provenance.Value(facts, provenance.BestIteration))
	assert.Equal(t, "ndcg@10", provenance.Value(facts, provenance.BestMetric))

	tables[0].meta.Labels[7]++
	assert.NotEqual(t, want, section(data), "a label")
	tables[0].meta.Labels[7]--
	tables[1].values[9][0] += 100
	assert.NotEqual(t, want, section(binned(t, &p, tables...)), "a value of the validation data")
}

func TestSectionsOfOtherRuns(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(3, 500))
	p.Metric, p.MetricConvention, p.LabelGain = nil, "sklearn", metric.Linear()
	obj, err := p.newObjective()
	require.NoError(t, err)
	p.NumIterations = 7
	before, err := Train(t.Context(), p, data[0], nil, Options{})
	require.NoError(t, err)
	r, err := Train(t.Context(), p, data[0], nil, Options{Objective: obj, Before: before.Model})
	require.NoError(t, err)
	assert.Len(t, r.Model.Trees, 14)
	parameters, facts, err := provenance.Parse(r.Model.Parameters)
	require.NoError(t, err)
	assert.NotEqual(t, provenance.Train, provenance.Value(facts, provenance.MadeBy))
	assert.Equal(t, "7", provenance.Value(facts, provenance.TreesBefore))
	assert.Empty(t, provenance.Value(parameters, "objective"), "it is the caller's own")
	assert.Equal(t, training.Judging{MetricConvention: "sklearn", LabelGain: p.LabelGain},
		training.JudgingOf(parameters))
	for _, row := range rounds.Table(&p.Params, rounds.Words{Rounds: "rounds"}).In(rounds.GroupStopping) {
		assert.Empty(t, provenance.Value(parameters, row.Name), "nothing was watched")
	}
}
