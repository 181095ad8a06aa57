package booster

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/nearest"
	"github.com/lambdamart/lambdamart/param"
)

// A list by feature is a text that gives numbers to features. It has a number for each feature of the
// data, in their order, as LightGBM has it, or numbers for some features by name or number:
//
//	0,1,0,-1
//	bm25:1,age:-1
//	12:1,17:-1
//
// A name is preferred to a number. Brackets around the list are allowed, as in XGBoost and CatBoost.

// item is a part of a list by feature.
type item struct {
	feature string // empty where numbers are given to all features
	number  float64
}

// numberRange is what the numbers of a list may be.
type numberRange struct {
	least, most float64
	whole       bool
}

func (r numberRange) String() string { return fmt.Sprintf("%v to %v", r.least, r.most) }

// parseByFeature returns the items of a list by feature.
func parseByFeature(text string, r numberRange) ([]item, error) {
	text = strings.TrimSpace(text)
	for _, pair := range []string{"()", "[]", "{}"} {
		if len(text) > 1 && text[0] == pair[0] && text[len(text)-1] == pair[1] {
			text = text[1 : len(text)-1]
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var items []item
	for part := range strings.SplitSeq(text, ",") {
		it, err := parseItem(strings.TrimSpace(part), r)
		if err != nil {
			return nil, err
		}
		if len(items) > 0 && (it.feature == "") != (items[0].feature == "") {
			return nil, fmt.Errorf("%q: give a number for each feature, or all as NAME:NUMBER", part)
		}
		items = append(items, it)
	}
	return items, nil
}

func parseItem(part string, r numberRange) (item, error) {
	it := item{}
	number := part
	if at := strings.LastIndexByte(part, ':'); at >= 0 {
		it.feature, number = strings.Trim(strings.TrimSpace(part[:at]), `"'`), strings.TrimSpace(part[at+1:])
		if it.feature == "" {
			return it, fmt.Errorf("%q: no name before the colon", part)
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(x) || x < r.least || x > r.most || r.whole && x != math.Trunc(x) {
		return it, fmt.Errorf("%q: want a%s number from %v", part, map[bool]string{true: " whole"}[r.whole], r)
	}
	it.number = x
	return it, nil
}

// byFeatureValue is the [param.Value] of a list by feature.
type byFeatureValue struct {
	param.Value
	numbers numberRange
}

func (v byFeatureValue) Check() error {
	_, err := parseByFeature(v.String(), v.numbers)
	return err
}

func (v byFeatureValue) Range() string { return v.numbers.String() + " each" }
func (v byFeatureValue) Type() string  { return "list by feature" }

// byFeature returns the number of each feature that a list, the value of a parameter, gives to the
// features of the data: otherwise for those without one. It returns nil for an empty list.
func byFeature(parameter, text string, r numberRange, otherwise float64, data *dataset.Meta) ([]float64, error) {
	items, err := parseByFeature(text, r)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", parameter, text, err)
	}
	if len(items) == 0 {
		return nil, nil
	}
	numbers := make([]float64, len(data.Features))
	for f := range numbers {
		numbers[f] = otherwise
	}
	if items[0].feature == "" {
		if len(items) != len(numbers) {
			return nil, fmt.Errorf("%s has %d numbers, and the data has %s; give one for each, or NAME:NUMBER for some", parameter, len(items), countFeatures(data))
		}
		for f, it := range items {
			numbers[f] = it.number
		}
		return numbers, nil
	}
	given := map[int]bool{}
	for _, it := range items {
		f, err := findFeature(it.feature, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", parameter, err)
		}
		if given[f] {
			return nil, fmt.Errorf("%s: feature %q has two numbers; leave one out", parameter, it.feature)
		}
		given[f], numbers[f] = true, it.number
	}
	return numbers, nil
}

// countFeatures says how many features data has, and which.
func countFeatures(data *dataset.Meta) string {
	n := len(data.Features)
	if n == 0 {
		return "no features"
	}
	return fmt.Sprintf("%d features (%s to %s)", n, data.Features[0], data.Features[n-1])
}

// findFeature returns the number of the feature that a name or a number means.
func findFeature(name string, data *dataset.Meta) (int, error) {
	if f := slices.Index(data.Features, name); f >= 0 {
		return f, nil
	}
	if f, err := strconv.Atoi(name); err == nil {
		if f < 0 || f >= len(data.Features) {
			return 0, fmt.Errorf("there is no feature %d; the data has %s", f, countFeatures(data))
		}
		return f, nil
	}
	if best := nearest.Name(name, data.Features); best != "" && nearest.Distance(name, best) <= max(1, len(name)/2) {
		return 0, fmt.Errorf("there is no feature %q; did you mean %q?", name, best)
	}
	return 0, fmt.Errorf("there is no feature %q; the data has %s", name, countFeatures(data))
}
