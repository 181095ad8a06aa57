//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/lambdamart/lambdamart/metric"
)

// timeNDCG times nDCG of one query, for comparison with scikit-learn's. It and bench/ndcg/sklearn_ndcg.py
// draw labels and scores from the integers below a million, compute nDCG under scikit-learn's convention, and
// print the time of the shortest of many rounds, which other programs on the machine affect least.
func timeNDCG() {
	fmt.Println("documents  cut-off  microseconds")
	for _, documents := range []int{100, 1000, 10_000} {
		fmt.Printf("%9d  %7s  %12.2f\n", documents, "10", microseconds(documents, 10))
		fmt.Printf("%9d  %7s  %12.2f\n", documents, "all", microseconds(documents, 0))
	}
}

const rounds = 30

// microseconds returns the mean time of a call in the shortest round.
func microseconds(documents, cutoff int) float64 {
	rng := rand.New(rand.NewPCG(1, uint64(documents)))
	labels, scores := make([]float64, documents), make([]float64, documents)
	for i := range labels {
		labels[i], scores[i] = float64(rng.IntN(1_000_000)), float64(rng.IntN(1_000_000))
	}
	m := metric.NDCG(metric.SKLearn(), cutoff)
	calls := 200_000 / documents
	shortest := math.Inf(1)
	for range rounds {
		begin := time.Now()
		for range calls {
			m.Query(labels, scores)
		}
		shortest = min(shortest, float64(time.Since(begin).Nanoseconds())/float64(calls))
	}
	return shortest / 1000
}
