package model_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/param"
)

// TestFormatsAreTold reads the golden files of all packages and expects the right format.
func TestFormatsAreTold(t *testing.T) {
	for pattern, want := range map[string]model.Format{
		"internal/lightgbm/testdata/*.txt":      model.LightGBMText,
		"internal/lightgbm/testdata/*.dump":     model.LightGBMJSON,
		"internal/lightgbm/testdata/v2/*.txt":   model.LightGBMText,
		"internal/xgboost/testdata/*ndcg.json":  model.XGBoostJSON,
		"internal/xgboost/testdata/*ndcg.ubj":   model.XGBoostUBJSON,
		"internal/xgboost/testdata/*ndcg.dump*": model.XGBoostDump,
		"internal/ranklib/testdata/*mart.txt":   model.RankLib,
	} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			e, format, err := model.ReadFile(path)
			require.NoError(t, err, path)
			assert.Equal(t, want, format, path)
			assert.NotEmpty(t, string(format))
			assert.NotEmpty(t, e.Trees)
		}
	}
}

// TestDetectPrefersTheSurerSign: if a file looks like several formats, the most specific sign wins.
func TestDetectPrefersTheSurerSign(t *testing.T) {
	const solr = `{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",`
	for text, want := range map[string]model.Format{
		solr + `"name":"tree_structure"}`:                model.SolrJSON,
		solr + `"features":[{"name":"tree_structure"}]}`: model.SolrJSON,
		`{"tree_structure":"learner","learner":{}}`:      model.LightGBMJSON,
		`{"learner":{}}`:                     model.XGBoostJSON,
		`{"splits":[]}`:                      model.XGBoostDump,
		`[{"nodeid":0,"leaf":1}]`:            model.XGBoostDump,
		"\ufeff \r\n tree\r\nversion=v3\r\n": model.LightGBMText,
		"\n<ensemble>":                       model.RankLib,
	} {
		got, err := model.Detect([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestUnknown(t *testing.T) {
	for text, hint := range map[string]string{
		"":                    "it is empty",
		"binf\x00\x00\x00?":   "XGBoost's old binary format",
		"?\x04\x06\x00gbtree": "XGBoost's old binary format",
		"CBM1....":            "CatBoost",
		"booster[0]:\n0:[":    "text dump",
		"\x80\x04\x95":        "pickle",
		"PK\x03\x04":          "zip",
		" <ranker>":           "QuickRank, which was read until",
		"<?xml?>\n<ranker>":   "QuickRank, which was read until",
		"<?xml?>\n<PMML":      "PMML, which export wrote until",
		"<PMML version":       "PMML, which export wrote until",
		"0 qid:1 1:0.5\n":     `begins with "0 qid:1 1:0.5\n"`,
	} {
		_, _, err := model.Read(bytes.NewReader([]byte(text)))
		assert.ErrorIs(t, err, model.ErrUnknown, text)
		assert.ErrorContains(t, err, hint)
	}
	_, _, err := model.Read(bytes.NewReader([]byte(`{"hello": 1}`)))
	assert.ErrorIs(t, err, model.ErrFormat)
	assert.ErrorContains(t, err, "not a sound XGBoost model")
	broken := errors.New("broken")
	_, _, err = model.Read(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
	_, _, err = model.ReadFile("absent")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

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
