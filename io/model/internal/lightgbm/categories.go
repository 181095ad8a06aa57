package lightgbm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/tree"
)

// Texts of features are kept as LightGBM's Python package keeps those of data frames: the last line of the
// file, pandas_categorical, is a list for each column of categories, in the order of columns, and the value
// i stands for entry i. It does not say which columns these are, and they may have an order and be split as
// numbers, or be constant. So a line of the parameters says it, which LightGBM ignores. In LightGBM's own
// models it is found out from feature_infos where that leaves one possibility.

// categoriesPrefix begins the line of the parameters that says which features have the texts of
// pandas_categorical.
const categoriesPrefix = "[category_features: "

// categoriesLine returns that line, empty if no feature has texts.
func categoriesLine(e *tree.Ensemble) string {
	if len(e.Dictionaries) == 0 {
		return ""
	}
	return categoriesPrefix + numbersOf(slices.Sorted(maps.Keys(e.Dictionaries))) + "]"
}

// numbersOf returns numbers with commas between.
func numbersOf(features []int) string {
	text := make([]string, len(features))
	for i, f := range features {
		text[i] = strconv.Itoa(f)
	}
	return strings.Join(text, ",")
}

// setDictionaries makes the texts of pandas_categorical those of the features, if these are known. line is
// what follows categoriesPrefix, nil if there is no such line.
func setDictionaries(e *tree.Ensemble, line *string) error {
	var lists [][]any
	in := json.NewDecoder(strings.NewReader(e.PandasCategorical))
	in.UseNumber()
	if err := in.Decode(&lists); err != nil || len(lists) == 0 {
		if line != nil {
			return fmt.Errorf("%w: category_features without texts in pandas_categorical", errFormat)
		}
		return nil
	}
	features := placesOf(lists, e)
	if line != nil {
		var err error
		if features, err = readFeatures(*line, len(e.Features)); err != nil {
			return err
		}
		if len(features) != len(lists) {
			return fmt.Errorf("%w: %d category_features, and %d lists in pandas_categorical", errFormat, len(features),
				len(lists))
		}
	}
	if features == nil {
		e.UnknownCategories = true
		return nil
	}
	e.Dictionaries = make(map[int][]string, len(lists))
	for i, f := range features {
		e.Dictionaries[f] = textsOf(lists[i])
	}
	return nil
}

// readFeatures reads the numbers of the line about categories.
func readFeatures(line string, n int) (features []int, err error) {
	for _, word := range strings.Split(line, ",") {
		f, err := strconv.Atoi(word)
		if err != nil || f < 0 || f >= n || len(features) > 0 && f <= features[len(features)-1] {
			return nil, fmt.Errorf("%w: category_features: %q", errFormat, word)
		}
		features = append(features, f)
	}
	return features, nil
}

// textsOf returns entries of pandas as they are in a table.
func textsOf(list []any) []string {
	texts := make([]string, len(list))
	for i, entry := range list {
		switch v := entry.(type) {
		case string:
			texts[i] = v
		case json.Number:
			texts[i] = v.String()
			if r, ok := new(big.Rat).SetString(texts[i]); ok && len(texts[i]) < 20 && r.IsInt() {
				texts[i] = r.Num().String() // 3.0 is written as 3 in tables
			}
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts
}

// takeCategories moves the line about categories, if there is one, from the parameters of the model, and
// sets its dictionaries. It is called at the end of the file.
func (m *modelReader) takeCategories() error {
	var line *string
	for _, taken := range m.takeLines(categoriesPrefix) {
		line = &taken.text
	}
	if err := setDictionaries(&m.ensemble, line); err != nil {
		return &Error{Tree: -1, Key: "category_features", Err: err}
	}
	return nil
}
