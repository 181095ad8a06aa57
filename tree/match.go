package tree

import (
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Matched returns the model for rows of data whose columns have the given names, in their order: the features
// of the model are these columns, including those that hold query context. Columns that the model does not
// know have no effect. If the scores of e are averages of its trees, the returned model computes the same
// scores, up to rounding, as sums.
//
// Features are matched by name if all that the model uses are found. Otherwise, if the model or the data has
// no names but numbers ("Column_3", "f3" or "3"), they are matched by number; data with names must then
// have as many columns as the model has features. All features that scores depend on must be found; otherwise
// the error wraps [ErrOtherFeatures] and lists the others. Matched shares with e what it does not change.
func (e *Ensemble) Matched(names []string) (*Ensemble, error) {
	e = e.Precomputed().summed()
	ofModel := e.FeatureNames()
	m, err := e.matchedByName(names)
	if err == nil || !byfeature.AreNumbers(names) && !byfeature.ByOrder(ofModel, names) {
		return m, err
	}
	return e.matchedByNumber(names)
}

// matchedByNumber is Matched for features that are matched by number.
func (e *Ensemble) matchedByNumber(names []string) (*Ensemble, error) {
	ofModel := e.FeatureNames()
	if !byfeature.AreNumbers(names) && len(ofModel) != len(names) {
		return nil, fmt.Errorf("%w: the model has %d features without names, and the data %d columns",
			ErrOtherFeatures, len(ofModel), len(names))
	}
	var missing []string
	for _, f := range e.UsedFeatures() {
		if f >= len(names) {
			missing = append(missing, ofModel[f])
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%w: the model uses %s, and the data ends with column %d", ErrOtherFeatures,
			wording.List(missing, 12), len(names)-1)
	}
	m := *e
	m.Features = slices.Clone(e.Features)
	for f, name := range names {
		switch {
		case f == len(m.Features):
			m.Features = append(m.Features, Feature{Name: name, Range: noRange})
		case byfeature.AreNumbers(ofModel):
			m.Features[f].Name = name
		}
	}
	return &m, nil
}

// matchedByName is Matched for features that are matched by name.
func (e *Ensemble) matchedByName(names []string) (*Ensemble, error) {
	m := *e
	m.Features = make([]Feature, len(names))
	place := make(map[string]int32, len(names))
	for f, name := range names {
		m.Features[f], place[name] = Feature{Name: name, Range: noRange}, int32(f)
	}
	number := make([]int32, len(e.Features))
	var missing []string
	for f, feature := range e.Features {
		at, found := place[feature.Name]
		if found {
			number[f], m.Features[at] = at, feature
			continue
		}
		missing = append(missing, feature.Name)
	}
	used := map[string]bool{}
	for _, f := range e.UsedFeatures() {
		used[e.Features[f].Name] = true
	}
	if missing = slices.DeleteFunc(missing, func(name string) bool { return !used[name] }); len(missing) > 0 {
		return nil, fmt.Errorf("%w: the data lacks %s, which the model uses", ErrOtherFeatures,
			wording.List(missing, 12))
	}
	if len(e.Dictionaries) > 0 {
		m.Dictionaries = renumberedKeys(e.Dictionaries, place, e.Features)
		m.PandasCategorical = pandasLine(renumberedKeys(e.pandasLists(), place, e.Features))
	}
	m.renumberFeatures(number)
	return &m, nil
}

// Narrowed returns the model for rows that have only those features of e that scores depend on, and the raw
// features whose query context scores depend on, and the numbers of these features in e, ascending.
func (e *Ensemble) Narrowed() (narrow *Ensemble, features []int) {
	features = e.UsedFeatures()
	m, number := *e, make([]int32, len(e.Features))
	if e.Context != nil {
		features = append(features, e.Context.Sources(features)...)
		slices.Sort(features)
		features = slices.Compact(features)
		m.Context = e.Context.Narrowed(features)
	}
	m.Features, m.Dictionaries, m.PandasCategorical = make([]Feature, len(features)), map[int][]string{}, ""
	for i, f := range features {
		number[f], m.Features[i] = int32(i), e.Features[f]
		if words := e.Dictionaries[f]; words != nil {
			m.Dictionaries[i] = words
		}
	}
	m.renumberFeatures(number)
	return &m, features
}

// renumberFeatures gives feature f of the trees the number number[f].
func (e *Ensemble) renumberFeatures(number []int32) {
	e.Trees = slices.Clone(e.Trees)
	for i := range e.Trees {
		e.Trees[i].renumberFeatures(number)
	}
}

// renumberedKeys returns dictionaries with each feature's number replaced by the one in place.
func renumberedKeys[T any](dictionaries map[int]T, place map[string]int32, features []Feature) map[int]T {
	var all map[int]T
	for f, words := range dictionaries {
		if at, found := place[features[f].Name]; found {
			if all == nil {
				all = map[int]T{}
			}
			all[int(at)] = words
		}
	}
	return all
}

// renumberFeatures gives feature f the number number[f]. The old slices remain as they are.
func (t *Tree) renumberFeatures(number []int32) {
	t.Feature = renumbered(t.Feature, number)
	if t.Linear == nil {
		return
	}
	linear := *t.Linear
	linear.Feature = slices.Clone(linear.Feature)
	for leaf := range linear.Feature {
		linear.Feature[leaf] = renumbered(linear.Feature[leaf], number)
	}
	t.Linear = &linear
}

func renumbered(features, number []int32) []int32 {
	all := make([]int32, len(features))
	for i, f := range features {
		all[i] = number[f]
	}
	return all
}

// summed returns a model with the same scores, up to rounding, as a sum: if e is an average of its trees,
// their values are divided by the number of trees. It shares with e what it does not change.
func (e *Ensemble) summed() *Ensemble {
	if !e.Average || len(e.Trees) == 0 {
		return e
	}
	m, share := *e, 1/float64(len(e.Trees))
	m.Average, m.Trees = false, slices.Clone(e.Trees)
	for i := range m.Trees {
		m.Trees[i] = m.Trees[i].withValues(func(v float64) float64 { return float64(v * share) })
	}
	return &m
}
