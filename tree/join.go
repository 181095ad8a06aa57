package tree

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Errors of [Join], to be matched by [errors.Is].
var (
	// ErrOtherFeatures is wrapped by errors for models, or a model and data, with different features.
	ErrOtherFeatures = errors.New("the models have different features")
	// ErrNotJoinable is wrapped by errors for models whose trees cannot be in one model.
	ErrNotJoinable = errors.New("the models cannot be joined")
)

// Join returns the model with the trees of all given models, in their order: its score is the sum of their
// scores, or their average, weighted by the numbers of trees, if all of them are averages. It shares the
// trees with them. All fields other than the trees are those of the first model, except that the range of a
// feature covers its ranges in all models.
//
// Features are the same if they have the same names in the same order; if a model has more features than
// another, the first ones must be the same. If they are not, the error wraps [ErrOtherFeatures] and names
// them. Averages cannot be joined with sums, nor models that map the categories of a data frame in different
// ways, nor models with different query context: these errors wrap [ErrNotJoinable].
func Join(models ...*Ensemble) (*Ensemble, error) {
	if len(models) == 0 {
		return nil, fmt.Errorf("%w: there is none", ErrNotJoinable)
	}
	all := *models[0]
	all.Calibration = nil
	all.Trees, all.Features = slices.Clone(all.Trees), slices.Clone(all.Features)
	for i, m := range models[1:] {
		if err := all.join(m); err != nil {
			return nil, fmt.Errorf("model %d: %w", i+2, err)
		}
	}
	return &all, nil
}

// join adds the trees of another model, which remains as it is.
func (e *Ensemble) join(m *Ensemble) error {
	dictionaries, err := e.joinable(m)
	if err != nil {
		return err
	}
	e.joinFeatures(m.Features)
	if len(e.Trees) == 0 {
		e.Average = m.Average
	}
	e.joinCategories(m, dictionaries)
	e.Trees = append(e.Trees, m.Trees...)
	return nil
}

// joinable returns the dictionaries of both models, or an error if their trees cannot be in one model.
func (e *Ensemble) joinable(m *Ensemble) (map[int][]string, error) {
	if e.Average != m.Average && len(e.Trees) > 0 && len(m.Trees) > 0 {
		return nil, fmt.Errorf("%w: the scores of one are averages of its trees (a random forest), those of the "+
			"other sums", ErrNotJoinable)
	}
	if e.PandasCategorical != m.PandasCategorical && e.PandasCategorical != "" && m.PandasCategorical != "" &&
		e.Dictionaries == nil {
		return nil, fmt.Errorf("%w: they map the categories of data frames in different ways (pandas_categorical)",
			ErrNotJoinable)
	}
	dictionaries, err := joinDictionaries(e.Dictionaries, m.Dictionaries)
	if err != nil {
		return nil, err
	}
	if !e.Context.Equal(m.Context) {
		return nil, fmt.Errorf("%w: they have different query context (query_context)", ErrNotJoinable)
	}
	if other := otherNames(e.Features, m.Features); other != nil {
		return nil, fmt.Errorf("%w: %s", ErrOtherFeatures, strings.Join(other, "; "))
	}
	return dictionaries, nil
}

// joinFeatures widens the ranges of the features to those of another model, and adds features that only the
// other one has. A feature is monotone only if it is so in both.
func (e *Ensemble) joinFeatures(features []Feature) {
	for f, feature := range features {
		if f == len(e.Features) {
			e.Features = append(e.Features, feature)
			continue
		}
		e.Features[f].Range = joinRanges(e.Features[f].Range, feature.Range)
		if e.Features[f].Monotone != feature.Monotone {
			e.Features[f].Monotone = 0
		}
	}
}

// joinCategories takes over the dictionaries of both models, and the lists of data frames that go with them.
func (e *Ensemble) joinCategories(m *Ensemble, dictionaries map[int][]string) {
	if e.PandasCategorical == "" && len(e.Dictionaries) == 0 {
		e.PandasCategorical = m.PandasCategorical
	}
	if !maps.EqualFunc(e.Dictionaries, dictionaries, slices.Equal) {
		lists := e.pandasLists()
		for f, list := range m.pandasLists() {
			if len(m.Dictionaries[f]) > len(e.Dictionaries[f]) {
				lists[f] = list
			}
		}
		e.Dictionaries, e.PandasCategorical = dictionaries, pandasLine(lists)
	}
	e.UnknownCategories = e.UnknownCategories || m.UnknownCategories
}

// joinDictionaries returns the texts of the features of two models: for each feature the longer list. It is
// an error if the shorter list is not its beginning.
func joinDictionaries(a, b map[int][]string) (map[int][]string, error) {
	all := maps.Clone(a)
	for f, words := range b {
		n := min(len(words), len(all[f]))
		if !slices.Equal(words[:n], all[f][:n]) {
			return nil, fmt.Errorf("%w: the categories of feature %d stand for different texts", ErrNotJoinable, f)
		}
		if all == nil {
			all = map[int][]string{}
		}
		if len(words) > len(all[f]) {
			all[f] = words
		}
	}
	return all, nil
}

// otherNames lists the first few features whose names differ, nil if none does.
func otherNames(a, b []Feature) []string {
	const most = 5
	var list []string
	for f := range min(len(a), len(b)) {
		if a[f].Name == b[f].Name {
			continue
		}
		if len(list) == most {
			return append(list, "and more")
		}
		list = append(list, fmt.Sprintf("feature %d is %s in one and %s in the other", f, a[f].Name, b[f].Name))
	}
	return list
}

// joinRanges returns a range that covers two ranges of a feature. If one of them is not a range of numbers,
// it returns the first that is not empty or [noRange].
func joinRanges(a, b string) string {
	lowA, highA, isA := bounds(a)
	lowB, highB, isB := bounds(b)
	switch {
	case a == b || !isB && a != "" && a != noRange:
		return a
	case !isA:
		if a == "" || a == noRange {
			return b
		}
		return a
	}
	low, high := lowA, highA
	if parsed(lowB) < parsed(lowA) {
		low = lowB
	}
	if parsed(highB) > parsed(highA) {
		high = highB
	}
	return "[" + low + ":" + high + "]"
}

// noRange is the range of a feature that does not vary.
const noRange = "none"

// bounds returns the two numbers of a range such as [0:1.5].
func bounds(text string) (low, high string, ok bool) {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	low, high, ok = strings.Cut(inner, ":")
	ok = ok && opened && closed && !math.IsNaN(parsed(low)) && !math.IsNaN(parsed(high))
	return low, high, ok
}

// parsed returns the number that text denotes, NaN if it is not a number.
func parsed(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Mean returns one model whose scores are the means of the given models' scores, up to rounding: it has
// all of their trees, in their order, with the values of leaves, and of inner nodes, divided by the
// number of models. Models may have any numbers of trees. The features must be the same. The mean has the
// features and the objective of the first model.
func Mean(models ...*Ensemble) (*Ensemble, error) {
	if len(models) == 0 {
		return nil, errors.New("no models to take the mean of")
	}
	mean := *models[0]
	mean.Calibration = nil
	mean.Trees, mean.Average = nil, false
	for i, m := range models {
		if !slices.Equal(m.FeatureNames(), mean.FeatureNames()) {
			return nil, fmt.Errorf("model %d has other features than the first", i+1)
		}
		share := float64(len(models))
		if m.Average {
			share *= float64(len(m.Trees))
		}
		for t := range m.Trees {
			mean.Trees = append(mean.Trees, m.Trees[t].withValues(func(v float64) float64 { return v / share }))
		}
	}
	return &mean, nil
}
