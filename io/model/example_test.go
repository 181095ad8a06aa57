package model_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Score a row with a ranker that XGBoost trained.
func Example() {
	ensemble, format, err := model.ReadFile("internal/xgboost/testdata/3.2.0-ndcg.ubj")
	if err != nil {
		log.Fatal(err)
	}
	score, err := ensemble.ScoreRow([]float64{0.7, -1.2, 0.1, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, %d features, score %.4f\n", format, ensemble.NumFeatures(), score)
	// Output: XGBoost UBJSON, 4 features, score 0.1849
}

// stump returns a model of one tree with one split.
func stump() *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "Column_0"}, {Name: "Column_1"}},
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{2.5}, Decision: []tree.Decision{tree.MissingNone},
			Gain: []float64{1},
			Left: []int32{^0}, Right: []int32{^1}, InternalValue: []float64{0}, InternalWeight: []float64{2},
			InternalCount: []int64{2},
			LeafValue:     []float64{-0.5, 0.25}, LeafWeight: []float64{1, 1}, LeafCount: []int64{1, 1}, Shrinkage: 1,
		}},
	}
}

// Export a model for Solr, with the feature names of its feature store.
func ExampleExport() {
	exported, err := model.Export(stump(), "solr", model.Options{
		Names:    &model.Names{List: []model.Name{{Model: "Column_1", Engine: "title_match"}}},
		Settings: []param.Setting{{Name: "model_name", Value: "ranker"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(string(exported.Content), ",", ",\n"))
	// Output:
	// {"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
	// "name":"ranker",
	// "features":[{"name":"title_match"}],
	// "params":{"trees":[{"weight":"1",
	// "root":{"feature":"title_match",
	// "threshold":"2.499999",
	// "left":{"value":"-0.5"},
	// "right":{"value":"0.25"}}}]}}
}

// Exporting a model that an engine cannot represent fails, and the error says where.
func ExampleExport_refusal() {
	e := stump()
	e.Trees[0].Decision[0] = tree.MissingNaN // missing values go right, but zeros go left
	_, err := model.Export(e, "ranklib", model.Options{})
	where, _, _ := strings.Cut(err.Error(), " (")
	fmt.Println(errors.Is(err, model.ErrUnsupported))
	fmt.Println(where)
	// Output:
	// true
	// RankLib cannot hold this model: tree 0, node 0 has a split that sends missing values elsewhere
}

// Write a file and its test vectors together. Later, check the deployed file.
func ExampleVerifyFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.json")

	exported, err := model.Export(stump(), "elasticsearch", model.Options{Vectors: 100})
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, exported.Content, 0o666); err != nil {
		log.Fatal(err)
	}
	if err := stream.WriteFile(path+model.VectorsEnding, exported.Vectors.Write); err != nil {
		log.Fatal(err)
	}

	verified, err := model.VerifyFile(path, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, made for %s: %d of %d scores differ\n",
		verified.Format, verified.Vectors.Target, verified.Different, len(verified.Scores))
	// Output: XGBoost JSON dump, made for elasticsearch: 0 of 100 scores differ
}

// List the targets as the help does.
func ExampleTargets() {
	for _, t := range model.Targets()[:2] {
		fmt.Printf("%s: %v, for %s\n", t.Name, t.Format, t.LoadedBy)
	}
	// Output:
	// lightgbm: LightGBM text, for LightGBM 3 and 4, treelite, shap, leaves
	// lightgbm-json: LightGBM JSON, for readers of LightGBM's dump_model; Vespa (reader=vespa)
}
