package evaluate

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/test/aid"
)

func TestJoin(t *testing.T) {
	judged := map[string]float64{"a": 2, "b": 1, "z": -1}
	l, unjudged := join("301", []string{"c", "a"}, []float64{2, 1}, judged)
	assert.Equal(t, metric.List{Query: "301", Docs: []string{"c", "a"}, Judged: []bool{false, true},
		Scores: []float64{2, 1},
		Labels: []float64{0, 2}, Unranked: []float64{1, -1}}, l)
	assert.Equal(t, 1, unjudged)

	trecEval := convention("trec_eval")
	e := metric.NewEvaluator([]metric.Metric{parsed("map", trecEval), metric.NDCG(trecEval, 0)}, 1, nil)
	defer e.Close()
	require.NoError(t, e.Add(l))
	assert.Equal(t, 0.25, e.Results()[0].Mean) // (1/2)/2
	second := 0.6309297535714575
	assert.InDelta(t, 2*second/(2+second), e.Results()[1].Mean, 1e-15)
}

// TestRankedDocuments: a document of a run whose score is NaN is judged as one that the run lacks.
func TestRankedDocuments(t *testing.T) {
	q := ranked(trec.Query{ID: "1", Docs: []string{"a", "b", "c"}, Scores: []float64{math.NaN(), 2, math.NaN()}})
	assert.Equal(t, trec.Query{ID: "1", Docs: []string{"b"}, Scores: []float64{2}}, q)
	of := func(text string) *Judgment {
		qrels, err := ReadQrels(strings.NewReader("1 0 a 2\n1 0 b 1\n1 0 c 0\n"), "qrels")
		require.NoError(t, err)
		return judged(t, FromRun("s", aid.File(t, "run", text), qrels),
			[]metric.Metric{metric.NDCG(convention("trec_eval"), 0)}, Options{})
	}
	const scored = "1 Q0 b 2 .5 t\n1 Q0 c 3 .7 t\n"
	with, without := of("# run\n1 Q0 a 1 nan t\n"+scored), of(scored)
	assert.Equal(t, without.Results[0].Mean, with.Results[0].Mean)
	assert.Equal(t, 1, with.Anomalies.NaNScores)
}
