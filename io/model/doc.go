// Package model reads, writes and checks the model files of all formats that are known. The
// formats are entries of one table; a package of its own describes and implements each:
//
//	io/model/internal/lightgbm     LightGBM's text, and the JSON of dump_model
//	io/model/internal/xgboost      XGBoost's JSON and UBJSON (save_model), and dumps in JSON
//	io/model/internal/ranklib      RankLib's LambdaMART and MART
//	io/model/internal/quickrank    QuickRank's ensembles of trees; they are only read
//	io/model/internal/solr         Solr's JSON
//	io/model/internal/vespa        Vespa's JSON; this and the following formats are only written
//	io/model/internal/elastic      the JSON of Elasticsearch's own learning to rank
//	io/model/internal/onnx         ONNX
//	io/model/internal/sourcecode   Go, C and Java source
//	io/model/internal/sql          statements for DuckDB and PostgreSQL
//	io/model/internal/pmml         PMML
//
// # Reading
//
// [Read] and [ReadFile] recognize the format of a file by its content and return the model. A
// neural ranker is not an ensemble of trees: package nnbaseline has its format, and a program that
// accepts both asks nnbaseline.IsModel first.
//
// # Exporting
//
// A [Target] is a form in which models are written for programs that load it. [Export] renames
// the features of a model, checks that the target and the engine can hold it, and makes the file.
// It reads a file of a format that is read back and scores test vectors with it, so that one that does not
// score like the model is never returned. What is only written is tested in the engines that load it. [Write]
// writes the file of such an export.
//
// # Test vectors
//
// An export can include test vectors: rows of feature values, and the scores that an engine must give them.
// Whoever deploys the model sends the rows through the engine and compares the scores; [VerifyFile] does so
// with a file that is read here. The file of test vectors is
// a JSON object, with one row a line:
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
// The arithmetics are "float64", "float32" (each leaf value and each sum is rounded, in the order
// of the trees) and "float64 to float32" (only the final sum is rounded). The tolerance is 0 if the
// engine adds the trees in order. Otherwise it is the bound of what the order can change: the
// number of trees times 2^-23 (2^-52 for float64) times the largest sum of magnitudes, and one
// rounding.
package model
