// Package model reads, writes and checks model files of all supported formats. Each format is an entry of one
// table and has its own package, which documents and implements it:
//
//	io/model/internal/lightgbm     LightGBM's text, and the JSON of dump_model
//	io/model/internal/xgboost      XGBoost's JSON and UBJSON (save_model), and dumps in JSON
//	io/model/internal/ranklib      RankLib's LambdaMART and MART
//	io/model/internal/search       JSON of Solr; of Elasticsearch's own learning to rank and Vespa, only written
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
