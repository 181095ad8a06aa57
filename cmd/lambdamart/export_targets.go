package main

import (
	"cmp"
	"io"

	"github.com/lambdamart/lambdamart/internal/target"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/io/model/onnx"
	"github.com/lambdamart/lambdamart/io/model/ranklib"
	"github.com/lambdamart/lambdamart/io/model/solr"
	"github.com/lambdamart/lambdamart/io/model/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/vectors"
	"github.com/lambdamart/lambdamart/io/model/xgboost"
	"github.com/lambdamart/lambdamart/tree"
)

// exportTarget is a format that models are exported to, and how those who load it
// score.
type exportTarget struct {
	name       string
	help       string
	engines    []engine // those that the parameter engine may name, each with its first version that loads the form
	missing    func(engine) target.Missing
	arithmetic vectors.Arithmetic
	float32    bool // values are float32
	inOrder    bool // trees are added in order
	parameters []string
	write      func(w io.Writer, e *tree.Ensemble, o *exportOptions) error
}

// exportOptions are the parameters of the command export.
type exportOptions struct {
	to          string
	features    string
	vectors     int
	vectorsFile string
	engine      string
	version     string
	name        string
	store       string
	numberType  string
	noMissing   bool

	loadedBy     engine // engine, parsed
	firstOrdinal int    // RankLib's number of column 0
}

// Targets that need more than the others.
const (
	toRankLib = "ranklib"
	toSolr    = "solr"
)

const (
	number32 = "float32"
	number64 = "float64"
)

// exportTargets are in the order in which help lists them.
var exportTargets = []exportTarget{
	{
		name: "lightgbm", help: "LightGBM's model text",
		missing: alwaysSide, arithmetic: vectors.Float64, inOrder: true, parameters: []string{"version"},
		write: func(w io.Writer, e *tree.Ensemble, o *exportOptions) error {
			return lightgbm.WriteVersion(w, e, o.version)
		},
	},
	{
		name: "lightgbm-json", help: "LightGBM's JSON, as dump_model gives it",
		missing: alwaysSide, arithmetic: vectors.Float64, inOrder: true,
		write: func(w io.Writer, e *tree.Ensemble, _ *exportOptions) error { return lightgbm.WriteJSON(w, e) },
	},
	{
		name: "xgboost-json", help: "XGBoost's JSON dump, for the LTR plugins of Elasticsearch and OpenSearch", engines: []engine{{name: elasticsearch}, {name: opensearch}},
		missing: xgboostMissing, arithmetic: vectors.Float32, float32: true, inOrder: true,
		write: xgboostWriter(xgboost.Dump),
	},
	{
		name: "xgboost-raw", help: "XGBoost's JSON model, for XGBoost and the LTR plugins",
		engines: []engine{{elasticsearch, [3]int{8, 15, 2}}, {opensearch, [3]int{3, 0, 0}}},
		missing: xgboostMissing, arithmetic: vectors.Float32, float32: true, inOrder: true,
		write: xgboostWriter(xgboost.JSON),
	},
	{
		name: "xgboost-ubj", help: "the same in UBJSON, for XGBoost",
		missing: alwaysSide, arithmetic: vectors.Float32, float32: true, inOrder: true,
		write: xgboostWriter(xgboost.UBJSON),
	},
	{
		name: toRankLib, help: "RankLib's XML, for RankLib and the LTR plugins", engines: []engine{{name: elasticsearch}, {name: opensearch}},
		missing: alwaysZero, arithmetic: vectors.Float32, float32: true, inOrder: true, parameters: []string{"feature_base"},
		write: func(w io.Writer, e *tree.Ensemble, o *exportOptions) error {
			return ranklib.Write(w, e, ranklib.Options{FirstOrdinal: o.firstOrdinal, NoMissing: o.noMissing})
		},
	},
	{
		name: toSolr, help: "Solr's MultipleAdditiveTreesModel", engines: []engine{{name: solrEngine}},
		missing: solrMissing, arithmetic: vectors.Float32, float32: true, inOrder: true, parameters: []string{"model_name", "feature_store"},
		write: func(w io.Writer, e *tree.Ensemble, o *exportOptions) error {
			return solr.Write(w, e, solr.Options{
				Name: cmp.Or(o.name, "lambdamart"), Store: o.store,
				Missing: solrMissing(o.loadedBy) == target.MissingSide, NoMissing: o.noMissing,
			})
		},
	},
	{
		name: "onnx", help: "ONNX's TreeEnsembleRegressor",
		missing: alwaysSide, arithmetic: vectors.Float32, float32: true, parameters: []string{"number_type"},
		write: func(w io.Writer, e *tree.Ensemble, o *exportOptions) error {
			return onnx.Write(w, e, onnx.Options{Float64: o.numberType == number64})
		},
	},
	{
		name: "go", help: "Go source without imports",
		missing: alwaysSide, arithmetic: vectors.Float64, inOrder: true, parameters: []string{"model_name"},
		write: sourceWriter(sourcecode.Go),
	},
	{
		name: "c", help: "C99 source without a library",
		missing: alwaysSide, arithmetic: vectors.Float64, inOrder: true, parameters: []string{"model_name"},
		write: sourceWriter(sourcecode.C),
	},
}

func xgboostWriter(form xgboost.Form) func(io.Writer, *tree.Ensemble, *exportOptions) error {
	return func(w io.Writer, e *tree.Ensemble, _ *exportOptions) error {
		return xgboost.Write(w, e, xgboost.Options{Form: form})
	}
}

func sourceWriter(l sourcecode.Language) func(io.Writer, *tree.Ensemble, *exportOptions) error {
	return func(w io.Writer, e *tree.Ensemble, o *exportOptions) error {
		return sourcecode.Write(w, e, sourcecode.Options{Language: l, Name: cmp.Or(o.name, "ranker")})
	}
}

// findTarget returns the target of a name, with the number type that is asked for.
func (o *exportOptions) findTarget() *exportTarget {
	for _, t := range exportTargets {
		if t.name == o.to {
			if o.numberType == number64 {
				t.float32, t.arithmetic = false, vectors.Float64ToFloat32
			}
			return &t
		}
	}
	return nil
}

func targetNames() []string {
	var names []string
	for _, t := range exportTargets {
		names = append(names, t.name)
	}
	return names
}
