package metric

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var coverageSamples = flag.Int("coverage-samples", 400,
	"samples of TestCoverage of each kind and number of queries")

// populations are distributions from which the values of queries are drawn.
var populations = []struct {
	name   string
	draw   func(r *rand.Rand) float64
	mean   float64
	weight func(r *rand.Rand) float64 // nil: all weights are equal
	least  float64                    // lower bound of the coverage of 95 % intervals, from 5 queries
}{
	{"nDCG: 15 % are 0, 12 % are 1", ndcg, 0.12 + 0.73*0.5, nil, 0.91},
	{"reciprocal rank", someReciprocalRank, -0.35 / 0.65 * math.Log(0.35), nil, 0.91},
	{"differences: 40 % are 0, long tails", difference, 0.6 * 0.02, nil, 0.93},
	{"differences, weights from 1 to 10", difference, 0.6 * 0.02,
		func(r *rand.Rand) float64 { return math.Pow(10, r.Float64()) }, 0.91},
}

func ndcg(r *rand.Rand) float64 {
	switch u := r.Float64(); {
	case u < 0.15:
		return 0
	case u < 0.27:
		return 1
	}
	a, b, c := r.Float64(), r.Float64(), r.Float64() // their median has the distribution beta(2, 2)
	return max(min(a, b), min(max(a, b), c))
}

func someReciprocalRank(r *rand.Rand) float64 {
	rank := 1.0
	for r.Float64() >= 0.35 {
		rank++
	}
	return 1 / rank
}

func difference(r *rand.Rand) float64 {
	if r.Float64() < 0.4 {
		return 0
	}
	squares := 0.0
	for range 3 {
		z := r.NormFloat64()
		squares += float64(z * z)
	}
	return 0.02 + 0.1*r.NormFloat64()/math.Sqrt(squares/3) // Student's t with 3 degrees of freedom
}

// TestCoverage simulates how many 95 % intervals contain the true mean. docs/metrics.md has the output of
//
//	go test ./metric -run Coverage -coverage-samples 10000 -v
func TestCoverage(t *testing.T) {
	numbers := []int{3, 5, 8, 12, 20, 50, 100}
	if testing.Short() {
		numbers = numbers[:5]
	}
	for p, kind := range populations {
		line := []string{kind.name}
		for _, n := range numbers {
			share := covered(p, n)
			line = append(line, fmt.Sprintf("%.3f", share))
			if n >= 5 {
				assert.GreaterOrEqual(t, share, kind.least-3*math.Sqrt(
					kind.least*(1-kind.least)/float64(*coverageSamples)), "%s, %d queries", kind.name, n)
			}
		}
		t.Log("| " + strings.Join(line, " | ") + " |")
	}
}

// covered returns the share of samples of n queries whose interval contains the population's mean.
func covered(population, n int) float64 {
	kind, o, hits := &populations[population], DefaultTestOptions(), 0
	o.Resamples = 1000
	values, weights := make([]float64, n), make([]float64, n)
	for number := range *coverageSamples {
		r := rand.New(rand.NewPCG(uint64(population), uint64(number)))
		for i := range values {
			values[i], weights[i] = kind.draw(r), 1
			if kind.weight != nil {
				weights[i] = kind.weight(r)
			}
		}
		o.Seed = uint64(number)
		if got := NewSample(values, weights).Interval(o); got.Low <= kind.mean && kind.mean <= got.High {
			hits++
		}
	}
	return float64(hits) / float64(*coverageSamples)
}
