package lambdamart_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/training"
)

// Train on a file, stop by another, and write a model that LightGBM reads too.
func Example() {
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.NumLeaves, p.Patience = 15, 20
	d, err := lambdamart.Load(ctx, p, "testdata/mslr-small/train.txt.gz", "testdata/mslr-small/vali.txt.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trees, %s %.3f\n", len(r.Model.Trees), r.Watched, r.BestValue)

	folder, err := os.MkdirTemp("", "lambdamart")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := lambdamart.WriteModel(filepath.Join(folder, "model.txt"), r.Model); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 61 trees, ndcg@5 on valid_1 0.650
}

// Train on a matrix in memory.
func ExampleBin() {
	var rows [][]float64
	var labels []float64
	for i := range 600 { // 60 queries of 10 documents; the second feature makes a document relevant
		x := []float64{float64(i % 7), math.Mod(float64(i)*0.37, 1)}
		rows, labels = append(rows, x), append(labels, math.Floor(3*x[1]))
	}
	sizes := make([]int, 60)
	for q := range sizes {
		sizes[q] = 10
	}
	matrix, err := dataset.FromRows(rows, labels, sizes)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.NumIterations, p.IsTrainingMetric, p.Metric = 20, true, []string{"ndcg@5"}
	d, err := lambdamart.Bin(ctx, p, matrix)
	if err != nil {
		log.Fatal(err)
	}
	var last training.Round
	r, err := lambdamart.Train(ctx, p, d, lambdamart.OnRound(func(round training.Round) { last = round }))
	if err != nil {
		log.Fatal(err)
	}
	e := last.Evaluations[0]
	fmt.Printf("%s of %s after %d trees: %.2f\n", e.Result.Metric, e.Set, r.Rounds, e.Result.Mean)
	score, err := r.Model.ScoreRow([]float64{3, 0.9})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a relevant document scores above zero:", score > 0)
	// Output:
	// ndcg@5 of training after 20 trees: 1.00
	// a relevant document scores above zero: true
}
