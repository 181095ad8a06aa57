package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/training"
)

// shipped loads the training set for an objective. Grades become 0 and 1 if it refuses others.
func shipped(t *testing.T, p lambdamart.Params, name string) *data.Loaded {
	t.Helper()
	d, err := lambdamart.Load(t.Context(), p, trainFile)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	o, err := objective.New(name, &p.AllParams)
	require.NoError(t, err)
	if o.Prepare(d.Training.Meta) != nil {
		for row, label := range d.Training.Meta.Labels {
			d.Training.Meta.Labels[row] = min(1, label)
		}
	}
	return d
}

// trainedObjectives are the settings of all objectives, and of their variants.
func trainedObjectives() (all [][]string) {
	for _, name := range aid.Graded(objective.Names()) {
		all = append(all, []string{"objective=" + name})
	}
	return append(all,
		[]string{"objective=lambdarank", "lambdarank_target=map"},
		[]string{"objective=lambdarank", "lambdarank_target=mrr"},
		[]string{"objective=lambdarank", "lambdarank_target=err"},
		[]string{"objective=lambdarank", "lambdarank_target=precision@10"},
		[]string{"objective=lambdarank:1,query_rmse:0.2"},
		[]string{"objective=rank_xendcg:1,yetirank:2,regression:0.01"},
		[]string{"objective=yetirank", "yetirank_mode=dcg"},
		[]string{"objective=yetirank", "yetirank_mode=ndcg"},
		[]string{"objective=yetirank", "yetirank_mode=mrr"},
		[]string{"objective=yetirank", "yetirank_mode=map"},
		[]string{"objective=yetirank", "yetirank_mode=err"},
		[]string{"objective=lambdaloss", "lambdaloss_scheme=ndcg_loss1"},
		[]string{"objective=lambdaloss", "lambdaloss_scheme=ndcg_loss2"},
	)
}

// TestEveryObjectiveTrains: every objective ranks the documents that it learns
// from better than no model does.
func TestEveryObjectiveTrains(t *testing.T) {
	for _, settings := range trainedObjectives() {
		t.Run(strings.Join(settings, " "), func(t *testing.T) {
			p := lambdamart.DefaultParams()
			p.NumIterations, p.Metric, p.EvalAt, p.IsTrainingMetric = 20, []string{"ndcg"}, []int{10}, true
			p.NumLeaves = 15
			for _, setting := range settings {
				name, value, _ := strings.Cut(setting, "=")
				require.NoError(t, p.Set(name, value))
			}
			d := shipped(t, p, p.Objective)
			var values []float64
			_, err := lambdamart.Train(t.Context(), p, d, lambdamart.OnRound(func(r training.Round) {
				values = append(values, r.Evaluations[0].Result.Mean)
			}))
			require.NoError(t, err)
			first, last := values[0], values[len(values)-1]
			t.Logf("ndcg@10 %.4f after the first tree, %.4f after the last", first, last)
			assert.Greater(t, last, first+0.02)
			assert.Greater(t, last, 0.5)
		})
	}
}
