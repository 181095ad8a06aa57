package onnx_test

import (
	"log"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/tree"
)

// Write writes to any writer.
func ExampleWrite() {
	model := &tree.Ensemble{Features: []tree.Feature{{Name: "bm25"}}}
	f, err := os.Create(filepath.Join(os.TempDir(), "model.onnx"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := onnx.Write(f, model, onnx.Options{Float64: true}); err != nil {
		log.Fatal(err)
	}
}
