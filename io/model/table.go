// Package model reads, writes and checks model files of all supported formats. Each format is an entry of one
// table and has its own package, which documents and implements it:
//
//	io/model/internal/lightgbm     LightGBM's text, and the JSON of dump_model
//	io/model/internal/xgboost      XGBoost's JSON and UBJSON (save_model), and dumps in JSON
//	io/model/internal/ranklib      RankLib's LambdaMART and MART
//	io/model/internal/search       JSON of Solr; of Elasticsearch's learning to rank and Vespa, only written
//	io/model/internal/onnx         ONNX, which is only written
//	io/model/internal/sourcecode   Go, C and Java source, which is only written
//
// # Reading
//
// [Read] and [ReadFile] recognize the format of a file by its content and return the model. Neural rankers
// are not ensembles of trees: their format belongs to package nnbaseline. A program that accepts both calls
// nnbaseline.IsModel first.
//
// # Exporting
//
// A [Target] is a file format for programs that load models. [Export] renames the features of a model, checks
// that the target and the engine can represent it, and returns the content of the file. If the format can be
// read, Export reads the file back and scores test vectors with it, and never returns a file that scores
// differently. The formats that are only written are tested in the engines that load them. [Write] writes a
// model in LightGBM's text format.
//
// # Test vectors
//
// An export can include test vectors: rows of feature values, and the scores that the engine must give them.
// After deployment, send the rows through the engine and compare the scores; for formats that can be read,
// [VerifyFile] does this with the file. The file of test vectors is a JSON object with one row per line:
//
//	{"form":"lambdamart vectors 1",
//	"target":"solr",
//	"model":"9f86d0…",
//	"arithmetic":"float32",
//	"tolerance":0,
//	"features":["title_bm25","body_bm25"],
//	"rows":[
//	{"values":[0.5,null],"score":1.25,"model_score":1.2500000121},
//	...
//	]}
//
//	form         always this text
//	target       the name of the export target
//	model        SHA-256 of the model file that was exported
//	arithmetic   how the engine adds leaf values; see below
//	tolerance    the largest difference from score that an engine's score may have
//	features     names of the values in the engine
//	queries      only for models with query context: the number of rows of each query, whose
//	             documents the engine must score together
//	values       one for each feature; null is a missing value. All are numbers of
//	             the engine's type: with float32, rounding does not change them
//	score        the score of the engine
//	model_score  the score of the model, in float64
//
// The arithmetics are "float64", "float32" (each leaf value and each sum is rounded, in the order of the
// trees) and "float64 to float32" (only the final sum is rounded). The tolerance is 0 if the engine adds the
// trees in order. Otherwise it bounds the effect of the order: the number of trees times 2^-23 (2^-52 for
// float64) times the largest sum of magnitudes, plus one rounding.
package model

import (
	"cmp"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/io/model/internal/ranklib"
	"github.com/lambdamart/lambdamart/io/model/internal/search"
	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// table is the list of all formats. Help lists the targets in this order.
//
// A new format needs an entry here and its own package, which writes and recognizes files, and reads them if
// other programs write the format too. Everything else follows from the entry: reading, the command export
// with its parameters and help, verification, check-export, and the tests of this package, which write,
// recognize, read and verify every entry.
var table = slices.Concat([]entry{
	{
		format: LightGBMText, phrase: "LightGBM's text and JSON (dump_model)",
		sign: byMark, is: lightgbm.Is, read: lightgbm.Read,
		name: "lightgbm", loadedBy: "LightGBM 3 and 4, treelite, shap, leaves",
		scoring: float64InOrder, anyBytes: true,
		options: []string{"version"}, writer: lightGBMWriter,
	},
	{
		format: LightGBMJSON, sign: byKey, is: lightgbm.IsJSON, read: lightgbm.ReadJSON,
		name: "lightgbm-json", loadedBy: "readers of LightGBM's dump_model; Vespa (reader=vespa)",
		scoring: float64InOrder,
		options: []string{"reader"}, writer: lightGBMJSONWriter,
	},
	{
		format: VespaJSON, sign: byMark, is: search.IsVespa,
		run: `put it into models/ of an application package, and compare lightgbm("FILE") of each row, as ` +
			`match-features have it, with its score`,
	},
	{
		format: XGBoostJSON, phrase: "XGBoost's JSON and UBJSON (save_model) and its JSON dumps",
		sign: byKey, is: isXGBoost(xgboost.JSON), read: xgboost.Read,
		name: "xgboost", former: []string{"xgboost-raw"},
		loadedBy: "XGBoost 1.7 to 3, treelite; the LTR plugins (model/xgboost+json+raw)",
		scoring:  float32InOrder,
		notes:    xgboost.Notes,
		writer:   xgboostWriter(xgboost.JSON),
	},
	{
		format: XGBoostUBJSON, sign: byMark, is: isXGBoost(xgboost.UBJSON), read: xgboost.Read,
	},
	{
		format: XGBoostDump, sign: byOpening, is: isXGBoost(xgboost.Dump), read: xgboost.Read,
		name: "elasticsearch", aliases: []string{"opensearch"}, former: []string{"xgboost-json"},
		loadedBy: "the LTR plugins of Elasticsearch and OpenSearch (model/xgboost+json)",
		scoring:  float32InOrder,
		writer:   xgboostWriter(xgboost.Dump),
	},
	{
		format: RankLib, phrase: "RankLib's XML",
		sign: byMark, is: ranklib.Is, read: ranklib.Read,
		name: "ranklib", loadedBy: "RankLib; the LTR plugins (model/ranklib)",
		scoring: float32InOrder,
		place:   ranklib.ByName, numbering: "feature_base", anyBytes: true,
		options: []string{"feature_base"},
		writer: func(c *choices) writer {
			return writer{capabilities: ranklib.Capabilities,
				write: func(w io.Writer, e *tree.Ensemble) error { return ranklib.Write(w, e, c.featureBase) }}
		},
	},
	{
		format: SolrJSON, phrase: "Solr's JSON",
		sign: byMark, is: search.IsSolr, read: search.ReadSolr,
		name: "solr", loadedBy: "Solr's LTR module (MultipleAdditiveTreesModel)",
		scoring: float32InOrder,
		notes:   search.SolrNotes,
		options: []string{"model_name", "feature_store"}, writer: solrWriter,
	},
	{
		format: ElasticJSON, sign: byMark, is: search.IsElastic,
		run: `upload it (PUT _ml/trained_models/ID), index the rows, and compare the _score of a ` +
			`learning_to_rank rescorer with their scores`,
		name: "elastic-ltr", loadedBy: "Elasticsearch's own learning to rank (8.12 and newer, no plugin)",
		scoring: scoring{arithmetic: float64ToFloat32, float32: true},
		writer: func(*choices) writer {
			return writer{capabilities: search.ElasticCapabilities, write: search.WriteElastic}
		},
	},
	{
		format: ONNX, sign: byMark, is: onnx.Is,
		run:  `run it in ONNX Runtime: InferenceSession(FILE).run(None, {"input": rows}), and compare`,
		name: "onnx", loadedBy: "ONNX Runtime and others",
		scoring: scoring{arithmetic: inFloat32, float32: true},
		options: []string{"number_type"}, writer: onnxWriter,
	},
}, sources())

// choices are the values of the parameters that only some targets have.
type choices struct {
	version, reader, numberType string
	featureBase                 int
	modelName, featureStore     string // the default of the target if empty
	noMissing                   bool   // the programs see no missing values
}

func defaultChoices() *choices {
	return &choices{version: lightgbm.V3, reader: "lightgbm", numberType: "float32"}
}

// table returns the parameters in the order of the targets that have them.
func (c *choices) table() param.Table {
	return param.Table{
		{Name: "version", Group: group,
			Help:  "Version of LightGBM's text: v3, which LightGBM 3 and 4, treelite and leaves read, or v4.",
			Value: bind.Choice(&c.version, lightgbm.V3, lightgbm.V4)},
		{Name: "reader", Group: group,
			Help: "Readers of LightGBM's JSON: lightgbm, which compare values with <= as LightGBM does, or " +
				"vespa, whose importer compares with <.",
			Value: bind.Choice(&c.reader, "lightgbm", "vespa")},
		{Name: "feature_base", Group: group,
			Help:  "0: column n of the model is RankLib's feature n, as in LETOR files. 1: it is feature n+1.",
			Value: bind.Int(&c.featureBase, bind.AtLeast(0), bind.AtMost(1))},
		{Name: "model_name", Group: group,
			Help: "Name of the model in Solr (lambdamart if it is not given), of the Go package, prefix of " +
				"names in C (ranker), or Java class, also with its package (Ranker).",
			Value: bind.Text(&c.modelName)},
		{Name: "feature_store", Group: group,
			Help:  "Feature store of the model in Solr; Solr's default if it is not given.",
			Value: bind.Text(&c.featureStore)},
		{Name: "number_type", Group: group,
			Help: "Numbers of an ONNX model. float64 needs a runtime with ai.onnx.ml 3, and categorical splits one " +
				"with 5.",
			Value: bind.Choice(&c.numberType, "float32", "float64")},
	}
}

func lightGBMWriter(c *choices) writer {
	holds := engine.Everything("LightGBM")
	holds.Calibration = true // LightGBM skips its line
	return writer{capabilities: holds,
		write: func(w io.Writer, e *tree.Ensemble) error { return lightgbm.WriteVersion(w, e, c.version) }}
}

func lightGBMJSONWriter(c *choices) writer {
	if c.reader == "vespa" {
		return writer{format: VespaJSON, capabilities: search.VespaCapabilities, write: search.WriteVespa}
	}
	return writer{capabilities: engine.Everything("LightGBM's JSON"), write: lightgbm.WriteJSON}
}

func isXGBoost(form xgboost.Form) func([]byte) bool {
	return func(data []byte) bool { return xgboost.Is(data, form) }
}

func xgboostWriter(form xgboost.Form) func(*choices) writer {
	return func(*choices) writer {
		return writer{capabilities: xgboost.Capabilities(form), exclude: xgboost.Deviates,
			write: func(w io.Writer, e *tree.Ensemble) error { return xgboost.Write(w, e, form) }}
	}
}

// sources returns an entry for each language of source code.
func sources() []entry {
	var list []entry
	for _, l := range sourcecode.Languages {
		list = append(list, entry{
			format: Format(l.Format), sign: byMark, is: l.Is, run: l.Run,
			name: l.Target, loadedBy: l.LoadedBy,
			scoring: float64InOrder, anyBytes: l.AnyBytes,
			options: []string{"model_name"},
			writer: func(c *choices) writer {
				return writer{capabilities: sourcecode.Capabilities(), write: func(w io.Writer, e *tree.Ensemble) error {
					return l.Write(w, e, cmp.Or(c.modelName, l.Name))
				}}
			},
		})
	}
	return list
}

func onnxWriter(c *choices) writer {
	o, s := onnx.Options{Float64: c.numberType == "float64"}, scoring{}
	if o.Float64 {
		s.arithmetic = float64ToFloat32
	}
	return writer{capabilities: o.Capabilities(), exclude: onnx.Deviates, scoring: s,
		write: func(w io.Writer, e *tree.Ensemble) error { return onnx.Write(w, e, o) }}
}

func solrWriter(c *choices) writer {
	o := search.SolrOptions{Name: cmp.Or(c.modelName, "lambdamart"), Store: c.featureStore,
		NoMissing: c.noMissing}
	return writer{capabilities: search.SolrCapabilities, exclude: search.SolrDeviates,
		write: func(w io.Writer, e *tree.Ensemble) error { return search.WriteSolr(w, e, o) }}
}
