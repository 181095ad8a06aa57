// Command scorer is a WebAssembly module that scores rows with a model, for browsers, Node and other runtimes
// of WASI preview 1:
//
//	export GOOS=wasip1 GOARCH=wasm
//	go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o scorer.wasm ./release/scorer
//
// scorer.mjs in this folder is its JavaScript interface. The module is a reactor: call _initialize once, and
// then the functions
//
//	allocate(size) pointer         memory of the module for a caller's bytes; it is kept until release
//	release(pointer)
//	load(pointer, size) model      reads a model file in any format that lambdamart reads; its number, or -1
//	width(model) values            number of values in a row
//	score(model, rows, n, scores)  scores n rows of float64, one after the other; 0, or -1
//	message() pointer              text of the last error, in UTF-8, and its size:
//	message_size() size
//
// A missing value is NaN. For a model with query context, the rows of one call are the documents of one
// query; for other models they are arbitrary. Scores equal those of lambdamart predict in every bit.
package main
