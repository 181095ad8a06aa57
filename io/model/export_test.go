package model_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/io/model/internal/ranklib"
	"github.com/lambdamart/lambdamart/io/model/internal/solr"
	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
)

// TestWhatIsWrittenIsDetected writes one model with every package.
func TestWhatIsWrittenIsDetected(t *testing.T) {
	e := treetest.Model{Trees: 4, Leaves: 6, Features: 2, Float32: true}.Make(rand.New(rand.NewPCG(1, 2)))
	writers := map[model.Format]func(w io.Writer) error{
		model.LightGBMText:  func(w io.Writer) error { return lightgbm.Write(w, e) },
		model.XGBoostJSON:   func(w io.Writer) error { return xgboost.Write(w, e, xgboost.Options{Form: xgboost.JSON}) },
		model.XGBoostUBJSON: func(w io.Writer) error { return xgboost.Write(w, e, xgboost.Options{Form: xgboost.UBJSON}) },
		model.XGBoostDump:   func(w io.Writer) error { return xgboost.Write(w, e, xgboost.Options{}) },
		model.LightGBMJSON:  func(w io.Writer) error { return lightgbm.WriteJSON(w, e) },
		model.RankLib:       func(w io.Writer) error { return ranklib.Write(w, e, ranklib.Options{FirstOrdinal: 1, NoMissing: true}) },
		model.SolrJSON:      func(w io.Writer) error { return solr.Write(w, e, solr.Options{Name: "m"}) },
		model.ONNX:          func(w io.Writer) error { return onnx.Write(w, e, onnx.Options{}) },
	}
	for _, l := range sourcecode.Languages {
		writers[model.Format(l.Format)] = func(w io.Writer) error { return l.Write(w, e, l.Name) }
	}
	for format, write := range writers {
		var b bytes.Buffer
		require.NoError(t, write(&b), format)
		got, err := model.Detect(b.Bytes())
		require.NoError(t, err, format)
		assert.Equal(t, format, got)
		assert.NotEmpty(t, got.String())
	}
}
