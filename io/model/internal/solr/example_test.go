package solr_test

import (
	"log"
	"os"

	"github.com/lambdamart/lambdamart/io/model/internal/solr"
	"github.com/lambdamart/lambdamart/tree"
)

// A model that scores 1 if the title matches with more than 2.5, and 0 otherwise.
func ExampleWrite() {
	model := &tree.Ensemble{
		Features: []tree.Feature{{Name: "title_match"}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{2.5}, Decision: []tree.Decision{tree.MissingNone},
			Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
		}},
	}
	if err := solr.Write(os.Stdout, model, solr.Options{Name: "titles", Store: "news"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel","name":"titles","store":"news","features":[{"name":"title_match"}],"params":{"trees":[{"weight":"1","root":{"feature":"title_match","threshold":"2.499999","left":{"value":"0"},"right":{"value":"1"}}}]}}
}
