package nnbaseline

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart/dataset"
)

// synthetic draws the data of the ListNet notebook: 100 normal features; a relevance that is a linear
// function of them, with normal weights and normal noise; and five grades bounded at -1, 0, 1, 2. Queries
// have queryLen documents. The notebook trains on lists of 16 and validates on one list.
func synthetic(rng *rand.Rand, weights []float64, rows, queryLen int) Data {
	var meta dataset.Meta
	var values []float64
	for row := range rows {
		relevance := rng.NormFloat64()
		for _, w := range weights {
			x := rng.NormFloat64()
			values = append(values, x)
			relevance += w * x
		}
		grade := 0.0
		for _, bound := range []float64{-1, 0, 1, 2} {
			if relevance >= bound {
				grade++
			}
		}
		meta.Labels = append(meta.Labels, grade)
		if row%queryLen == 0 {
			meta.Queries = append(meta.Queries, dataset.Query{ID: fmt.Sprint(row / queryLen), First: row})
		}
		meta.Queries[len(meta.Queries)-1].Len++
	}
	src, err := dataset.NewDense(meta, values)
	if err != nil {
		panic(err)
	}
	data, err := Read(context.Background(), fmt.Sprintf("%d rows", rows), src)
	if err != nil {
		panic(err)
	}
	return data
}

func syntheticSets(seed uint64) (train, valid Data) {
	rng := rand.New(rand.NewPCG(seed, 4))
	weights := make([]float64, 100)
	for i := range weights {
		weights[i] = rng.NormFloat64()
	}
	return synthetic(rng, weights, 1000, 16), synthetic(rng, weights, 500, 500)
}
