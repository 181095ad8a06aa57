package sql_test

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/sql"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// kinds are models that together exercise all parts of a statement.
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

// makeModel returns a random model that has some thresholds by which LightGBM separates missing values.
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

// TestEveryKindIsWritten only writes statements; test/check_sql.py runs them in databases.
func TestEveryKindIsWritten(t *testing.T) {
	for name, kind := range kinds {
		for _, d := range dialects {
			e := makeModel(rand.New(rand.NewPCG(1, 2)), kind)
			e.Features[e.UsedFeatures()[0]].Name = `ü "?' AS lambdamart_row` + name
			text := write(t, e, d)
			assert.True(t, sql.Is(text))
			assert.Contains(t, string(text), `lambdamart_row."ü ""?' AS lambdamart_row`+name+`" AS `)
			assert.Equal(t, len(e.Trees), strings.Count(string(text), "\n+ "), "%s %s", name, d)
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
	assert.NotEmpty(t, write(t, &tree.Ensemble{Features: e.Features, Trees: []tree.Tree{chain(sql.MaxDepth)}}, sql.DuckDB))
	refused(sql.ErrDepth, func(e *tree.Ensemble, _ *sql.Options) { e.Trees = []tree.Tree{chain(sql.MaxDepth + 1)} })
	refused(fault.ErrNumber, func(e *tree.Ensemble, _ *sql.Options) {
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

// chain returns a tree whose deepest leaf is below the given number of splits.
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
