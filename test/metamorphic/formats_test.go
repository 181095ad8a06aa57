package metamorphic

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// Values are written as float64 in the fewest digits that identify them. In LETOR text, feature 0 is always
// zero; in tables, the column of queries or a column of zeros is in its place.

// letorText returns data in the LETOR format. Zeros are left out.
func letorText(s *set) string {
	var b strings.Builder
	for _, q := range s.queries {
		for _, d := range q.docs {
			fmt.Fprintf(&b, "%v qid:%s", d.label, q.id)
			for f, v := range d.values {
				if v != 0 {
					fmt.Fprintf(&b, " %d:%v", f+1, v)
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// tableLines returns the rows of data as lines of a table: label, query or zero, and features.
func tableLines(s *set, comma string, query bool) []string {
	var lines []string
	for _, q := range s.queries {
		for _, d := range q.docs {
			cells := []string{fmt.Sprint(d.label), "0"}
			if query {
				cells[1] = q.id
			}
			for _, v := range d.values {
				cells = append(cells, cell(v))
			}
			lines = append(lines, strings.Join(cells, comma)+"\n")
		}
	}
	return lines
}

// cell writes a value. A missing one is an empty cell.
func cell(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprint(v)
}

// heading returns the names of the columns of tableLines.
func heading(comma string, query bool) string {
	names := []string{"grade", "Column_0"}
	if query {
		names[1] = "query"
	}
	for f := 1; f <= 6; f++ {
		names = append(names, fmt.Sprint("Column_", f))
	}
	return strings.Join(names, comma) + "\n"
}

// sizes returns the companion file .query.
func sizes(s *set) string {
	var b strings.Builder
	for _, q := range s.queries {
		fmt.Fprintln(&b, len(q.docs))
	}
	return b.String()
}

// form is a way to write data.
type form struct {
	name  string
	write func(t *testing.T, s *set, folder string) (path string)
	query string // parameter query_column
}

var forms = []form{
	{name: "LETOR", write: oneFile("data.txt", letorText)},
	{name: "LETOR, gzip", write: oneFile("data.txt.gz", letorText)},
	{name: "LETOR, zstd", write: oneFile("data.txt.zst", letorText)},
	{name: "CSV", query: "name:query", write: oneFile("data.csv", text(",", true, true))},
	{name: "CSV without names", query: "0", write: oneFile("data.csv", text(",", true, false))},
	{name: "TSV, gzip", query: "name:query", write: oneFile("data.tsv.gz", text("\t", true, true))},
	{name: "CSV and sizes of queries", write: func(t *testing.T, s *set, folder string) string {
		writeFile(t, filepath.Join(folder, "data.csv.query"), sizes(s))
		return oneFile("data.csv", text(",", false, true))(t, s, folder)
	}},
	{name: "parts", query: "name:query", write: func(t *testing.T, s *set, folder string) string {
		parts := filepath.Join(folder, "parts")
		require.NoError(t, os.Mkdir(parts, 0o777))
		lines := tableLines(s, ",", true)
		for i, from := range []int{0, 1, 77, len(lines) - 1} { // also in the middle of a query
			to := append([]int{1, 77, len(lines) - 1}, len(lines))[i]
			name := fmt.Sprintf("part-%d.csv", i) + []string{"", ".gz", ".zst"}[i%3]
			writeFile(t, filepath.Join(parts, name), heading(",", true)+strings.Join(lines[from:to], ""))
		}
		return parts
	}},
}

func text(comma string, query, names bool) func(s *set) string {
	return func(s *set) string {
		lines := strings.Join(tableLines(s, comma, query), "")
		if names {
			return heading(comma, query) + lines
		}
		return lines
	}
}

func oneFile(name string, content func(*set) string) func(*testing.T, *set, string) string {
	return func(t *testing.T, s *set, folder string) string {
		path := filepath.Join(folder, name)
		writeFile(t, path, content(s))
		return path
	}
}

// writeFile writes a file, compressed if its name says so.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	var w io.WriteCloser = f
	switch filepath.Ext(path) {
	case ".gz":
		w = gzip.NewWriter(f)
	case ".zst":
		w, err = zstd.NewWriter(f)
		require.NoError(t, err)
	}
	_, err = w.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// TestEveryFormIsTheSame: training, scores and metrics have the same bits, whatever the form of the
// data, with and without missing values.
func TestEveryFormIsTheSame(t *testing.T) {
	for _, holes := range []bool{false, true} {
		s := randomSet(11, 40, holes)
		var first *outcome
		for _, f := range forms {
			got := outcomeOf(t, f, s)
			if first == nil {
				first = got
			}
			assert.True(t, assert.ObjectsAreEqual(first.trees, got.trees), "%s: another model", f.name)
			assert.Equal(t, first.scores, got.scores, "%s: other scores", f.name)
			assert.Equal(t, first.metrics, got.metrics, "%s: other metrics", f.name)
		}
		assert.Equal(t, first.metrics, ofTable(t, s, first.scores), "a table of scores")
	}
}

// outcome is the result of training on data.
type outcome struct {
	trees   []tree.Tree
	scores  []float64
	metrics []metric.Result
}

func outcomeOf(t *testing.T, f form, s *set) *outcome {
	t.Helper()
	path := f.write(t, s, t.TempDir())
	p := parameters(t, "lambdarank", nil)
	if f.query != "" {
		require.NoError(t, p.Set("query_column", f.query))
	}
	d, err := lambdamart.Load(t.Context(), p, path)
	require.NoError(t, err, f.name)
	defer d.Close()
	r, err := lambdamart.Train(t.Context(), p, d)
	require.NoError(t, err, f.name)
	var o outcome
	o.trees = r.Model.Trees
	reading := data.Options{Layout: p.Data.Layout}
	o.scores, _, err = lambdamart.Score(t.Context(), r.Model, path, reading)
	require.NoError(t, err, f.name)
	j, err := lambdamart.Evaluate(t.Context(), r.Model, path, reading, metrics(t)...)
	require.NoError(t, err, f.name)
	o.metrics = j.Results
	return &o
}

func metrics(t *testing.T) []metric.Metric {
	t.Helper()
	var all []metric.Metric
	for _, spec := range specs() {
		m, err := metric.Parse(spec, metric.Default())
		require.NoError(t, err)
		all = append(all, m)
	}
	return all
}

// ofTable evaluates the same scores from a table that contains them.
func ofTable(t *testing.T, s *set, scores []float64) []metric.Result {
	t.Helper()
	var b strings.Builder
	b.WriteString("query,target,score\n")
	row := 0
	for _, q := range s.queries {
		for _, d := range q.docs {
			fmt.Fprintf(&b, "%s,%v,%v\n", q.id, d.label, scores[row])
			row++
		}
	}
	path := filepath.Join(t.TempDir(), "scores.csv")
	writeFile(t, path, b.String())
	table, err := data.OpenScores(path, data.ScoreOptions{})
	require.NoError(t, err)
	defer table.Close()
	j, err := evaluate.Judge(t.Context(), evaluate.FromTable("table", table), metrics(t), evaluate.Options{})
	require.NoError(t, err)
	return j.Results
}
