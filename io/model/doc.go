// Package model reads, writes and checks the model files of all formats that are known. The
// formats are entries of one table; a package of its own describes and implements each:
//
//	io/model/lightgbm     LightGBM's text, and the JSON of dump_model
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
// # Checking what is deployed
//
// An export can include test vectors: rows, and the scores that an engine must give them (see
// package io/model/vectors). [VerifyFile] scores them with a file that is deployed.
package model
