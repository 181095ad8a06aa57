package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/tree"
)

// Change is a change of one feature of one document.
type Change struct {
	Document string `json:"document"`
	Feature  string `json:"feature"`
	From     Number `json:"from"`
	To       Number `json:"to"`    // the nearest value at which the documents are swapped; null: missing
	Score    Number `json:"score"` // of the document then
	// Size is the distance of the values as a share of the range of the model's thresholds of the feature, so that features can be
	// compared; 1 for categories and missing values.
	Size Number `json:"size"`
}

// changes returns the nearest change of each feature of a, and of each of b, that swaps the two.
//
// As a function of one feature, a score is constant between two neighbouring thresholds of the model, so
// that one value for each interval, that nearest to the document's own, is an exact search. A model with query context has no such
// changes: its other features depend on the one that changes.
func (d *Data) changes(a, b Document) []Change {
	found := []Change{}
	if d.Model.QueryContext() != nil {
		return found
	}
	for _, f := range d.used() {
		steps := stepsOf(d.Model, int32(f))
		for _, pair := range [][2]Document{{a, b}, {b, a}} {
			if c, ok := d.nearest(f, steps, pair[0], pair[1]); ok {
				found = append(found, c)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Change) int { return cmp.Compare(x.Size, y.Size) })
	return found
}

// nearest returns the nearest change of a feature of a document by which it is on the other side of another one.
func (d *Data) nearest(f int, s steps, a, b Document) (Change, bool) {
	from := d.row(a.row)[f]
	candidates, row := s.candidates(from), slices.Clone(d.row(a.row))
	slices.SortStableFunc(candidates, func(x, y float64) int { return cmp.Compare(s.size(from, x), s.size(from, y)) })
	for _, to := range candidates {
		row[f] = to
		score, err := d.Model.ScoreRow(row)
		if err == nil && score != b.Score && (a.Score >= b.Score) != (score > b.Score) {
			return Change{a.ID, d.Model.Features[f].Name, Number(from), Number(to), Number(score), Number(s.size(from, to))}, true
		}
	}
	return Change{}, false
}

// steps are the values of a feature at which scores can change.
type steps struct {
	thresholds []float64 // ascending: at most one of them, or above it
	categories []float64
	missing    bool // a missing value is another one
}

func stepsOf(m *tree.Ensemble, f int32) steps {
	var s steps
	for i := range m.Trees {
		t := &m.Trees[i]
		for node, feature := range t.Feature {
			if feature != f {
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
	if len(s.thresholds) == 0 || math.IsNaN(from) || math.IsNaN(to) {
		return 1
	}
	span := s.thresholds[len(s.thresholds)-1] - s.thresholds[0]
	if !(span > 0) || math.IsInf(span, 1) {
		span = max(math.Abs(s.thresholds[0]), 1)
	}
	return math.Abs(to-from) / span
}
