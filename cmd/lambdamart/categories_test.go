package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeShop writes a table with a text column, a column of shop numbers, and a numeric column.
func writeShop(t *testing.T, path string, seed uint64, queries int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString("grade,query,price,brand,shop\n")
	for row := range 20 * queries {
		brand, price := rng.IntN(12), rng.NormFloat64()
		grade := min(4, max(0, int(float64(brand*5%7)/2+price)))
		fmt.Fprintf(&b, "%d,%d,%v,\"maker, no. %d\",%d\n", grade, row/20, price, brand, rng.IntN(9)*5)
	}
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
}

// TestCategoriesOfTables: text and stored bins give the same model. The model stores the category texts,
// and predict and eval look them up.
func TestCategoriesOfTables(t *testing.T) {
	dir := t.TempDir()
	writeShop(t, filepath.Join(dir, "train.csv"), 1, 60)
	writeShop(t, filepath.Join(dir, "test.csv"), 2, 20)
	columns := []string{"label_column=name:grade", "group_column=name:query"}
	categories := append([]string{"categorical_feature=name:brand,shop"}, columns...)
	small := []string{"num_iterations=10", "num_leaves=7", "min_data_per_group=10"}
	with := func(command string, more ...[]string) []string {
		args := strings.Fields(command)
		for _, m := range more {
			args = append(args, m...)
		}
		return args
	}
	succeed(t, dir, with("train data=train.csv valid=test.csv output_model=a.txt", categories, small)...)
	succeed(t, dir, with("bin data=train.csv output=train.bin", categories)...)
	succeed(t, dir, with("train data=train.bin output_model=b.txt", small)...)
	model := readFile(t, dir, "a.txt")
	assert.Equal(t, withoutParameters(model), withoutParameters(readFile(t, dir, "b.txt")))
	assert.Contains(t, model, "num_cat=")
	assert.Contains(t, model, `"maker, no. 3"`)

	judged := succeed(t, dir, with("eval data=test.csv input_model=a.txt metric=ndcg@5", columns)...)
	scores := succeed(t, dir, with("predict data=test.csv input_model=a.txt", columns)...)
	assert.Equal(t, 400, strings.Count(scores.stdout, "\n"))
	assert.Greater(t, judged.stdout, "ndcg@5 0.9")

	// The texts of a model come first where training continues, and new ones after them.
	other := strings.NewReplacer("no. 3", "no. 77", "no. 4", "no. 5").Replace(readFile(t, dir, "train.csv"))
	writeFile(t, dir, "new.csv", other)
	succeed(t, dir, with("train data=new.csv valid=new.csv input_model=a.txt output_model=on.txt eval_at=5",
		categories, small)...)
	on := succeed(t, dir, with("eval data=new.csv input_model=on.txt metric=ndcg@5", columns)...)
	assert.Contains(t, readFile(t, dir, "on.txt"), `,"maker, no. 77"]`)
	assert.NotContains(t, on.stderr, "texts that the training data did not have")
	assert.Equal(t, scores.stdout, succeed(t, dir, with("predict data=test.csv input_model=on.txt "+
		"num_iteration_predict=10", columns)...).stdout)
}

// TestContextOfCategories: query context for all features covers only the numeric ones.
func TestContextOfCategories(t *testing.T) {
	dir := t.TempDir()
	writeShop(t, filepath.Join(dir, "train.csv"), 1, 60)
	raw := strings.Fields("train data=train.csv label_column=name:grade group_column=name:query " +
		"categorical_feature=name:brand,shop num_iterations=3")
	args := append(slices.Clip(raw), "query_context=rank")
	succeed(t, dir, append(args, "output_model=all.txt")...)
	succeed(t, dir, append(raw, "output_model=raw.txt")...)
	succeed(t, dir, append(args, "input_model=all.txt", "output_model=on.txt")...) // the same context
	succeed(t, dir, append(args, "input_model=raw.txt", "output_model=new.txt")...)
	for _, name := range []string{"all.txt", "on.txt", "new.txt"} {
		model := readFile(t, dir, name)
		assert.Contains(t, model, "rank(", name)
		assert.NotContains(t, model, "rank(brand)", name)
		assert.NotContains(t, model, "rank(shop)", name)
	}
}
