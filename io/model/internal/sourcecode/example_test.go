package sourcecode_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/tree"
)

// The rows of the tables are the model; what is around them is the same in every file.
func ExampleWrite() {
	model := &tree.Ensemble{
		Features: []tree.Feature{{Name: "title_match"}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{2.5}, Decision: []tree.Decision{tree.MissingNone},
			Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
		}},
	}
	var code bytes.Buffer
	if err := sourcecode.Go.Write(&code, model, "ranker"); err != nil {
		log.Fatal(err)
	}
	_, nodes, _ := strings.Cut(code.String(), "// nodes of all trees.\n")
	nodes, _, _ = strings.Cut(nodes, "\n\n")
	fmt.Println(nodes)
	// Output:
	// var nodes = [...]node{
	// 	{0, 2.5, 0, -1, -2},
	// }
}
