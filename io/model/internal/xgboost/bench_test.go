package xgboost_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
)

// BenchmarkRead reads a model of 500 trees with 64 leaves in each format.
func BenchmarkRead(b *testing.B) {
	const trees = 500
	e := treetest.Model{Trees: trees, Leaves: 64, Features: 136, Float32: true}.Make(rand.New(rand.NewPCG(1, 2)))
	for name, form := range map[string]xgboost.Form{"dump": xgboost.Dump, "JSON": xgboost.JSON} {
		var text bytes.Buffer
		require.NoError(b, xgboost.Write(&text, e, form))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				back, err := xgboost.Read(text.Bytes())
				require.NoError(b, err)
				require.Len(b, back.Trees, trees)
			}
		})
	}
}
