package rounds_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

var words = rounds.Words{Rounds: "rounds", Draws: "cards", Best: "is the best one", KeepsRounds: true}

// TestEveryFieldIsInTheTable: each can be set on the command line.
func TestEveryFieldIsInTheTable(t *testing.T) {
	p := training.DefaultParams()
	for name, value := range map[string]string{
		"seed": "7", "num_threads": "3", "metric": "map", "eval_at": "9", "metric_convention": "mslr",
		"metric_freq":                "2",
		"is_provide_training_metric": "true", "patience": "4", "stop_metric": "map@9", "stop_set": "b",
		"min_delta": "0.5", "first_metric_only": "false", "constraint": "map>=0.4", "constraint_set": "b",
	} {
		_, err := rounds.Table(&p, words).Apply([]param.Setting{{Name: name, Value: value}})
		require.NoError(t, err)
	}
	v, before := reflect.ValueOf(p), reflect.ValueOf(training.DefaultParams())
	for i := range v.NumField() {
		assert.NotEqual(t, before.Field(i).Interface(), v.Field(i).Interface(), v.Type().Field(i).Name)
	}
}

// TestEveryParameterIsInAGroup: learners arrange the groups one by one.
func TestEveryParameterIsInAGroup(t *testing.T) {
	table := rounds.Table(new(training.Params), words)
	n := 0
	for _, group := range []string{rounds.GroupTraining, rounds.GroupEvaluation, rounds.GroupStopping} {
		n += len(table.In(group))
	}
	assert.Len(t, table, n)
	assert.Contains(t, table.Find("seed").Help, "cards")
	assert.Equal(t, "Rounds between evaluations. Early stopping evaluates each, and this is how often it "+
		"prints them.", table.Find("metric_freq").Help)
	assert.Contains(t, table.Find("patience").Help, "for this many rounds; the model is the best one. ")
}

// namesOf returns the names of the metrics of p, or its error.
func namesOf(p training.Params, own ...metric.Metric) string {
	metrics, err := rounds.Metrics(&p, metric.Exp2(), own...)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, m := range metrics {
		all = append(all, m.Name())
	}
	return strings.Join(all, " ")
}

// TestCutoffs: the cutoff 0 means all ranks. If eval_at is not given, metrics of the top ranks use cutoffs 1
// to 5, and all others use all ranks.
func TestCutoffs(t *testing.T) {
	const most = "p,mean_average_precision,mrr,err,rbp,dcg@2,auc"
	for _, c := range []struct{ metrics, given, want, stop string }{
		{most, "", "p@1 p@2 p@3 p@4 p@5 map mrr err rbp:0.8 dcg@2 auc", "map"},
		{most, "5", "p@5 map@5 mrr@5 err@5 rbp:0.8@5 dcg@2 auc", "map@5"},
		{most, "2,0", "p@2 p map@2 map mrr@2 mrr err@2 err rbp:0.8@2 rbp:0.8 dcg@2 auc", "map"},
		{"ndcg,map,mrr,meanndcg", "3,0", "ndcg@3 ndcg map@3 map mrr@3 mrr meanndcg", "map"},
	} {
		p := training.DefaultParams()
		_, err := rounds.Table(&p, words).Apply([]param.Setting{{Name: "eval_at", Value: c.given},
			{Name: "metric", Value: c.metrics}})
		require.NoError(t, err)
		assert.Equal(t, c.want, namesOf(p))
		p.Metric = []string{"map"}
		assert.Equal(t, c.stop, rounds.StopRule(&p))
	}
	p := training.DefaultParams()
	_, err := rounds.Table(&p, words).Apply([]param.Setting{{Name: "eval_at", Value: "-1"}})
	assert.Error(t, err)
}

// TestOwnMetrics: custom metrics come last, the stop metric may be one of them, and
// no two metrics share a name.
func TestOwnMetrics(t *testing.T) {
	p := training.DefaultParams()
	p.EvalAt = []int{3}
	assert.Equal(t, "ndcg@3 top", namesOf(p, topScore{"top"}))
	p.StopMetric = "top"
	assert.Equal(t, "ndcg@3 top", namesOf(p, topScore{"top"}))
	assert.Contains(t, namesOf(p), `no metric "top"`)
	p.StopMetric = "MAP@5"
	assert.Equal(t, "ndcg@3 map@5 top", namesOf(p, topScore{"top"}))
	assert.Equal(t, "ndcg@3 MAP@5", namesOf(p, topScore{"MAP@5"}),
		"the caller's metric of just that name is meant")
	assert.Contains(t, namesOf(p, topScore{"ndcg@3"}), `has the name "ndcg@3", which another metric has too`)
	assert.Contains(t, namesOf(p, topScore{"top"}, topScore{"top"}), `has the name "top"`)
	assert.Contains(t, namesOf(p, topScore{}), "has no name")
	assert.Contains(t, namesOf(p, nil), "is nil")
}

// TestCheckKnowsOwnMetrics: a stop metric that only the caller defines is not an error.
func TestCheckKnowsOwnMetrics(t *testing.T) {
	p := training.DefaultParams()
	p.StopMetric = "top"
	assert.ErrorContains(t, rounds.Check(&p, rounds.Table(&p, words), metric.Exp2()), `no metric "top"`)
	assert.NoError(t, rounds.Check(&p, rounds.Table(&p, words), metric.Exp2(), topScore{"top"}))
	p.MetricConvention, p.MetricFreq = "trec", 0
	err := rounds.Check(&p, rounds.Table(&p, words), metric.Exp2(), topScore{"top"})
	assert.ErrorContains(t, err, "metric_convention=trec: must be one of default, lightgbm")
	assert.ErrorContains(t, err, "metric_freq=0")
}

func TestCutoffCaution(t *testing.T) {
	p := training.DefaultParams()
	p.StopMetric = "ndcg@50"
	assert.Empty(t, rounds.CutoffCaution(&p, "k", 30), "training does not stop early")
	p.Patience = 1
	assert.Empty(t, rounds.CutoffCaution(&p, "k", 50))
	assert.Equal(t, "training stops by ndcg@50, but k=30: ranks below that are not "+
		"trained", rounds.CutoffCaution(&p, "k", 30))
	p.StopMetric = "map"
	assert.Empty(t, rounds.CutoffCaution(&p, "k", 30))
}
