package booster

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
)

// bag chooses queries for a draw: each query with the probability BaggingFraction, and a new bag every
// BaggingFreq draws. It returns, by query, whether it is chosen; nil if there are no bags or if they consist
// of single rows. first is the number of query 0 in the data of all peers.
func bag(p *Params, first, queries, draw int) []bool {
	if !p.hasBags() || !p.BaggingByQuery {
		return nil
	}
	key := random.New(seedOr(p.BaggingSeed, p.Seed), random.QueryBag, draw/p.BaggingFreq)
	chosen := make([]bool, queries)
	for q := range chosen {
		chosen[q] = key.Float64(first+q) < p.BaggingFraction
	}
	return chosen
}

// bagRows appends the rows of the chosen queries to dst in ascending order.
func bagRows(dst []int32, data *dataset.Meta, chosen []bool) []int32 {
	for n, q := range data.Queries {
		if !chosen[n] {
			continue
		}
		for row := q.First; row < q.First+q.Len; row++ {
			dst = append(dst, int32(row))
		}
	}
	return dst
}

// rowBag appends the rows of a bag of single rows to dst in ascending order: each row with the probability
// BaggingFraction, regardless of its query. first is the number of row 0 in the data of all peers.
func rowBag(dst []int32, p *Params, first, rows, draw int) []int32 {
	key := random.New(seedOr(p.BaggingSeed, p.Seed), random.RowBag, draw/p.BaggingFreq)
	for row := range rows {
		if key.Float64(first+row) < p.BaggingFraction {
			dst = append(dst, int32(row))
		}
	}
	return dst
}

// chooseColumns returns the columns that the tree of a draw may split on, in ascending order: the share
// FeatureFraction of them, rounded, and at least one. features has the feature of each column. The draw is
// keyed by feature, so it does not depend on which features have columns.
func chooseColumns(p *Params, features []int32, draw int) []int32 {
	columns := make([]int32, len(features))
	for c := range columns {
		columns[c] = int32(c)
	}
	if p.FeatureFraction >= 1 || len(columns) < 2 {
		return columns
	}
	key := random.New(seedOr(p.FeatureFractionSeed, p.Seed), random.FeatureBag, draw)
	slices.SortFunc(columns, func(a, b int32) int {
		return cmp.Or(cmp.Compare(key.Uint64(int(features[a])), key.Uint64(int(features[b]))), cmp.Compare(a, b))
	})
	columns = columns[:grow.Portion(len(columns), p.FeatureFraction)]
	slices.Sort(columns)
	return columns
}
