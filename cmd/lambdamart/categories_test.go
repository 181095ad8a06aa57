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
