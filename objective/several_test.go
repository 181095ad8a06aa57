package objective

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
)

// TestSeveralQueriesHaveTheGradientsOfEach: queries of 1 to 40 documents, some without pairs. Few have equal
// scores in the first round, many in the next ones, and the last one's are distant.
func TestSeveralQueriesHaveTheGradientsOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for trial := range 200 {
		data, most := new(dataset.Meta), []int{3, 12, 40}[trial%3]
		var numbers []int
		for n := range 60 {
			q := dataset.Query{ID: fmt.Sprint(n), First: len(data.Labels), Len: 1 + r.IntN(most)}
			data.Queries, numbers = append(data.Queries, q), append(numbers, n)
			for range q.Len {
				data.Labels = append(data.Labels, float64(r.IntN(3)))
			}
		}
		if trial%2 == 0 {
			for range data.Labels {
				data.Weights = append(data.Weights, r.Float64())
			}
		}
		p := DefaultAllParams()
		p.LambdarankTies = []string{tiesAuto, tiesAuto, tiesDraw, tiesFile}[r.IntN(4)]
		p.LambdarankTruncationLevel = []int{2, 10, 30}[r.IntN(3)]
		p.LambdarankScoreGapNorm, p.LambdarankLogNorm = r.IntN(4) > 0, r.IntN(4) > 0
		one, all := &lambdaRank{params: p}, &lambdaRank{params: p}
		require.NoError(t, one.Prepare(data))
		require.NoError(t, all.Prepare(data))
		rows := len(data.Labels)
		got := Gradients{make([]float64, rows), make([]float64, rows)}
		for round := range 3 {
			rd := Round{Scores: make([]float64, rows), Iteration: round + 1, Seed: 7}
			for i := range rd.Scores {
				rd.Scores[i] = float64(r.IntN([]int{1000, 20, 20}[round])) * []float64{0.002, 0.1, 100}[round]
			}
			lambda, hessian := all.GradientsOf(got, numbers, rd)
			want := Gradients{make([]float64, rows), make([]float64, rows)}
			for _, n := range numbers {
				one.alone(new(several), want, n, rd)
			}
			require.Equal(t, want, got, "trial %d, round %d", trial, round)
			all.GradientsOf(got, nil, rd) // none of a batch are in the bag
			wantLambda, wantHessian := exact.Largest(want.Lambda, want.Hessian)
			require.Equal(t, []uint64{wantLambda, wantHessian}, []uint64{lambda, hessian})
		}
	}
}
