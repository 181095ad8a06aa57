package judgments

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/judgments/featurelog"
	"github.com/lambdamart/lambdamart/internal/trec"
)

func TestReadForms(t *testing.T) {
	want := &trec.Qrels{Queries: []string{"7", "8"}, Judged: map[string]map[string]float64{"7": {"a": 2, "b": 0.5}, "8": {"c": 0}}}
	for name, text := range map[string]string{
		"qrels":            "7 0 a 2\n7 0 b 0.5\n8 0 c 0\n",
		"qrels with tabs":  "7\t0\ta\t2\n7\t0\tb\t0.5\n8\t0\tc\t0\n",
		"CSV":              "qid,docid,grade\n7,a,2\n7,b,0.5\n8,c,0\n",
		"CSV, other order": "\ufeffRating, Note ,Doc_ID,Query_ID\r\n2,\"x,y\",a,7\r\n.5,,b,7\r\n0,,c,8\r\n",
		"TSV":              "query\tdoc\tlabel\n7\ta\t2\n7\tb\t0.5\n8\tc\t0\n",
	} {
		got, err := Read(strings.NewReader(text), "j")
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"qid,docid,grade\n7,a,good\n":   `j:2: "good": not a grade`,
		"qid,docid,grade\n7,a,inf\n":    "not a grade",
		"qid,docid,grade\n7,a,NaN\n":    "not a grade",
		"qid,docid,grade\n7,a,1\n7,a,1": `j:3: query "7", document "a": the document is judged a second time`,
		"qid,docid,grade\n,a,1\n":       "j:2: an id is empty",
		"qid,docid,grade\n7,a\n":        "j:2:",
		"qid,docid,points\n7,a,1\n":     "there is none of grade, label",
		"7 0 a\n":                       "j:1",
		"7 0 a 1\n7 0 a 1\n":            "j:2",
		"qid,docid,grade\n7,\"a,1\n":    "j:",
	} {
		_, err := Read(strings.NewReader(text), "j")
		require.ErrorContains(t, err, want, text)
	}
}

const logged = `{"qid": 7, "hits": {"hits": [
{"_id": "a", "fields": {"_ltrlog": [{"main": [{"name": "title", "value": 9.5}, {"name": "body"}]}]}}, {"_id": "x", "fields": {"_ltrlog": [{"main": [{"name": "body", "value": 1}]}]}}]}}
{"qid": "9", "hits": {"hits": []}}
{"query_id": "8", "response": {"took": 1, "hits": {"total": {"value": 1}, "hits": [{"_id": "c", "_score": null, "fields": {"_ltrlog": [{"main": [{"name": "title", "value": 0}]}]}}]}}}
{"qid": "7", "hits": {"hits": [{"_id": "b", "fields": {"_ltrlog": [{"main": [{"name": "title", "value": 3}, {"name": "body", "value": -2}]}]}}]}}
`

func readLog(t *testing.T, o featurelog.Options) *featurelog.Log {
	t.Helper()
	l, err := featurelog.Read(strings.NewReader(strings.Replace(logged, "[\n", "[", 1)), "l", o)
	require.NoError(t, err)
	return l
}

func TestJoin(t *testing.T) {
	q, err := Read(strings.NewReader("7 0 a 2\n7 0 b 1\n7 0 gone 3\n8 0 c 0\n6 0 d 1\n"), "j")
	require.NoError(t, err)
	j, err := Join(readLog(t, featurelog.Options{}), q, false)
	require.NoError(t, err)
	assert.Equal(t, []string{"title", "body"}, metaOf(t, j).Features)
	assert.Equal(t, []float64{2, 1, 0}, metaOf(t, j).Labels)
	assert.Equal(t, []string{"a", "b", "c"}, metaOf(t, j).Docs)
	assert.Equal(t, []dataset.Query{{ID: "7", First: 0, Len: 2}, {ID: "8", First: 2, Len: 1}}, metaOf(t, j).Queries)
	assert.Equal(t, []int{2, 3, 1, 2}, []int{j.Queries, j.Rows, j.Unjudged, j.Unlogged})
	assert.Equal(t, "query 6, document d", j.Example)
	j, err = Join(readLog(t, featurelog.Options{}), q, true)
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 0, 1, 0}, metaOf(t, j).Labels)
	_, err = Join(readLog(t, featurelog.Options{}), &trec.Qrels{}, true)
	require.ErrorIs(t, err, ErrNothing)
}

func metaOf(t *testing.T, j *Joined) *dataset.Meta {
	t.Helper()
	m, err := dataset.Scan(t.Context(), j.Data, func(int) bool { return true }, func(int, dataset.Row) error { return nil })
	require.NoError(t, err)
	return m
}

func TestFeatureLog(t *testing.T) {
	l := readLog(t, featurelog.Options{})
	assert.Equal(t, []string{"7", "9", "8"}, []string{l.Queries[0].ID, l.Queries[1].ID, l.Queries[2].ID})
	assert.Equal(t, 9.5, l.Queries[0].Docs[0].Values[0])
	assert.True(t, math.IsNaN(l.Queries[0].Docs[0].Values[1]), "no value is missing")
	assert.True(t, math.IsNaN(l.Queries[2].Docs[0].Values[1]))
	l = readLog(t, featurelog.Options{Features: []string{"new", "body", "title"}, MissingAsZero: true, Name: "main"})
	assert.Equal(t, []float64{0, 0, 9.5}, l.Queries[0].Docs[0].Values)
	assert.Equal(t, []string{"new"}, l.Absent)
}

func TestFeatureLogRefuses(t *testing.T) {
	hit := func(fields string) string { return `{"qid":"1","hits":{"hits":[{"_id":"a","fields":` + fields + `}]}}` }
	for text, want := range map[string]string{
		`{"hits":{"hits":[]}}`:               "l:1: the line has no id of its query",
		`{"qid":"1"}`:                        "no hits",
		`{"qid":"1","error":{"reason":"x"}}`: "no hits",
		"\n" + `{"qid":"1"`:                  "l:2:",
		`{"qid":[1],"hits":{"hits":[]}}`:     "l:1:",
		hit(`{}`):                            `document "a": a document has no logged features`,
		hit(`{"_ltrlog":[{"x":[],"y":[]}]}`): "several logs; choose one by its name: x, y",
		hit(`{"_ltrlog":[{"x":[{"name":"f","value":"high"}]}]}`):                   "l:1:",
		hit(`{"_ltrlog":[{"x":[{"name":"f","value":1},{"name":"f","value":1}]}]}`): `feature "f": it is there a second time`,
		hit(`{"_ltrlog":[{"x":[]}]}`) + "\n" + hit(`{"_ltrlog":[{"x":[]}]}`):       "l:2: document \"a\": it is there a second time",
	} {
		_, err := featurelog.Read(strings.NewReader(text), "l", featurelog.Options{})
		require.ErrorContains(t, err, want, text)
	}
	_, err := featurelog.Read(strings.NewReader(hit(`{"_ltrlog":[{"x":[{"name":"f"}]}]}`)), "l", featurelog.Options{Features: []string{"g"}})
	require.ErrorIs(t, err, featurelog.ErrFeature)
	_, err = featurelog.Read(strings.NewReader(hit(`{"_ltrlog":[{"x":[]}]}`)), "l", featurelog.Options{Name: "y"})
	require.ErrorIs(t, err, featurelog.ErrNoLog)
}

func TestFeatureSets(t *testing.T) {
	features := `[{"name":"title","params":["keywords"],"template":{"match":{"title":"{{keywords}}"}}},{"name":"body"}]`
	for _, text := range []string{
		`{"featureset":{"features":` + features + `}}`,
		`{"featureset":{"name":"movies","features":` + features + `},"validation":{}}`,
		`{"name":"movies","features":` + features + `}`,
		`{"_index":".ltrstore","_id":"featureset-movies","found":true,"_source":{"name":"movies","type":"featureset","featureset":{"name":"movies","features":` + features + `}}}`,
		features, // Solr's feature store
	} {
		got, err := featurelog.ReadSet(strings.NewReader(text), "s")
		require.NoError(t, err, text)
		assert.Equal(t, []string{"title", "body"}, got)
	}
	for text, want := range map[string]string{
		`{`: "s:", `{}`: "not a feature set", `[]`: "not a feature set", `[{"name":""}]`: "number 1 has none", `[1]`: "number 1 has none",
		`[{"name":"a"},{"name":"a"}]`: "second time",
	} {
		_, err := featurelog.ReadSet(strings.NewReader(text), "s")
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzFeatureLog(f *testing.F) {
	f.Add([]byte(logged))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := featurelog.Read(strings.NewReader(string(text)), "l", featurelog.Options{})
		if err != nil {
			return
		}
		for _, q := range l.Queries {
			for _, d := range q.Docs {
				require.Len(t, d.Values, len(l.Features))
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("qid,docid,grade\n7,a,2\n"))
	f.Add([]byte("7 0 a 2\n"))
	f.Add([]byte("qid,docid,grade\n7,a,2\n7,a,1\n"))
	f.Add([]byte("qid,docid,grade\n7,,2\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, text []byte) {
		q, err := Read(strings.NewReader(string(text)), "j")
		if err != nil {
			return
		}
		require.Len(t, q.Judged, len(q.Queries))
	})
}
