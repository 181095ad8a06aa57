package nnbaseline_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
)

// lists draws queries of documents with 5 features and grades from 0 to 4 that depend on the first two.
func lists(rng *rand.Rand, name string, queries, documents int) nnbaseline.Data {
	var meta dataset.Meta
	var values []float64
	for number := range queries {
		meta.Queries = append(meta.Queries, dataset.Query{ID: fmt.Sprint(number), First: number * documents,
			Len: documents})
		for range documents {
			x := [5]float64{}
			for f := range x {
				x[f] = rng.NormFloat64()
			}
			values = append(values, x[:]...)
			grade := 0.0
			for _, bound := range []float64{-1, 0, 1, 2} {
				if 2*x[0]-x[1] > bound {
					grade++
				}
			}
			meta.Labels = append(meta.Labels, grade)
		}
	}
	source, err := dataset.NewDense(meta, values)
	if err != nil {
		panic(err)
	}
	data, err := nnbaseline.Read(context.Background(), name, source)
	if err != nil {
		panic(err)
	}
	return data
}

// Train RankNet on 100 queries, stop early by nDCG@5 on other queries, and score documents.
func ExampleTrain() {
	rng := rand.New(rand.NewPCG(1, 2))
	train, valid := lists(rng, "train", 100, 16), lists(rng, "valid", 20, 16)

	params := nnbaseline.DefaultParams()
	params.Ranker = nnbaseline.RankNet
	params.HiddenLayers, params.Dropout = []int{32, 16}, 0.1
	params.Epochs, params.StopMetric, params.Patience = 30, "ndcg@5", 5
	result, err := nnbaseline.Train(context.Background(), params, train, []nnbaseline.Data{valid},
		training.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Watched, "is above 0.98:", result.BestValue > 0.98)

	scores := make([]float64, 2)
	err = result.Model.Score(scores, []float64{
		2, -1, 0, 0, 0, // a good document
		-2, 1, 0, 0, 0, // a bad one
	})
	fmt.Println("the good document wins:", scores[0] > scores[1], err)
	// Output:
	// ndcg@5 on valid is above 0.98: true
	// the good document wins: true <nil>
}

// A model that is written and read back gives the same scores in every bit.
func ExampleModel_Write() {
	rng := rand.New(rand.NewPCG(1, 2))
	params := nnbaseline.DefaultParams()
	params.Epochs = 1
	result, err := nnbaseline.Train(context.Background(), params, lists(rng, "train", 10, 16), nil,
		training.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := result.Model.Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	again, err := nnbaseline.ReadModel(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	row, first, second := []float64{1, 2, 3, 4, 5}, make([]float64, 1), make([]float64, 1)
	fmt.Println(result.Model.Score(first, row), again.Score(second, row), first[0] == second[0])
	fmt.Println(again.Ranker(), again.Layers())
	// Output:
	// <nil> <nil> true
	// listnet [5 512 256 128 1]
}
