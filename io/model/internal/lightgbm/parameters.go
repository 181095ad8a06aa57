package lightgbm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// contextPrefix begins the line of the parameters that lists the columns of query context.
const contextPrefix = "[query_context_columns: "

// allParameters returns the section of parameters, with the lines that this package adds, without its last
// line end.
func allParameters(e *tree.Ensemble) string {
	lines := []string{}
	if text := strings.TrimSuffix(e.Parameters, "\n"); text != "" {
		lines = append(lines, text)
	}
	if e.Context != nil {
		lines = append(lines, contextPrefix+e.Context.String()+"]")
	}
	if e.Calibration != nil {
		lines = append(lines, calibrationPrefix+e.Calibration.String()+"]")
	}
	if line := categoriesLine(e); line != "" {
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// calibrationPrefix begins the line of the parameters that has the calibration.
const calibrationPrefix = "[calibration: "

// takeOwn moves the lines "[NAME: TEXT]" that this package has added, if they are there, from the parameters
// of the model to its other fields.
func (m *modelReader) takeOwn(firstLine int) error {
	own := map[string]func(text string) error{
		contextPrefix: func(text string) (err error) {
			m.ensemble.Context, err = querycontext.ParseColumns(text, len(m.ensemble.Features)) // bounds the memory
			return err
		},
		calibrationPrefix: func(text string) (err error) {
			m.ensemble.Calibration, err = tree.ParseCalibration(text)
			return err
		},
		categoriesPrefix: func(text string) error {
			m.categories = &text
			return nil
		},
	}
	isTwice := func(string) error { return errors.New("it is there twice") }
	lines := strings.SplitAfter(m.ensemble.Parameters, "\n")
	kept := lines[:0]
	for i, line := range lines {
		name, text, isOne := strings.Cut(line, ": ")
		prefix := name + ": "
		set, isOwn := own[prefix]
		if !isOne || !isOwn {
			kept = append(kept, line)
			continue
		}
		if err := set(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "]")); err != nil {
			return &Error{Line: firstLine + i, Tree: -1, Key: strings.Trim(prefix, "[: "),
				Err: fmt.Errorf("%w: %w", errFormat, err)}
		}
		own[prefix] = isTwice
	}
	m.ensemble.Parameters = strings.Join(kept, "")
	return nil
}

// Texts of categorical features are stored as LightGBM's Python package stores those of data frames: the last
// line of the file, pandas_categorical, has a list for each categorical column, in the order of the columns,
// and the value i means entry i. The line does not record which columns these are, and they are not exactly
// the features with categorical splits: some may be ordered and split as numbers, others constant. So models
// of this package record the columns in a line of the parameters, which LightGBM ignores. For LightGBM's own
// models, the columns are inferred from feature_infos if that is unambiguous.

// categoriesPrefix begins the line of the parameters that lists the features of pandas_categorical.
const categoriesPrefix = "[category_features: "

// categoriesLine returns that line, or an empty string if no feature has texts.
func categoriesLine(e *tree.Ensemble) string {
	if len(e.Dictionaries) == 0 {
		return ""
	}
	return categoriesPrefix + joined(slices.Sorted(maps.Keys(e.Dictionaries)), ",") + "]"
}

// joined returns numbers with a separator between.
func joined[T int | int32](numbers []T, separator string) string {
	return string(document.AppendJoined(nil, numbers, separator, appendInt[T]))
}

// setDictionaries assigns the texts of pandas_categorical to the features, if these are known. line is the
// text after categoriesPrefix, or nil if there is no such line.
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
			return fmt.Errorf("%w: %d category_features, and %s in pandas_categorical", errFormat, len(features),
				wording.Count(len(lists), "list"))
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

// readFeatures reads the numbers in the line about categories.
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

// textsOf returns entries of pandas in the form that they have in tables.
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
