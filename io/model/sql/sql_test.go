package sql_test

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/sql"
	"github.com/lambdamart/lambdamart/tree"
)

// kinds are models that together need all parts of a statement.
var kinds = map[string]treetest.Model{
	"plain":       {Trees: 9, Leaves: 12, Features: 3},
	"missing":     {Trees: 9, Leaves: 12, Features: 3, Missing: true, ZeroMissing: true},
	"categorical": {Trees: 9, Leaves: 12, Features: 3, Missing: true, Categorical: true},
	"linear":      {Trees: 9, Leaves: 12, Features: 3, Linear: true, Average: true},
	"all":         {Trees: 9, Leaves: 12, Features: 3, Linear: true, Categorical: true, ZeroMissing: true, Missing: true, Average: true},
	"many trees":  {Trees: 301, Leaves: 3, Features: 2, Missing: true},
}

var dialects = []sql.Dialect{sql.DuckDB, sql.PostgreSQL}

func options(d sql.Dialect) sql.Options {
	return sql.Options{Dialect: d, Table: "shop.documents", Score: "score"}
}

func write(t testing.TB, e *tree.Ensemble, d sql.Dialect) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, sql.Write(&b, e, options(d)))
	return b.Bytes()
}

// makeModel returns a random model, in which some thresholds are those by which LightGBM splits off missing
// values.
func makeModel(rng *rand.Rand, kind treetest.Model) *tree.Ensemble {
	e := kind.Make(rng)
	for i := range e.Trees {
		for node := range e.Trees[i].Threshold {
			if node%5 == 1 && e.Trees[i].Decision[node]&tree.Categorical == 0 {
				e.Trees[i].Threshold[node] = math.Inf(1)
			}
		}
	}
	return e
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, kind := range kinds {
		for _, d := range dialects {
			e := makeModel(rng, kind)
			e.Features[0].Name = `ü "?' AS lambdamart_row` + name
			text := write(t, e, d)
			back, err := sql.Read(bytes.NewReader(text))
			require.NoError(t, err, "%s %s\n%s", name, d, text)
			for range 50 {
				row := kind.Row(rng, e)
				want, err := e.ScoreRow(row)
				require.NoError(t, err)
				var used []float64
				for _, f := range e.UsedFeatures() {
					used = append(used, row[f])
				}
				got, err := back.ScoreRow(used)
				require.NoError(t, err)
				if !math.IsNaN(want) || !math.IsNaN(got) {
					require.Equal(t, want, got, "%s %s %v", name, d, row)
				}
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	e := kinds["plain"].Make(rand.New(rand.NewPCG(7, 8)))
	refused := func(want error, change func(e *tree.Ensemble, o *sql.Options)) {
		t.Helper()
		for _, d := range dialects {
			changed, o := *e, options(d)
			changed.Features = append([]tree.Feature{}, e.Features...)
			change(&changed, &o)
			err := sql.Write(io.Discard, &changed, o)
			assert.ErrorIs(t, err, want, d)
		}
	}
	for _, name := range []string{"", "a\nb", "\x00", "\x7f"} {
		refused(sql.ErrName, func(e *tree.Ensemble, _ *sql.Options) { e.Features[0].Name = name })
		refused(sql.ErrName, func(_ *tree.Ensemble, o *sql.Options) { o.Table = name })
		refused(sql.ErrName, func(_ *tree.Ensemble, o *sql.Options) { o.Score = name })
	}
	refused(sql.ErrName, func(_ *tree.Ensemble, o *sql.Options) { o.Table = "a..b" })
	refused(sql.ErrEmpty, func(e *tree.Ensemble, _ *sql.Options) { e.Trees = nil })
	refused(sql.ErrDepth, func(e *tree.Ensemble, _ *sql.Options) { e.Trees = []tree.Tree{chain(sql.MaxDepth + 1)} })
	refused(sql.ErrNumber, func(e *tree.Ensemble, _ *sql.Options) {
		e.Trees = []tree.Tree{chain(2)}
		e.Trees[0].Threshold[1] = math.Inf(-1)
	})
	assert.Error(t, sql.Write(io.Discard, e, sql.Options{Dialect: "oracle"}))

	e.Features[0].Name, e.Features[1].Name = "Price", "price"
	assert.ErrorContains(t, sql.Write(io.Discard, e, options(sql.DuckDB)), `"Price" and "price" are the same column for DuckDB; features=FILE`)
	assert.NoError(t, sql.Write(io.Discard, e, options(sql.PostgreSQL)))
	e.Features[0].Name = strings.Repeat("x", 64)
	assert.ErrorContains(t, sql.Write(io.Discard, e, options(sql.PostgreSQL)), "has 64 bytes, and postgresql cuts names after 63; features=FILE")
	assert.NoError(t, sql.Write(io.Discard, e, options(sql.DuckDB)))
}

// chain returns a tree whose deepest leaf has the given number of splits above it.
func chain(splits int) tree.Tree {
	t := tree.Tree{Shrinkage: 1, LeafValue: make([]float64, splits+1)}
	for node := range splits {
		t.Feature, t.Threshold, t.Decision = append(t.Feature, 0), append(t.Threshold, float64(-node)), append(t.Decision, tree.MissingNaN)
		t.Left, t.Right = append(t.Left, int32(node+1)), append(t.Right, ^int32(node))
		t.LeafValue[node] = float64(node)
	}
	t.Left[splits-1] = ^int32(splits)
	n := make([]float64, splits+1)
	t.Gain, t.InternalValue, t.InternalWeight, t.InternalCount = n[1:], n[1:], n[1:], make([]int64, splits)
	t.LeafWeight, t.LeafCount = n, make([]int64, splits+1)
	return t
}

func TestDeepestTree(t *testing.T) {
	e := &tree.Ensemble{Features: []tree.Feature{{Name: "a"}}, Trees: []tree.Tree{chain(sql.MaxDepth)}}
	back, err := sql.Read(bytes.NewReader(write(t, e, sql.DuckDB)))
	require.NoError(t, err)
	got, err := back.ScoreRow([]float64{-3.5})
	require.NoError(t, err)
	assert.Equal(t, 4.0, got)
}

// TestReadRefusesChanges changes one thing at a time.
func TestReadRefusesChanges(t *testing.T) {
	for _, d := range dialects {
		text := string(write(t, makeModel(rand.New(rand.NewPCG(9, 10)), kinds["all"]), d))
		changed := func(old, new string) string {
			require.Contains(t, text, old)
			return strings.Replace(text, old, new, 1)
		}
		for name, test := range map[string]struct {
			text string
			want error
		}{
			"empty":           {"", sql.ErrFormat},
			"first line":      {"-- x\n" + text, sql.ErrFormat},
			"comparison":      {changed(" <= ", " < "), sql.ErrChanged},
			"comment":         {changed("NULL and NaN", "NULL"), sql.ErrChanged},
			"end":             {text[:len(text)-2], sql.ErrChanged},
			"half":            {text[:len(text)/2], nil},
			"more":            {text + "DROP TABLE documents;\n", sql.ErrChanged},
			"feature":         {changed("WHEN f0 ", "WHEN f9 "), sql.ErrFormat},
			"number":          {changed("THEN ", "THEN x"), nil},
			"name":            {changed(`row."f1"`, `row."f1`), sql.ErrName},
			"table":           {changed(`"shop"`, `shop`), sql.ErrName},
			"score":           {changed(`AS "score"`, `AS score`), sql.ErrName},
			"large category":  {changed("IN (", "IN (4294967295, "), sql.ErrNumber},
			"other subselect": {changed("AS q", "AS p"), sql.ErrChanged},
		} {
			_, err := sql.Read(strings.NewReader(test.text))
			require.Error(t, err, "%s %s", d, name)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want, "%s %s", d, name)
			}
		}
	}
	_, err := sql.Read(iotest.ErrReader(io.ErrClosedPipe))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func FuzzRead(f *testing.F) {
	for _, kind := range kinds {
		for _, d := range dialects {
			f.Add(write(f, makeModel(rand.New(rand.NewPCG(11, 12)), kind), d))
		}
	}
	treetest.FuzzRead(f, sql.Read)
}
