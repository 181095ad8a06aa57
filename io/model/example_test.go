package model_test

import (
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/io/model"
)

// A ranker that XGBoost trained scores a row.
func Example() {
	ensemble, format, err := model.ReadFile("xgboost/testdata/3.2.0-ndcg.ubj")
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
