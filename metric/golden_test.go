package metric

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goldens holds values computed by other tools. testdata/generate.py writes them; testdata/requirements.txt
// has the versions.
type goldens struct {
	Graded, Binary, Tied []goldenQuery
	Means                map[string]map[string]float64    // by tool, then metric
	Queries              map[string]map[string][]*float64 // by tool, then metric, then query
	Pools                []struct{ Judged, Run map[string]float64 }
	Pooled               map[string][]float64 // by metric, then query: trec_eval's values for Pools
}

type goldenQuery struct {
	Labels, Scores []float64
	Docs           []string
	Weight         float64
}

func readGoldens(t *testing.T) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// goldenData returns the queries as a data set. If weighted, all rows of a query have the same weight.
func goldenData(queries []goldenQuery, weighted bool) (*dataset.Meta, []float64) {
	data, scores := new(dataset.Meta), []float64(nil)
	for _, q := range queries {
		data.Queries = append(data.Queries, dataset.Query{First: len(scores), Len: len(q.Labels)})
		data.Labels = append(data.Labels, q.Labels...)
		data.Docs = append(data.Docs, q.Docs...)
		scores = append(scores, q.Scores...)
		for range q.Labels {
			if weighted {
				data.Weights = append(data.Weights, q.Weight)
			}
		}
	}
	return data, scores
}

// closeEnough is the largest difference that a different order of summation can explain.
const closeEnough = 1e-12

// comparison describes a tool that computes means under a convention.
type comparison struct {
	tool       string
	convention Convention
	names      map[string]string // the tool's names to ours if they differ; "": not compared
}

func comparedMeans() []comparison {
	reciprocal := preset("catboost")
	reciprocal.Name, reciprocal.Discount = "catboost by position", Reciprocal
	return []comparison{
		{"lightgbm averaged", Default(), nil},
		{"lightgbm", LightGBM(), nil},
		{"lightgbm weighted", LightGBM(), nil},
		{"lightgbm binary", LightGBM(), nil},
		{"xgboost", preset("xgboost"), nil},
		{"xgboost weighted", preset("xgboost"), nil},
		{"xgboost-", preset("xgboost-"), nil},
		{"xgboost- weighted", preset("xgboost-"), nil},
		{"xgboost binary", preset("xgboost"), nil},
		{"xgboost- binary", preset("xgboost-"), nil},
		{"catboost", preset("catboost"), map[string]string{"exp": "", "expdcg": "", "position": ""}},
		{"catboost", preset("catboost-exp"), map[string]string{"exp": "ndcg", "expdcg": "dcg", "ndcg": "",
			"position": "", "dcg": ""}},
		{"catboost", reciprocal, map[string]string{"position": "ndcg", "ndcg": "", "exp": "", "expdcg": "",
			"dcg": "", "mrr": "", "recall": ""}},
		{"catboost weighted", preset("catboost"), map[string]string{"exp": "", "expdcg": "", "position": "",
			"recall": ""}},
		{"catboost weighted", preset("catboost-exp"), map[string]string{"exp": "ndcg", "expdcg": "dcg", "ndcg": "",
			"position": "", "recall": "", "dcg": ""}},
	}
}

func TestMeansOfOtherTools(t *testing.T) {
	g := readGoldens(t)
	for _, c := range comparedMeans() {
		queries := g.Graded
		switch {
		case strings.Contains(c.tool, "binary"):
			queries = g.Binary
		case strings.Contains(c.tool, "averaged"):
			queries = g.Tied
		}
		data, scores := goldenData(queries, strings.Contains(c.tool, "weighted"))
		compared := 0
		for theirs, want := range g.Means[c.tool] {
			name, cutoff, _ := strings.Cut(theirs, "@")
			if other, ok := c.names[name]; ok {
				name = other
			}
			if name == "" {
				continue
			}
			m, err := Parse(name+"@"+cutoff, c.convention)
			require.NoError(t, err)
			results, err := Evaluate([]Metric{m}, data, scores, 1)
			require.NoError(t, err)
			assert.InDelta(t, want, results[0].Mean, closeEnough, "%s: %s", c.tool, theirs)
			compared++
		}
		assert.NotZero(t, compared, c.tool)
	}
}

func TestQueriesOfOtherTools(t *testing.T) {
	g := readGoldens(t)
	data, scores := goldenData(g.Graded, false)
	for _, c := range []Convention{SKLearn(), preset("trec_eval"), preset("gdeval"), preset("mslr"),
		preset("letor4"), preset("ranklib")} {
		require.NotEmpty(t, g.Queries[c.Name], c.Name)
		for spec, want := range g.Queries[c.Name] {
			m, err := Parse(spec, c)
			require.NoError(t, err)
			results, err := Evaluate([]Metric{m}, data, scores, 1)
			require.NoError(t, err)
			for number, value := range results[0].PerQuery {
				switch {
				case want[number] != nil:
					assert.InDelta(t, *want[number], value, closeEnough, "%s: %s of query %d", c.Name, spec, number)
				case c.Name == "gdeval":
					assert.True(t, math.IsNaN(value), "gdeval leaves query %d out", number)
				}
			}
		}
	}
}

// TestPoolsOfTRECEval: judged documents that are not ranked, ranked documents that are not judged, and
// negative judgments. trec_eval computed the expected values.
func TestPoolsOfTRECEval(t *testing.T) {
	g := readGoldens(t)
	for spec, want := range g.Pooled {
		m, err := Parse(spec, preset("trec_eval"))
		require.NoError(t, err)
		e := NewEvaluator([]Metric{m}, 1, nil)
		defer e.Close()
		for number, pool := range g.Pools {
			docs := slices.Sorted(maps.Keys(pool.Run))
			scores := make([]float64, len(docs))
			for i, doc := range docs {
				scores[i] = pool.Run[doc]
			}
			l := List{Query: strconv.Itoa(number), Docs: docs, Scores: scores}
			for _, doc := range docs {
				label, judged := pool.Judged[doc]
				l.Labels, l.Judged = append(l.Labels, label), append(l.Judged, judged)
			}
			for doc, label := range pool.Judged {
				if _, ranked := pool.Run[doc]; !ranked {
					l.Unranked = append(l.Unranked, label)
				}
			}
			require.NoError(t, e.Add(l))
		}
		assert.InDeltaSlice(t, want, e.Results()[0].PerQuery, closeEnough, spec)
	}
}
