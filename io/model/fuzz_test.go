package model_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
)

// FuzzRead: whatever the bytes are taken for, they are a valid model or an error.
func FuzzRead(f *testing.F) {
	for _, path := range []string{
		"lightgbm/testdata/one_leaf.txt", "lightgbm/testdata/v2/lambdarank.dump", "xgboost/testdata/3.2.0-ndcg.dump0",
		"xgboost/testdata/1.7.6-ndcg.ubj", "ranklib/testdata/mart.txt", "quickrank/testdata/example.xml",
	} {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, format, err := model.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.NotEmpty(t, format.String())
		require.NoError(t, e.Validate())
	})
}
