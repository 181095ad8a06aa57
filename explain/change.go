package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// Change is a change of one feature of one document.
type Change struct {
	Document string       `json:"document"`
	Feature  string       `json:"feature"`
	From     metric.Value `json:"from"`
	To       metric.Value `json:"to"`    // the nearest value at which the documents are swapped; null: missing
	Score    metric.Value `json:"score"` // of the document then
	// Other is the score of the other document then, which differs from before if the model has query context.
	Other metric.Value `json:"other_score"`
	// Size is the distance of the values as a share of the range of the model's thresholds of the feature, and
	// of the query's values if the feature has query context, so that features can be compared; 1 for categories
	// and missing values.
	Size metric.Value `json:"size"`
}

// changes returns the nearest change of each feature of a, and of each of b, that swaps the two documents of
// q.
//
// As functions of one feature, the scores of both are constant between two neighbouring [steps], so that one
// value for each interval, that nearest to the document's own, is an exact search.
func (d *Data) changes(q dataset.Query, a, b Document) []Change {
	used := d.used()
	found := make([][]Change, len(used))
	pool := par.New(d.options.Workers)
	defer pool.Close()
	pool.Run(len(used), func(_, i int) {
		if d.isCount(used[i]) {
			return
		}
		for _, pair := range [][2]Document{{a, b}, {b, a}} {
			if c, ok := d.along(q, used[i], pair[0], pair[1]).nearest(); ok {
				found[i] = append(found[i], c)
			}
		}
	})
	list := append([]Change{}, slices.Concat(found...)...)
	slices.SortStableFunc(list, func(x, y Change) int { return cmp.Compare(x.Size, y.Size) })
	return list
}

// along is two documents of a query, while one feature of the first has other values.
type along struct {
	d         *Data
	feature   *contextual // its last value is that of the first document
	a, b      Document
	rowA      []float64 // changed with the feature
	rowB      []float64
	unchanged float64 // value of the feature in b
}

func (d *Data) along(q dataset.Query, f int, a, b Document) *along {
	l := &along{d: d, feature: d.contextual(f).of(d, q), a: a, b: b, rowA: slices.Clone(d.row(a.row)),
		rowB: slices.Clone(d.row(b.row)), unchanged: d.row(b.row)[f]}
	l.feature.values = append(slices.Delete(l.feature.values, a.row-q.First, a.row-q.First+1), l.from())
	slices.Sort(l.others()) // so that querycontext has little to sort for each value
	return l
}

// from returns the first document's own value.
func (l *along) from() float64 { return l.d.row(l.a.row)[l.feature.number] }

// others returns the values of the other documents.
func (l *along) others() []float64 { return l.feature.values[:len(l.feature.values)-1] }

// set gives the first document another value.
func (l *along) set(x float64) {
	l.feature.values[len(l.feature.values)-1] = x
	l.feature.prepare()
	l.feature.write(l.rowA, x)
	l.feature.write(l.rowB, l.unchanged)
}

// scores returns the scores of the documents if the first one has another value.
func (l *along) scores(x float64) (a, b float64) {
	l.set(x)
	a, _ = l.d.Model.ScoreRow(l.rowA) // the rows have the right length
	if len(l.feature.columns) == 0 {
		return a, l.b.Score
	}
	b, _ = l.d.Model.ScoreRow(l.rowB)
	return a, b
}

// nearest returns the nearest change by which the first document is on the other side of the second one.
func (l *along) nearest() (Change, bool) {
	from, s := l.from(), l.steps()
	candidates := s.candidates(from)
	slices.SortStableFunc(candidates, func(x, y float64) int {
		return cmp.Or(cmp.Compare(s.size(from, x), s.size(from, y)), cmp.Compare(apart(from, x), apart(from, y)))
	})
	for _, to := range candidates {
		a, b := l.scores(to)
		if a != b && (l.a.Rank < l.b.Rank) != (a > b) {
			return Change{Document: l.a.ID, Feature: l.d.Model.Features[l.feature.number].Name,
				From: metric.Value(from), To: metric.Value(to), Score: metric.Value(a), Other: metric.Value(b),
				Size: metric.Value(s.size(from, to))}, true
		}
	}
	return Change{}, false
}

// steps are the values of a feature at which scores can change.
type steps struct {
	thresholds []float64 // ascending: at most one of them, or above it
	categories []float64
	missing    bool    // a missing value is another one
	span       float64 // of values that are usual
}

// steps returns the values of the feature at which a split of the model sends one of the documents to another
// side.
func (l *along) steps() steps {
	s := stepsOf(l.d.Model, l.feature.number)
	s.span = spanOf(slices.Concat(s.thresholds, l.usual()))
	if len(l.feature.columns) > 0 {
		l.addCrossings(&s)
	}
	return s
}

// usual returns the values of the other documents that are not missing, ascending, if the feature has query
// context.
func (l *along) usual() []float64 {
	if len(l.feature.columns) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.others()), math.IsNaN)
}

// stepsOf returns the values of a column of a model at which a split sends a row to another side.
func stepsOf(m *tree.Ensemble, column int) steps {
	var s steps
	for i := range m.Trees {
		t := &m.Trees[i]
		for node, feature := range t.Feature {
			if int(feature) != column {
				continue
			}
			switch decision := t.Decision[node]; {
			case decision&tree.Categorical != 0:
				for _, c := range t.CategoriesLeft(node) {
					s.categories = append(s.categories, float64(c))
				}
				continue
			case decision.Missing() == tree.MissingZero:
				s.thresholds = append(s.thresholds, -math.Nextafter(tree.ZeroThreshold, 1), tree.ZeroThreshold)
				s.missing = true
			case decision.Missing() == tree.MissingNaN:
				s.missing = true
			}
			s.thresholds = append(s.thresholds, t.Threshold[node])
		}
	}
	slices.Sort(s.thresholds)
	slices.Sort(s.categories)
	s.thresholds, s.categories = slices.Compact(s.thresholds), slices.Compact(s.categories)
	return s
}

// candidates returns a value in each interval, the nearest to the given one, and the categories.
func (s *steps) candidates(from float64) []float64 {
	all := slices.Clone(s.categories)
	for _, t := range s.thresholds {
		if !(from <= t) {
			all = append(all, t)
		}
		if above := math.Nextafter(t, math.Inf(1)); !(from > t) && !math.IsInf(above, 1) {
			all = append(all, above)
		}
	}
	if s.missing && !math.IsNaN(from) {
		all = append(all, math.NaN())
	}
	return all
}

// size returns how far a change goes.
func (s *steps) size(from, to float64) float64 {
	if s.span == 0 || math.IsNaN(from) || math.IsNaN(to) {
		return 1
	}
	return math.Abs(to-from) / s.span
}

// apart returns how many float64 lie between two values, which tells values apart whose distances are rounded
// to the same.
func apart(x, y float64) uint64 {
	a, b := ordinal(x), ordinal(y)
	return max(a, b) - min(a, b)
}

// spanOf returns the length of the interval that has some values; if it has none, the size of the values or
// 1. It is 0 without values.
func spanOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	low, high := slices.Min(values), slices.Max(values)
	if span := high - low; span > 0 && !math.IsInf(span, 1) {
		return span
	}
	return max(math.Abs(low), 1)
}
