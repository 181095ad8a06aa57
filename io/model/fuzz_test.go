package model_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/param"
)

// settingsOf returns settings under which a target accepts a model that uses column 0.
func settingsOf(target model.Target) []param.Setting {
	if target.Options().Find("feature_base") == nil {
		return nil
	}
	return []param.Setting{{Name: "feature_base", Value: "1"}}
}

// FuzzRead: any bytes either are a valid model in some format, or give an error of a known kind.
func FuzzRead(f *testing.F) {
	for _, path := range []string{
		"internal/lightgbm/testdata/one_leaf.txt", "internal/lightgbm/testdata/v2/lambdarank.dump",
		"internal/xgboost/testdata/3.2.0-ndcg.dump0",
		"internal/xgboost/testdata/1.7.6-ndcg.ubj", "internal/ranklib/testdata/mart.txt",
	} {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
	}
	e := treetest.Model{Trees: 2, Leaves: 3, Features: 2, Float32: true}.Make(rand.New(rand.NewPCG(1, 2)))
	for _, target := range model.Targets() {
		x, err := model.Export(e, target.Name, model.Options{Settings: settingsOf(target)})
		require.NoError(f, err)
		f.Add(x.Content)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, format, err := model.Read(bytes.NewReader(data))
		if err != nil {
			known := errors.Is(err, model.ErrUnknown) || errors.Is(err, model.ErrFormat) ||
				errors.Is(err, model.ErrUnsupported)
			require.True(t, known, "%v", err)
			return
		}
		require.NotEmpty(t, string(format))
		require.NoError(t, e.Validate())
	})
}

// FuzzReadNames: for any text, every name has a line and a name in the engine, or the error tells the place.
func FuzzReadNames(f *testing.F) {
	f.Add("bm25\toriginal score\n\nage  age_in_days\r\n")
	f.Add("bm25\n")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := model.ReadNames(strings.NewReader(text), "names")
		if err != nil {
			require.ErrorIs(t, err, model.ErrNames)
			return
		}
		lines := strings.Split(text, "\n")
		for _, name := range names.List {
			require.NotEmpty(t, name.Engine)
			require.Contains(t, lines[name.Line-1], name.Engine)
			require.Contains(t, lines[name.Line-1], name.Model)
		}
	})
}
