package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/test/aid"
)

var nan = math.NaN()

// threeMetrics returns two metrics that average over ties and one that breaks ties by document id.
func threeMetrics() []metric.Metric {
	averaged := convention("xgboost-")
	averaged.Ties = metric.Averaged
	return []metric.Metric{metric.NDCG(metric.Default(), 5), parsed("map", averaged),
		metric.NDCG(convention("trec_eval"), 3)}
}

// sample returns rows ordered by query. The scores equal feature 1, and some are tied.
func sample(queries int) Rows {
	rng := rand.New(rand.NewPCG(1, 1))
	var r Rows
	for q := range queries {
		for range 1 + rng.IntN(12) {
			r.Query = append(r.Query, fmt.Sprint("q", q))
			r.Docs = append(r.Docs, fmt.Sprint("d", len(r.Docs)))
			r.Labels = append(r.Labels, float64(rng.IntN(3)))
			r.Scores = append(r.Scores, float64(rng.IntN(6)))
		}
	}
	return r
}

// meta returns the rows, which must be ordered by query, as metadata of a data set.
func (r *Rows) meta() *dataset.Meta {
	m := &dataset.Meta{Labels: r.Labels, Docs: r.Docs}
	for row, id := range r.Query {
		if n := len(m.Queries); n > 0 && m.Queries[n-1].ID == id {
			m.Queries[n-1].Len++
		} else {
			m.Queries = append(m.Queries, dataset.Query{ID: id, First: row, Len: 1})
		}
	}
	return m
}

// shuffled returns the rows in random order.
func (r *Rows) shuffled() Rows {
	var s Rows
	for _, row := range rand.New(rand.NewPCG(2, 2)).Perm(len(r.Query)) {
		s.Query, s.Docs = append(s.Query, r.Query[row]), append(s.Docs, r.Docs[row])
		s.Labels, s.Scores = append(s.Labels, r.Labels[row]), append(s.Scores, r.Scores[row])
	}
	return s
}

// lines formats each row as a line.
func (r *Rows) lines(format func(row int) string) string {
	var b strings.Builder
	for row := range r.Query {
		b.WriteString(format(row) + "\n")
	}
	return b.String()
}

func (r *Rows) letor() string {
	return r.lines(func(row int) string {
		return fmt.Sprintf("%v qid:%s 1:%v # %s", r.Labels[row], r.Query[row], r.Scores[row], r.Docs[row])
	})
}

func (r *Rows) scoreLines() string {
	return r.lines(func(row int) string { return fmt.Sprint(r.Scores[row]) })
}

func (r *Rows) table() string {
	return "query,target,score\n" +
		r.lines(func(row int) string { return fmt.Sprintf("%s,%v,%v", r.Query[row], r.Labels[row], r.Scores[row]) })
}

func (r *Rows) run() string {
	return r.lines(func(row int) string {
		return fmt.Sprintf("%s Q0 %s 1 %v t", r.Query[row], r.Docs[row], r.Scores[row])
	})
}

func (r *Rows) qrels(t *testing.T) *Qrels {
	text := r.lines(func(row int) string {
		return fmt.Sprintf("%s 0 %s %v", r.Query[row], r.Docs[row], r.Labels[row])
	})
	qrels, err := ReadQrels(strings.NewReader(text), "qrels")
	require.NoError(t, err)
	return qrels
}

func openLETOR(t *testing.T, text string) dataset.File {
	t.Helper()
	f, err := data.Open(aid.File(t, "data.txt", text), data.Options{Docs: true, Workers: 2})
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func openTable(t *testing.T, text string) *data.ScoreTable {
	t.Helper()
	f, err := data.OpenScores(aid.File(t, "t.csv", text), data.ScoreOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// firstFeature is a model whose score is feature 1.
type firstFeature struct{}

func (firstFeature) NumFeatures() int       { return 2 }
func (firstFeature) FeatureNames() []string { return wording.ColumnNames(2) }
func (firstFeature) UsedFeatures() []int    { return []int{1} }

func (firstFeature) Score(dst, rows []float64) error {
	for i := range dst {
		dst[i] = rows[2*i+1]
	}
	return nil
}

func judged(t *testing.T, r Ranking, metrics []metric.Metric, o Options) *Judgment {
	t.Helper()
	j, err := Judge(context.Background(), r, metrics, o)
	require.NoError(t, err)
	return j
}

// byQuery returns the results of each query, sorted.
func byQuery(j *Judgment) []string {
	var all []string
	for q, id := range j.Queries {
		line := fmt.Sprint(id, " ", j.Documents[q])
		for i := range j.Results {
			line += fmt.Sprint(" ", j.Results[i].PerQuery[q])
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// convention returns the preset with the given name.
func convention(name string) metric.Convention {
	c, err := metric.ConventionByName(name, metric.Exp2())
	if err != nil {
		panic(err)
	}
	return c
}

// gdevalAveraged is the preset gdeval with ties averaged, because the documents have no ids.
func gdevalAveraged() metric.Convention {
	c := convention("gdeval")
	c.Ties = metric.Averaged
	return c
}

func parsed(spec string, c metric.Convention) metric.Metric {
	m, err := metric.Parse(spec, c)
	if err != nil {
		panic(err)
	}
	return m
}

// TestEveryRankingIsJudgedAlike compares with metric.Evaluate, which has all rows in memory.
func TestEveryRankingIsJudgedAlike(t *testing.T) {
	rows := sample(60)
	shuffled := rows.shuffled()
	meta := rows.meta()
	want, err := metric.Evaluate(threeMetrics(), meta, rows.Scores, 1)
	require.NoError(t, err)
	dense, err := dataset.NewDense(*meta, interleaved(rows.Scores))
	require.NoError(t, err)
	byDocument, averaged := threeMetrics(), threeMetrics()[:2]
	for name, c := range map[string]struct {
		ranking Ranking
		metrics []metric.Metric
		sorted  bool
	}{
		"rows":              {FromRows("s", rows), byDocument, false},
		"rows in any order": {FromRows("s", shuffled), byDocument, true},
		"scores":            {FromScores("s", meta, rows.Scores), byDocument, false},
		"model of LETOR":    {FromModel("s", openLETOR(t, rows.letor()), firstFeature{}), byDocument, false},
		"model of LETOR, shuffled": {FromModel("s", openLETOR(t, shuffled.letor()), firstFeature{}), byDocument,
			true},
		"model of a matrix": {FromModel("s", dense, firstFeature{}), byDocument, false},
		"score file": {FromScoreFile("s", openLETOR(t, rows.letor()),
			aid.File(t, "s", rows.scoreLines())), byDocument, false},
		"score file, shuffled": {FromScoreFile("s", openLETOR(t, shuffled.letor()),
			aid.File(t, "s", shuffled.scoreLines())), byDocument, true},
		"score file of a matrix": {FromScoreFile("s", dense, aid.File(t, "s", rows.scoreLines())), byDocument,
			false},
		"table":           {FromTable("s", openTable(t, rows.table())), averaged, false},
		"table, shuffled": {FromTable("s", openTable(t, shuffled.table())), averaged, true},
		"run":             {FromRun("s", aid.File(t, "run", rows.run()), rows.qrels(t)), byDocument, false},
		"run, shuffled":   {FromRun("s", aid.File(t, "run", shuffled.run()), rows.qrels(t)), byDocument, true},
	} {
		for range 2 { // judging twice gives the same
			j := judged(t, c.ranking, c.metrics, Options{Workers: 3})
			assert.Equal(t, "s", j.System, name)
			assert.Equal(t, len(rows.Query), j.Anomalies.Documents, name)
			assert.Equal(t, c.sorted, j.Anomalies.Sorted, name)
			warnings, _ := j.Anomalies.Remarks()
			assert.Empty(t, warnings, name)
			assert.Equal(t, byQuery(&Judgment{Queries: idsOf(meta), Documents: lengthsOf(meta),
				Results: want[:len(c.metrics)]}), byQuery(j), name)
			if !c.sorted {
				for i := range c.metrics {
					assert.Equal(t, want[i], j.Results[i], name)
				}
			}
		}
	}
}

// TestQueriesOfSeveralBlocks: queries with so many documents that each spans several blocks of the file.
func TestQueriesOfSeveralBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var rows Rows
	for row := range 60_000 {
		rows.Query, rows.Docs = append(rows.Query, fmt.Sprint("q", row/20_000)),
			append(rows.Docs, fmt.Sprint("d", row))
		rows.Labels, rows.Scores = append(rows.Labels, float64(rng.IntN(3))),
			append(rows.Scores, float64(rng.IntN(3000)))
	}
	want := judged(t, FromScores("s", rows.meta(), rows.Scores), threeMetrics(), Options{})
	for _, r := range []Ranking{
		FromModel("s", openLETOR(t, rows.letor()), firstFeature{}),
		FromScoreFile("s", openLETOR(t, rows.letor()), aid.File(t, "s", rows.scoreLines())),
	} {
		assert.Equal(t, want.Results, judged(t, r, threeMetrics(), Options{}).Results)
	}
}

// interleaved returns a matrix of two features. The second one is given, the first is 0.
func interleaved(values []float64) []float64 {
	var matrix []float64
	for _, v := range values {
		matrix = append(matrix, 0, v)
	}
	return matrix
}

func idsOf(m *dataset.Meta) (ids []string) {
	for _, q := range m.Queries {
		ids = append(ids, q.ID)
	}
	return ids
}

func lengthsOf(m *dataset.Meta) (lengths []int) {
	for _, q := range m.Queries {
		lengths = append(lengths, q.Len)
	}
	return lengths
}

// TestMissingScoresAndGrades: query a has the grades 1, NaN and 2, and the document of grade 2 has no
// score: nDCG@2 is 1/(3 + 1/log2(3)).
func TestMissingScoresAndGrades(t *testing.T) {
	ndcg := []metric.Metric{metric.NDCG(metric.Default(), 2), parsed("recall@2", metric.Default())}
	rows := Rows{Query: []string{"a", "a", "a", "b"}, Labels: []float64{1, nan, 2, 1},
		Scores: []float64{2, 1, nan, 1}}
	want := []float64{1 / (3 + 1/math.Log2(3)), 1}
	j := judged(t, FromRows("s", rows), ndcg, Options{})
	assert.InDeltaSlice(t, want, j.Results[0].PerQuery, 1e-15)
	assert.Equal(t, []float64{0.5, 1}, j.Results[1].PerQuery)
	assert.Equal(t, []int{3, 1}, j.Documents)
	assert.Equal(t, Anomalies{Documents: 4, NaNScores: 1, NaNTargets: 1}, j.Anomalies)
	assert.True(t, math.IsNaN(rows.Labels[1]), "the caller's rows are only read")

	j = judged(t, FromTable("s", openTable(t, "query,target,score\na,1,2\na,,1\na,2,\nb,1,1\nb,nan,nan\n")),
		ndcg, Options{})
	assert.InDeltaSlice(t, want, j.Results[0].PerQuery, 1e-15)
	assert.Equal(t, Anomalies{Documents: 5, MissingScores: 1, NaNScores: 1, MissingTargets: 1, NaNTargets: 1},
		j.Anomalies)

	j = judged(t, FromScoreFile("s", openLETOR(t, "1 qid:a\n0 qid:a\n2 qid:a\n1 qid:b\n"),
		aid.File(t, "s", "2\n1\nnan\n1\n\n")), ndcg, Options{})
	assert.InDeltaSlice(t, want, j.Results[0].PerQuery, 1e-15)
	assert.Equal(t, Anomalies{Documents: 4, NaNScores: 1}, j.Anomalies)
}

func TestSentences(t *testing.T) {
	a := Anomalies{Documents: 5000, MissingScores: 1234, NaNScores: 1, MissingTargets: 2, NaNTargets: 3,
		Unjudged:      4000,
		AbsentFromRun: 5, AbsentFromQrels: 6, Sorted: true}
	warnings, notes := a.Remarks()
	assert.Equal(t, []string{
		"1,234 documents have no score: they are judged but not ranked: they count in the ideal ranking and take " +
			"no rank",
		"1 score is NaN: it is judged but not ranked: it counts in the ideal ranking and takes no rank",
		"2 documents have no target: it counts as 0",
		"3 targets are NaN: they count as 0",
		"5 queries of the qrels are not in the run: their rankings have no documents",
		"6 queries of the run are not in the qrels: they are left out",
	}, warnings)
	assert.Equal(t, []string{
		"4,000 ranked documents are not in the qrels: their relevance counts as 0",
		"the rows of a query do not follow each other: they were sorted",
	}, notes)
	a.AbsentLeftOut = true
	warnings, _ = a.Remarks()
	assert.Contains(t, warnings, "5 queries of the qrels are not in the run: they are left out")
	j := judged(t, FromRows("s", Rows{Labels: []float64{0, 0}, Scores: []float64{1, 2},
		Query: []string{"a", "a"}}),
		[]metric.Metric{metric.NDCG(metric.Default(), 10)}, Options{})
	warnings, _ = j.Anomalies.Remarks()
	assert.Equal(t, []string{"no query has a relevant document, so that metrics say nothing about the " +
		"ranking: they are what the convention counts for such queries, or NaN; check the labels"}, warnings)
	a = Anomalies{Documents: 7}
	warnings, notes = a.Remarks()
	assert.Empty(t, append(warnings, notes...))
}

// TestWeightsOfQueries, computed by hand: query 1 has two documents of grade 1, and the second has no
// score, so nDCG@2 is 1/(1 + 1/log2(3)). Query 2 has nDCG@2 1/log2(3). The weights are 3, which is the mean
// of 2 and 4, and 1.
func TestWeightsOfQueries(t *testing.T) {
	ndcg := []metric.Metric{metric.NDCG(metric.Default(), 2)}
	second := 1 / math.Log2(3)
	want := (3/(1+second) + second) / 4
	meta := &dataset.Meta{Labels: []float64{1, 1, 1, 0, 0}, Weights: []float64{2, 4, 1, 1, 1},
		Queries: []dataset.Query{{ID: "1", Len: 2}, {ID: "2", First: 2, Len: 3}}}
	path := aid.File(t, "d.txt", "1 qid:1 1:1\n1 qid:1 1:nan\n1 qid:2 1:0\n0 qid:2 1:1\n0 qid:2 1:-1\n")
	require.NoError(t, os.WriteFile(path+".weight", []byte("2\n4\n1\n1\n1\n"), 0o666))
	f, err := data.Open(path, data.Options{})
	require.NoError(t, err)
	defer f.Close()
	table := aid.File(t, "d.csv", "label,q,stars,w\n1,1,1,2\n1,1,,4\n1,2,0,1\n0,2,1,1\n0,2,-1,1\n")
	cells, err := data.Open(table,
		data.Options{Layout: data.Layout{Header: "true", Query: "name:q", Weight: "name:w"},
			Features: &dataset.Features{Names: []string{"price", "stars"}, Used: []int{1}}})
	require.NoError(t, err)
	defer cells.Close()
	const scores = "1\nnan\n0\n1\n-1\n"
	for name, r := range map[string]Ranking{
		"scores":              FromScores("s", meta, []float64{1, nan, 0, 1, -1}),
		"score file":          FromScoreFile("s", f, aid.File(t, "s", scores)),
		"score file of table": FromScoreFile("s", cells, aid.File(t, "s", scores)),
		"model":               FromModel("s", f, firstFeature{}),
		"model of table":      FromModel("s", cells, firstFeature{}),
	} {
		j := judged(t, r, ndcg, Options{})
		assert.True(t, j.Results[0].Weighted, name)
		assert.InDelta(t, want, j.Results[0].Mean, 1e-15, name)
		assert.Equal(t, Anomalies{Documents: 5, NaNScores: 1}, j.Anomalies, name)
		got, remark, err := j.Interval(0, metric.DefaultTestOptions())
		require.NoError(t, err, name)
		assert.True(t, got.Low < want && want < got.High, name)
		assert.Contains(t, remark, "2 queries are few", name)
	}
}

func TestInterval(t *testing.T) {
	rows := sample(50)
	j := judged(t, FromRows("s", rows), []metric.Metric{metric.NDCG(gdevalAveraged(), 5)}, Options{})
	require.NotZero(t, j.Results[0].LeftOut)
	got, remark, err := j.Interval(0, metric.DefaultTestOptions())
	require.NoError(t, err)
	assert.Empty(t, remark)
	assert.Less(t, got.Low, j.Results[0].Mean)
	assert.Greater(t, got.High, j.Results[0].Mean)
	_, _, err = j.Interval(0, metric.TestOptions{Level: 0.9, Resamples: 1, Trials: 1})
	assert.ErrorContains(t, err, "1 resamples")
	none := judged(t, FromRows("s", Rows{}), []metric.Metric{metric.NDCG(metric.Default(), 5)}, Options{})
	_, _, err = none.Interval(0, metric.DefaultTestOptions())
	assert.ErrorIs(t, err, ErrNoInterval)
}

func TestQueriesThatRunOrQrelsLack(t *testing.T) {
	qrels, err := ReadQrels(strings.NewReader("a 0 d1 1\na 0 d2 0\nb 0 d1 1\n"), "qrels")
	require.NoError(t, err)
	ndcg := []metric.Metric{metric.NDCG(convention("trec_eval"), 10)}
	for _, c := range []struct {
		run    string
		sorted bool
	}{
		{"c Q0 d1 1 1 x\na Q0 d1 1 2 x\na Q0 d9 2 1 x\n", false},
		{"a Q0 d9 2 1 x\nc Q0 d1 1 1 x\na Q0 d1 1 2 x\n", true},
	} {
		in := aid.File(t, "run", c.run)
		j := judged(t, FromRun("s", in, qrels), ndcg, Options{})
		assert.Equal(t, []string{"a", "b"}, j.Queries)
		assert.Equal(t, []int{3, 1}, j.Documents)
		assert.Equal(t, []float64{1, 0}, j.Results[0].PerQuery)
		want := Anomalies{Documents: 2, Unjudged: 1, AbsentFromRun: 1, AbsentFromQrels: 1, Sorted: c.sorted}
		assert.Equal(t, want, j.Anomalies)
		qrels.LeaveOutAbsent = true
		j = judged(t, FromRun("s", in, qrels), ndcg, Options{})
		qrels.LeaveOutAbsent = false
		assert.Equal(t, []float64{1}, j.Results[0].PerQuery)
		want.AbsentLeftOut = true
		assert.Equal(t, want, j.Anomalies)
	}
	twice := aid.File(t, "run", "a Q0 d1 1 1 x\na Q0 d1 1 1 x\n")
	_, err = Judge(context.Background(), FromRun("s", twice, qrels), ndcg, Options{})
	assert.ErrorIs(t, err, trec.ErrRepeated)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	_, err = Judge(ctx, FromRun("s", aid.File(t, "run", "a Q0 d1 1 1 x\n"), qrels), ndcg, Options{})
	assert.ErrorIs(t, err, stop)
}

func TestModelsSayHowFeaturesFit(t *testing.T) {
	ndcg := []metric.Metric{metric.NDCG(metric.Default(), 10)}
	j := judged(t, FromModel("s", openLETOR(t, "1 qid:1 1:1 7:1\n0 qid:1 1:2\n"), firstFeature{}), ndcg,
		Options{})
	require.NotNil(t, j.Scoring)
	warnings, _ := j.Scoring.Remarks()
	assert.Len(t, warnings, 1)
	assert.Equal(t, 2, j.Scoring.Rows)
	assert.Nil(t, judged(t, FromRows("s", sample(3)), ndcg, Options{}).Scoring)
}

func TestScoreFilesThatAreWrong(t *testing.T) {
	const rows = "1 qid:1\n0 qid:1\n1 qid:2\n"
	path := aid.File(t, "weighted.txt", rows)
	require.NoError(t, os.WriteFile(path+".weight", []byte("1\n1\n1\n"), 0o666))
	weighted, err := data.Open(path, data.Options{})
	require.NoError(t, err)
	defer weighted.Close()
	for text, want := range map[string]struct {
		err  error
		text string
	}{
		"1\n\n2\n3\n": {ErrBlankScore, "scores:2: a blank line where a score should be; write nan for a document " +
			"without one"},
		"1\n12_3\n3\n": {ErrScore, `scores:2: "12_3" is not a score; expected one number a line`},
		"1\nx y\n3\n":  {ErrScore, `scores:2: "x y" is not a score; expected one number a line`},
		"1\n2\n": {ErrScoreCount, "scores: 2 scores for 3 rows of data; there must be one a line for each " +
			"row"},
		"1\n2\n3\n4": {ErrScoreCount, "scores: 4 scores for 3 rows of data; there must be one a line for each " +
			"row"},
		"": {ErrScoreCount, "scores: 0 scores for 3 rows of data; there must be one a line for each " +
			"row"},
	} {
		for _, src := range []dataset.Source{openLETOR(t, rows), weighted} {
			_, err := Judge(context.Background(), FromScoreFile("s", src, aid.File(t, "scores", text)),
				threeMetrics()[:1], Options{})
			var inFile *dataset.Error
			require.ErrorAs(t, err, &inFile, text)
			assert.ErrorIs(t, err, want.err, text)
			assert.True(t, strings.HasSuffix(err.Error(), want.text), "%v", err)
		}
	}
	in := aid.File(t, "scores", "1\n"+strings.Repeat("1", 1<<20))
	_, err = Judge(context.Background(), FromScoreFile("s", openLETOR(t, rows), in), threeMetrics()[:1],
		Options{})
	assert.ErrorContains(t, err, "too long")
}

func TestJudgeRefuses(t *testing.T) {
	ndcg := []metric.Metric{metric.NDCG(metric.Default(), 10)}
	rows := sample(3)
	wrong := rows
	wrong.Labels = slices.Clone(rows.Labels)
	wrong.Labels[0] = -1
	noDocs := rows
	noDocs.Docs = nil
	for name, c := range map[string]struct {
		ranking Ranking
		metrics []metric.Metric
		want    string
	}{
		"nothing":   {Ranking{}, ndcg, "the Ranking is empty"},
		"no metric": {FromRows("s", rows), nil, "no metric"},
		"few labels": {FromRows("s", Rows{Query: []string{"a"}, Scores: []float64{1}}), ndcg,
			"1 query, 0 labels, 1 score and 0 document ids"},
		"few scores": {FromScores("s", rows.meta(), rows.Scores[1:]), ndcg,
			fmt.Sprintf("%d scores for %d rows", len(rows.Scores)-1, len(rows.Scores))},
		"no queries": {FromModel("s", openLETOR(t, "1 1:2\n"), firstFeature{}), ndcg,
			"data.txt: no row has a qid"},
		"broken data": {FromModel("s", openLETOR(t, "1 qid:1 1:x\n"), firstFeature{}), ndcg, "data.txt:1:9"},
		"wrong label": {FromRows("s", wrong), ndcg, "label -1 of query q0, by the convention"},
		"documents":   {FromRows("s", noDocs), threeMetrics(), metric.ErrNoDocumentIDs.Error()},
	} {
		_, err := Judge(context.Background(), c.ranking, c.metrics, Options{})
		assert.ErrorContains(t, err, c.want, name)
	}
}

// FuzzScores: the scores read are the numbers on the file's lines, or an error names the file.
func FuzzScores(f *testing.F) {
	f.Add("1\n-2.5e3\r\n nan\n\n")
	f.Add("1\n\n2\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := newScoreReader(strings.NewReader(text), "scores")
		dst := make([]float64, 3)
		err := r.fill(dst)
		if err == nil {
			err = r.finish(len(strings.Fields(text)))
		}
		if err != nil {
			var e *dataset.Error
			require.ErrorAs(t, err, &e)
			require.NotErrorIs(t, err, ErrScoreCount)
			return
		}
		for i, field := range strings.Fields(text)[:min(3, r.count)] {
			want, err := strconv.ParseFloat(field, 64)
			require.NoError(t, err)
			require.Equal(t, math.Float64bits(want), math.Float64bits(dst[i]))
		}
	})
}

// TestPairAgreementEqualsItsDefinition tries equal scores, documents without a score, pairs without
// weight and queries without pairs. The labels are of no kind that other metrics judge.
func TestPairAgreementEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	m, err := metric.Parse("pair_agreement", metric.LightGBM())
	require.NoError(t, err)
	for range 200 {
		meta, scores, want := &dataset.Meta{}, []float64{}, []float64{}
		for number := range 4 {
			first, n := len(scores), 2+rng.IntN(5)
			meta.Queries = append(meta.Queries, dataset.Query{ID: strconv.Itoa(number), First: first, Len: n})
			for range n {
				meta.Labels, scores = append(meta.Labels, -1), append(scores, []float64{0, 1, 2, math.NaN()}[rng.IntN(4)])
			}
			right, all := 0.0, 0.0
			for range rng.IntN(4) * (number + 1) {
				better, worse := rng.IntN(n), rng.IntN(n)
				if better == worse {
					continue
				}
				p := dataset.Pair{Query: number, Better: better, Worse: worse, Weight: float64(rng.IntN(3))}
				meta.Pairs = append(meta.Pairs, p)
				a, b := scores[first+better], scores[first+worse]
				all += p.Weight
				switch {
				case a > b || !math.IsNaN(a) && math.IsNaN(b):
					right += p.Weight
				case a == b || math.IsNaN(a) && math.IsNaN(b):
					right += p.Weight / 2
				}
			}
			want = append(want, right/all)
		}
		slices.SortStableFunc(meta.Pairs, dataset.ComparePairs)
		given := meta.Pairs
		meta.Pairs = nil
		_, err := Judge(t.Context(), FromScores("s", meta, scores), []metric.Metric{m}, Options{})
		require.ErrorIs(t, err, metric.ErrNoPairs)
		o := Options{Pairs: func(*dataset.Meta) ([]dataset.Pair, error) { return given, nil }}
		if len(given) == 0 {
			continue
		}
		j, err := Judge(t.Context(), FromScores("s", meta, scores), []metric.Metric{m}, o)
		require.NoError(t, err)
		require.Equal(t, 4, j.Results[0].Empty, "no label is above 0")
		require.False(t, j.Anomalies.NoneRelevant, "which pairs do not need")
		for query, value := range want {
			if math.IsNaN(value) {
				require.True(t, math.IsNaN(j.Results[0].PerQuery[query]))
				continue
			}
			require.InDelta(t, value, j.Results[0].PerQuery[query], 1e-15)
		}
	}
}

// TestRankedDocuments: a document of a run whose score is NaN is judged as one that the run lacks.
func TestRankedDocuments(t *testing.T) {
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
