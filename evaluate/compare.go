package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Pairs selects the pairs of systems to compare.
type Pairs uint8

const (
	WithFirst Pairs = iota // every other system with the first one
	AllPairs               // every system with every other one
)

// Comparison is the result of comparing several systems, judged on the same queries by one metric.
type Comparison struct {
	Metric  string
	Tests   metric.TestOptions
	Systems []string
	Queries []string    // ids of queries with values of all systems, in the order of the first system
	Values  [][]float64 // by system, then query
	Weights []float64   // of the queries; nil where all are equal
	Means   []float64   // by system, over the common queries with their weights
	Missing int         // queries that some system lacks; they are left out for all
	LeftOut int         // queries of all systems that the metric leaves out
	Pairs   []Pair
}

// Pair is system B against system A.
type Pair struct {
	A, B int // indexes of systems
	metric.Comparison

	// Holm is the p-values of the three tests after the correction for the number of pairs: see [Correct].
	Holm struct{ StudentT, Randomization, Wilcoxon float64 }
}

// The errors of the systems of a comparison.
var (
	ErrFewSystems = errors.New("give two or more to compare")
	ErrTwoMetrics = errors.New("compare values of one metric")
	ErrTwoWeights = errors.New("compare values of queries with the same weights")
)

// Compare compares systems query by query: their means, the difference of each pair with its interval, wins
// and losses, and three tests of whether the difference is real, all with the weights of queries
// ([metric.Sample]). A query that some system lacks, or that the convention does not count, is left out for
// all.
//
// If the tests cannot be done, for example with fewer than two common queries, the comparison is returned
// along with the error, without pairs: it has the number of missing queries.
func Compare(systems []Values, tests metric.TestOptions, pairs Pairs) (*Comparison, error) {
	if err := checkSystems(systems); err != nil {
		return nil, err
	}
	c := &Comparison{Metric: systems[0].Metric, Tests: tests}
	for _, s := range systems {
		c.Systems = append(c.Systems, s.System)
	}
	if err := c.align(systems); err != nil {
		return nil, err
	}
	for _, values := range c.Values {
		c.Means = append(c.Means, metric.NewSample(values, c.Weights).Mean())
	}
	found, err := c.compare(pairs)
	if err != nil {
		return c, err
	}
	c.Pairs = found
	Correct(c)
	return c, nil
}

// checkSystems returns an error unless there are two or more systems with values of one metric, one value for
// each query.
func checkSystems(systems []Values) error {
	if len(systems) < 2 {
		return fmt.Errorf("%d systems; %w", len(systems), ErrFewSystems)
	}
	for _, s := range systems {
		if s.Metric != systems[0].Metric {
			return fmt.Errorf("%s has values of %s and %s of %s; %w", systems[0].System,
				systems[0].Metric, s.System, s.Metric, ErrTwoMetrics)
		}
		if len(s.Values) != len(s.Queries) || s.Weights != nil && len(s.Weights) != len(s.Queries) {
			return fmt.Errorf("%s has %s and %s for %s; "+
				"give one for each, or no weights", s.System, wording.Count(len(s.Values), "value"),
				wording.Count(len(s.Weights), "weight"), wording.Count(len(s.Queries), "query"))
		}
		if s.err != nil {
			return fmt.Errorf("%s: %w", s.System, s.err)
		}
		seen := make(map[string]bool, len(s.Queries))
		for _, id := range s.Queries {
			if seen[id] {
				return fmt.Errorf("%s: query %q %w", s.System, id, ErrRepeatedQuery)
			}
			seen[id] = true
		}
	}
	return nil
}

// placesOf returns, by system, the index of each query, and the set of all queries.
func placesOf(systems []Values) (places []map[string]int, all map[string]bool) {
	places, all = make([]map[string]int, len(systems)), map[string]bool{}
	for s, system := range systems {
		places[s] = make(map[string]int, len(system.Queries))
		for i, id := range system.Queries {
			places[s][id], all[id] = i, true
		}
	}
	return places, all
}

// align orders the values of all systems like the first one's queries, drops the queries for which not all
// have a value, and counts those that a system lacks. The error is about a query whose weight differs between
// systems.
func (c *Comparison) align(systems []Values) error {
	places, lacking := placesOf(systems)
	c.Values = make([][]float64, len(systems))
	row := make([]float64, len(systems))
	for _, id := range systems[0].Queries {
		inAll, counts, weight := true, true, systems[0].weight(places[0][id])
		for s, system := range systems {
			place, ok := places[s][id]
			if inAll = inAll && ok; inAll {
				row[s] = system.Values[place]
				counts = counts && !math.IsNaN(row[s])
				if other := system.weight(place); other != weight {
					return fmt.Errorf("query %q has the weight %v in %s and %v in %s; %w",
						id, weight, systems[0].System, other, system.System, ErrTwoWeights)
				}
			}
		}
		if !inAll {
			continue
		}
		delete(lacking, id)
		if !counts {
			c.LeftOut++
			continue
		}
		c.Queries, c.Weights = append(c.Queries, id), append(c.Weights, weight)
		for s := range systems {
			c.Values[s] = append(c.Values[s], row[s])
		}
	}
	c.Missing = len(lacking)
	if metric.NewSample(c.Weights, c.Weights).Weights == nil {
		c.Weights = nil
	}
	return nil
}

// weight returns the weight of a query.
func (v *Values) weight(query int) float64 {
	if v.Weights == nil {
		return 1
	}
	return v.Weights[query]
}

// compare tests the pairs.
func (c *Comparison) compare(which Pairs) ([]Pair, error) {
	var pairs []Pair
	for a := range c.Systems {
		for b := a + 1; b < len(c.Systems); b++ {
			found, err := metric.Compare(c.Values[a], c.Values[b], c.Weights, c.Tests)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, Pair{A: a, B: b, Comparison: found})
		}
		if which == WithFirst {
			break
		}
	}
	return pairs, nil
}

// Correct sets the p-values that are corrected for the number of pairs, test by test, of comparisons by
// several metrics together, by Holm's method.
func Correct(comparisons ...*Comparison) {
	var pairs []*Pair
	for _, c := range comparisons {
		for i := range c.Pairs {
			pairs = append(pairs, &c.Pairs[i])
		}
	}
	corrected := func(p func(*Pair) float64) []float64 {
		all := make([]float64, len(pairs))
		for i, pair := range pairs {
			all[i] = p(pair)
		}
		return holm(all)
	}
	t := corrected(func(p *Pair) float64 { return p.StudentT.P })
	randomization := corrected(func(p *Pair) float64 { return p.Randomization.P })
	wilcoxon := corrected(func(p *Pair) float64 { return p.Wilcoxon.P })
	for i, pair := range pairs {
		pair.Holm.StudentT, pair.Holm.Randomization, pair.Holm.Wilcoxon = t[i], randomization[i], wilcoxon[i]
	}
}

// holm returns the probabilities p of several tests, adjusted so that the chance of any false alarm among
// them stays at the level with which each is compared, whatever the tests: the smallest is multiplied by
// len(p), the next by len(p)-1 and so on; each result is at least the one before it and at most 1 (S. Holm, A
// simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979).
func holm(p []float64) []float64 {
	adjusted, floor := make([]float64, len(p)), 0.0
	for place, i := range ascending(p) {
		floor = max(floor, min(1, p[i]*float64(len(p)-place)))
		adjusted[i] = floor
	}
	return adjusted
}

// ascending returns the indices of p from the smallest to the largest, equal ones in their order.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return order
}
