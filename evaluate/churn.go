package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// ChurnDepth is the number of documents of a query, from the first, that [Churn] sees.
const ChurnDepth = 1000

// Churned tells how much two rankings of the same queries differ, whatever the documents are worth. Each
// figure is a mean over the queries, which count equally.
type Churned struct {
	Queries int // that both have, with a document in one of them
	// share of the documents at the first k ranks that both have there; of a query with fewer documents, at as
	// many ranks as the longer ranking has
	Overlap float64
	// rank-biased overlap, extrapolated: 1 for equal rankings, 0 for those without a common document
	RBO   float64
	Moved float64 // share of the queries whose first document differs
}

// The errors of Churn.
var (
	ErrNotKept   = errors.New("judge with Options.Keep")
	ErrNameless  = errors.New("documents without a score, and none has an id by which to tell which are ranked")
	ErrNoCommon  = errors.New("the rankings have no query in common")
	errRBONumber = errors.New("want a number above 0 and below 1")
)

// Churn compares the documents of two rankings that were judged with [Options.Keep]: by id, or by their
// number in the query where neither has ids. Equal scores are ranked by id, the last one first as trec_eval
// ranks them, or by number. k is the depth of Churned.Overlap, at least 1, and p that of Churned.RBO, the
// probability with which a reader continues to each next rank.
func Churn(a, b *Judgment, k int, p float64) (Churned, error) {
	switch {
	case a.kept == nil || b.kept == nil:
		return Churned{}, ErrNotKept
	case k < 1:
		return Churned{}, fmt.Errorf("overlap of the first %s; want at least 1",
			wording.Count(k, "document"))
	case !(p > 0 && p < 1):
		return Churned{}, fmt.Errorf("p=%v of rank-biased overlap: %w", p, errRBONumber)
	case a.kept.nameless || b.kept.nameless:
		return Churned{}, ErrNameless
	}
	var sum Churned
	for _, id := range a.Queries {
		first := a.kept.documents[id]
		second, both := b.kept.documents[id]
		if !both || len(first)+len(second) == 0 {
			continue
		}
		sum.Queries++
		common := commonDocuments(first, second)
		depth := min(k, len(common))
		sum.Overlap += float64(common[depth-1]) / float64(depth)
		sum.RBO += rankBiasedOverlap(common, min(len(first), len(second)), p)
		if len(first) == 0 || len(second) == 0 || first[0] != second[0] {
			sum.Moved++
		}
	}
	if sum.Queries == 0 {
		return Churned{}, ErrNoCommon
	}
	n := float64(sum.Queries)
	return Churned{sum.Queries, sum.Overlap / n, sum.RBO / n, sum.Moved / n}, nil
}

// commonDocuments returns how many documents two rankings have in common at the first 1, 2, … ranks, to the
// end of the longer one.
func commonDocuments(a, b []string) []int {
	in, n := make(map[string]int, len(a)), 0 // 1: a, 2: b, 3: both
	common := make([]int, max(len(a), len(b)))
	for rank := range common {
		for i, list := range [][]string{a, b} {
			if rank < len(list) && in[list[rank]] != 3 {
				if in[list[rank]] |= i + 1; in[list[rank]] == 3 {
					n++
				}
			}
		}
		common[rank] = n
	}
	return common
}

// rankBiasedOverlap returns the extrapolated rank-biased overlap of two rankings, the shorter with s
// documents (W. Webber, A. Moffat and J. Zobel, A similarity measure for indefinite rankings, ACM TOIS 28,
// 2010, equation 32). With X_d of common, and agreements A_d = X_d/d, or (X_d + X_s(d-s)/s)/d below rank s,
// it is (1-p) Σ p^(d-1) A_d, in which all agreements after the last rank are that of the last rank.
func rankBiasedOverlap(common []int, s int, p float64) float64 {
	sum, reaches, agreement := 0.0, 1.0, 0.0
	for i, x := range common {
		d := i + 1
		shared := float64(x)
		if s > 0 && d > s {
			shared += float64(common[s-1]*(d-s)) / float64(s)
		}
		agreement = shared / float64(d)
		sum += float64((1 - p) * float64(reaches*agreement))
		reaches *= p
	}
	return sum + float64(reaches*agreement)
}

// kept is the documents of each query, by id, ranked.
type kept struct {
	documents map[string][]string
	nameless  bool // a query has documents without a score, and no ids
}

// add keeps the documents of lists.
func (k *kept) add(lists []metric.List) {
	for i := range lists {
		l := &lists[i]
		k.nameless = k.nameless || l.Docs == nil && len(l.Unranked) > 0 && len(l.Scores) > 0
		k.documents[l.Query] = rankedDocuments(l)
	}
}

// rankedDocuments returns the first documents of a list by score: their ids, or their numbers.
func rankedDocuments(l *metric.List) []string {
	order := make([]int, len(l.Scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		by := cmp.Compare(l.Scores[j], l.Scores[i])
		if by == 0 && l.Docs != nil {
			by = cmp.Compare(l.Docs[j], l.Docs[i])
		}
		return by
	})
	order = order[:min(len(order), ChurnDepth)]
	documents := make([]string, len(order))
	for rank, i := range order {
		if documents[rank] = strconv.Itoa(i); l.Docs != nil {
			documents[rank] = l.Docs[i]
		}
	}
	return documents
}
