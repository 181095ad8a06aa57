package model_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
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
	for text, want := range map[string]model.Format{
		`{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","name":"tree_structure"}`:                model.SolrJSON,
		`{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","features":[{"name":"tree_structure"}]}`: model.SolrJSON,
		`{"tree_structure":"learner","learner":{}}`:                                                               model.LightGBMJSON,
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
		"":                  "it is empty",
		"binf\x00\x00\x00?": "XGBoost's old binary format",
		"CBM1....":          "CatBoost",
		"booster[0]:\n0:[":  "text dump",
		"\x80\x04\x95":      "pickle",
		"PK\x03\x04":        "zip",
		" <ranker>":         "QuickRank, which was read until",
		"<?xml version":     "QuickRank, which was read until",
		"<PMML version":     "PMML, which export wrote until",
		"0 qid:1 1:0.5\n":   `begins with "0 qid:1 1:0.5\n"`,
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
