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
	To       metric.Value `json:"to"` // the nearest value that swaps the documents; null: missing
	// FromText and ToText are the categories that From and To stand for; empty if they are numbers.
	FromText string       `json:"from_text,omitempty"`
	ToText   string       `json:"to_text,omitempty"`
	Score    metric.Value `json:"score"` // of the changed document
	// Other is the score of the other document after the change. It differs from before if the model has
	// query context.
	Other metric.Value `json:"other_score"`
	// Size is the distance of the values as a share of the range of the model's thresholds for the feature
	// and, if the feature has query context, of the query's values, so that features are comparable. It is 1
	// for categories and missing values.
	Size metric.Value `json:"size"`
}

// changes returns the smallest change of each feature of a, and of each feature of b, that swaps the two
// documents of q.
//
// As functions of one feature, the scores of both are constant between two adjacent [steps]. Therefore it
// suffices to try one value in each interval, the one nearest to the document's own.
func (d *Data) changes(q dataset.Query, a, b Document) []Change {
	used := d.used()
	found, done := make([][]Change, len(used)), d.options.counter("features changed", len(used))
	pool := par.New(d.options.Workers)
	defer pool.Close()
	pool.Run(len(used), func(_, i int) {
		defer done(1)
		if d.isCount(used[i]) || d.tooLong(q, used[i]) {
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

// tooLong reports whether changes of a feature are not searched since it has query context and the query is
// long.
func (d *Data) tooLong(q dataset.Query, f int) bool {
	return q.Len > longQuery && len(d.contextual(f).columns) > 0
}

// along varies one feature of the first of two documents of a query.
type along struct {
	d         *Data
	feature   *contextual // its last value is the value of the first document
	a, b      Document
	rowA      []float64 // changed with the feature
	rowB      []float64
	unchanged float64 // value of the feature in b
}

func (d *Data) along(q dataset.Query, f int, a, b Document) *along {
	l := &along{d: d, feature: d.contextual(f).of(d, q), a: a, b: b, rowA: slices.Clone(d.row(a.row)),
		rowB: slices.Clone(d.row(b.row)), unchanged: d.row(b.row)[f]}
	l.feature.values = append(slices.Delete(l.feature.values, a.row-q.First, a.row-q.First+1), l.from())
	slices.Sort(l.others()) // then querycontext has little to sort for each value
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
	a, _ = l.d.Model.ScoreRow(l.rowA) // the length of the row is right
	if len(l.feature.columns) == 0 {
		return a, l.b.Score
	}
	b, _ = l.d.Model.ScoreRow(l.rowB)
	return a, b
}

// nearest returns the smallest change that moves the first document to the other side of the second one.
func (l *along) nearest() (Change, bool) {
	from, s := l.from(), l.steps()
	candidates := s.candidates(from)
	slices.SortStableFunc(candidates, func(x, y float64) int {
		return cmp.Or(cmp.Compare(s.size(from, x), s.size(from, y)), cmp.Compare(apart(from, x), apart(from, y)))
	})
	for _, to := range candidates {
		a, b := l.scores(to)
		if a != b && (l.a.Rank < l.b.Rank) != (a > b) {
			n := l.feature.number
			return Change{Document: l.a.ID, Feature: l.d.Model.Features[n].Name, From: metric.Value(from),
				To: metric.Value(to), FromText: l.d.category(n, from), ToText: l.d.category(n, to),
				Score: metric.Value(a), Other: metric.Value(b), Size: metric.Value(s.size(from, to))}, true
		}
	}
	return Change{}, false
}

// steps are the values of a feature at which scores can change.
type steps struct {
	thresholds []float64 // ascending; scores can change just above each of them
	categories []float64
	missing    bool    // a missing value differs from all others
	span       float64 // of typical values
}

// steps returns the values of the feature at which a split of the model sends one of the documents to the
// other side.
func (l *along) steps() steps {
	s := stepsOf(l.d.Model, l.feature.number)
	s.span = spanOf(slices.Concat(s.thresholds, l.usual()))
	if len(l.feature.columns) > 0 {
		l.addCrossings(&s)
	}
	return s
}

// usual returns the values of the other documents that are not missing, ascending, if
// the feature has query context.
func (l *along) usual() []float64 {
	if len(l.feature.columns) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.others()), math.IsNaN)
}

// stepsOf returns the values of a column of a model at which a split sends a row to the other side.
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

// candidates returns a value in each interval, the one nearest to from, and the categories.
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

// size returns the relative distance of a change.
func (s *steps) size(from, to float64) float64 {
	if s.span == 0 || math.IsNaN(from) || math.IsNaN(to) {
		return 1
	}
	return math.Abs(to-from) / s.span
}

// apart returns how many float64 are between two values. It distinguishes distances that are rounded to the
// same float64.
func apart(x, y float64) uint64 {
	a, b := ordinal(x), ordinal(y)
	return max(a, b) - min(a, b)
}

// spanOf returns the length of the smallest interval with all values; if the length is 0, the magnitude of
// the values or 1. Without values it returns 0.
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
