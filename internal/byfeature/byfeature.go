// Package byfeature reads what differs by feature: lists that give numbers to features, and the texts that
// stand for the categories of one.
package byfeature

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// AreNumbers reports whether features have no names except those by number, as LightGBM ("Column_3"), XGBoost
// ("f3") and pandas ("3") make them up.
func AreNumbers(names []string) bool {
	return slices.ContainsFunc([]string{"Column_", "f", ""}, func(prefix string) bool {
		for f, name := range names {
			if name != prefix+strconv.Itoa(f) {
				return false
			}
		}
		return true
	})
}

// ByOrder reports whether the columns of data are the features of a model in their order, because the model
// has numbers for names, and no column has one of them.
func ByOrder(model, data []string) bool {
	return AreNumbers(model) &&
		!slices.ContainsFunc(data, func(name string) bool { return slices.Contains(model, name) })
}

// OrderRemark is the warning about columns whose order the model cannot check, since they have names.
func OrderRemark(model, data []string) string {
	return fmt.Sprintf("the names of the model's features are only numbers (%s, ...), so the columns are taken "+
		"in their order (%s), which must be that of the training data", model[0], wording.List(data, 12))
}

// A list by feature gives numbers to features. It has a number for each feature of the data, in their order,
// as in LightGBM, or numbers for some features by name or number:
//
//	0,1,0,-1
//	bm25:1,age:-1
//	12:1,17:-1
//
// A name is preferred to a number. Brackets around the list are allowed, as in XGBoost and CatBoost.

// Item is a part of a list by feature.
type Item struct {
	Feature string // empty where numbers are given to all features
	Number  float64
}

// Range is the range of the numbers of a list.
type Range struct {
	Least, Most float64
	Whole       bool
}

func (r Range) String() string { return fmt.Sprintf("%v to %v", r.Least, r.Most) }

// Parse returns the items of a list by feature.
func Parse(text string, r Range) ([]Item, error) {
	text = strings.TrimSpace(text)
	for _, pair := range []string{"()", "[]", "{}"} {
		if len(text) > 1 && text[0] == pair[0] && text[len(text)-1] == pair[1] {
			text = text[1 : len(text)-1]
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var items []Item
	for part := range strings.SplitSeq(text, ",") {
		it, err := parseItem(strings.TrimSpace(part), r)
		if err != nil {
			return nil, err
		}
		if len(items) > 0 && (it.Feature == "") != (items[0].Feature == "") {
			return nil, fmt.Errorf("%q: give a number for each feature, or all as NAME:NUMBER", part)
		}
		items = append(items, it)
	}
	return items, nil
}

func parseItem(part string, r Range) (Item, error) {
	it := Item{}
	number := part
	if at := strings.LastIndexByte(part, ':'); at >= 0 {
		it.Feature, number = strings.Trim(strings.TrimSpace(part[:at]), `"'`), strings.TrimSpace(part[at+1:])
		if it.Feature == "" {
			return it, fmt.Errorf("%q: no name before the colon", part)
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(x) || x < r.Least || x > r.Most || r.Whole && x != math.Trunc(x) {
		return it, fmt.Errorf("%q: want a%s number from %v", part, map[bool]string{true: " whole"}[r.Whole], r)
	}
	it.Number = x
	return it, nil
}

// Of returns the number of each feature of the data according to a list, the value of a parameter. Features
// without a number get otherwise. It returns nil for an empty list.
func Of(parameter, text string, r Range, otherwise float64, names []string) ([]float64, error) {
	items, err := Parse(text, r)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", parameter, text, err)
	}
	if len(items) == 0 {
		return nil, nil
	}
	numbers := make([]float64, len(names))
	for f := range numbers {
		numbers[f] = otherwise
	}
	if items[0].Feature == "" {
		if len(items) != len(numbers) {
			given := fmt.Sprintf("%d numbers", len(items))
			if len(items) == 1 {
				given = "1 number"
			}
			return nil, fmt.Errorf("%s has %s, and the data has %s; give one for each, or NAME:NUMBER for some",
				parameter, given, Count(names))
		}
		for f, it := range items {
			numbers[f] = it.Number
		}
		return numbers, nil
	}
	given := map[int]bool{}
	for _, it := range items {
		f, err := Find(it.Feature, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", parameter, err)
		}
		if given[f] {
			return nil, fmt.Errorf("%s: feature %q has two numbers; leave one out", parameter, it.Feature)
		}
		given[f], numbers[f] = true, it.Number
	}
	return numbers, nil
}

// Count returns the number of features, and the first and the last name, for messages. Columns without names
// are not counted, because there is a column 0 also if the file's features begin with 1.
func Count(names []string) string {
	n := len(names)
	switch {
	case n == 0:
		return "no features"
	case n == 1:
		return "1 feature (" + names[0] + ")"
	case names[0] == "Column_0" && names[n-1] == fmt.Sprint("Column_", n-1):
		return fmt.Sprintf("features 0 to %d", n-1)
	}
	return fmt.Sprintf("%s features (%s to %s)", wording.Thousands(n), names[0], names[n-1])
}

// Find returns the index of the feature with that name or number.
func Find(name string, names []string) (int, error) {
	if f := slices.Index(names, strings.ReplaceAll(name, " ", "_")); f >= 0 {
		return f, nil
	}
	if f, err := strconv.Atoi(name); err == nil {
		if f < 0 || f >= len(names) {
			return 0, fmt.Errorf("there is no feature %d; the data has %s", f, Count(names))
		}
		return f, nil
	}
	if best := wording.Nearest(name, names); best != "" && wording.Distance(name, best) <= max(1, len(name)/2) {
		return 0, fmt.Errorf("there is no feature %q; did you mean %q?", name, best)
	}
	return 0, fmt.Errorf("there is no feature %q; the data has %s", name, Count(names))
}

// ParseRange reads the number of a feature or a tree, as "7", or a range of them, as "7-9".
// ok is false for anything else.
func ParseRange(text string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	a, err := strconv.ParseUint(from, 10, 31)
	if err != nil {
		return 0, 0, false
	}
	b, err := strconv.ParseUint(to, 10, 31)
	return int(a), int(b), err == nil && a <= b
}
