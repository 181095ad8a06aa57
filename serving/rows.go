package serving

import (
	"cmp"
	"math"
	"net/http"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Names of input tensors. Others are names of features.
const (
	featuresInput = "features"      // [documents, features]: values, in the order of the model or of the names
	featureNames  = "feature_names" // [features]: the name of each column of features
	// [documents]: the query of each document; those of a query follow each other
	query = "query"
)

// byName returns the inputs of a request by their names, and those that are features.
func byName(inputs []tensor) (all map[string]*tensor, columns []*tensor, err error) {
	all = make(map[string]*tensor, len(inputs))
	for i := range inputs {
		t := &inputs[i]
		if all[t.Name] != nil {
			return nil, nil, invalid("input %q is given twice", t.Name)
		}
		all[t.Name] = t
		if t.Name != featuresInput && t.Name != featureNames && t.Name != query {
			columns = append(columns, t)
		}
	}
	return all, columns, nil
}

// rows returns the rows of n documents, row-major, with the features in the order of the model. The features
// are in one tensor or in columns, and the others are nil.
func (r *ranker) rows(features, names *tensor, columns []*tensor) (rows []float64, n int, err error) {
	switch {
	case features == nil && names != nil:
		return nil, 0, invalid("input %q has no effect without %q", featureNames, featuresInput)
	case features == nil && columns == nil:
		return nil, 0, invalid("there is no input %q of shape [documents, %d], and none with the name of a "+
			"feature", featuresInput, len(r.sent))
	case features == nil:
		n = columns[0].n
	case columns != nil:
		return nil, 0, invalid("inputs %q and %q: send all features in one tensor, or each in a tensor of "+
			"its own", columns[0].Name, featuresInput)
	case len(features.Shape) != 2:
		return nil, 0, invalid("input %q has the shape %v; it must be [documents, features]", featuresInput,
			features.Shape)
	default:
		n = features.Shape[0]
	}
	if n > r.maxValues/len(r.features) { // a tensor may be empty even if its shape has many rows
		return nil, 0, errorf(http.StatusRequestEntityTooLarge,
			"%s with %s are more than the %s that a request may have", wording.Count(n, "document"),
			wording.Count(len(r.features), "feature"), wording.Count(r.maxValues, "value"))
	}
	rows = make([]float64, n*len(r.features))
	if features != nil {
		return rows, n, r.fromMatrix(rows, features, names)
	}
	return rows, n, r.fromColumns(rows, columns)
}

// fromMatrix sets rows to the features that are in one tensor. names may be nil.
func (r *ranker) fromMatrix(rows []float64, t, names *tensor) error {
	values, err := t.numbers()
	if err != nil {
		return err
	}
	features, err := r.ofMatrix(t.Shape[1], names)
	if err != nil {
		return err
	}
	for ; len(rows) > 0; rows, values = rows[len(r.features):], values[len(features):] {
		for c, f := range features {
			if f >= 0 {
				rows[f] = values[c]
			}
		}
	}
	return nil
}

// ofMatrix returns the feature of each column of a matrix; -1 of one that the model does not know.
func (r *ranker) ofMatrix(width int, names *tensor) ([]int, error) {
	switch {
	case names != nil && (names.Type != bytesType || names.n != width):
		return nil, invalid("input %q must have the datatype BYTES and a name for each of the %s of %q",
			featureNames, wording.Count(width, "column"), featuresInput)
	case names != nil:
		texts, err := names.texts()
		if err != nil {
			return nil, err
		}
		return r.named(texts)
	case width == len(r.features): // includes the columns that are not features, as in the training data
		return r.all, nil
	case width == len(r.sent):
		return r.sent, nil
	}
	hint := "send the model's features in its order, or their names as " + featureNames
	if width == len(r.features)-1 && (len(r.used) == 0 || r.used[0] > 0) {
		hint = "LETOR files count features from 1, so that the model's first column is not used: put a column " +
			"of zeros first, or send " + featureNames
	}
	return nil, invalid("input %q has %s, and the model has %s, %s to %s; %s", featuresInput,
		wording.Count(width, "column"), wording.Count(len(r.sent), "feature"), r.names[0], r.names[len(r.names)-1],
		hint)
}

// named returns the feature of each name, or -1. Unknown names are an error if the model uses a feature that
// is not named.
func (r *ranker) named(names []string) ([]int, error) {
	if r.twice != "" {
		return nil, invalid("two features of the model are named %q; send the features in the order of the "+
			"model, without names", r.twice)
	}
	features, given := make([]int, len(names)), make([]bool, len(r.features))
	var unknown []string
	for c, name := range names {
		f, known := r.number[name]
		switch {
		case !known:
			f, unknown = -1, append(unknown, name)
		case given[f]:
			return nil, invalid("feature %q is given twice", name)
		default:
			given[f] = true
		}
		features[c] = f
	}
	for _, f := range r.used {
		name := r.features[f].name
		switch {
		case given[f]:
		case unknown == nil:
			return nil, invalid("feature %q is missing: the model uses it", name)
		default:
			return nil, invalid("feature %q is missing: the model uses it; is it the unknown %q?", name,
				wording.Nearest(name, unknown))
		}
	}
	return features, nil
}

// fromColumns sets rows to the features that each have their own tensor.
func (r *ranker) fromColumns(rows []float64, columns []*tensor) error {
	names := make([]string, len(columns))
	for c, t := range columns {
		names[c] = t.Name
	}
	features, err := r.named(names)
	if err != nil {
		return err
	}
	first := columns[0]
	for c, f := range features {
		if f < 0 {
			continue
		}
		t := columns[c]
		isColumn := len(t.Shape) == 1 || len(t.Shape) == 2 && t.Shape[1] == 1
		if !isColumn || t.n != first.n {
			return invalid("input %q has the shape %v, and %q the shape %v; all must be [documents] or "+
				"[documents, 1]", t.Name, t.Shape, first.Name, first.Shape)
		}
		values, err := r.values(t, &r.features[f])
		if err != nil {
			return err
		}
		for i, v := range values {
			rows[i*len(r.features)+f] = v
		}
	}
	return nil
}

// values returns the values of a feature that has its own tensor. Texts become categories, and so do numbers
// if the texts of the feature are numbers.
func (r *ranker) values(t *tensor, f *feature) ([]float64, error) {
	switch {
	case f.words != nil && t.Type == bytesType:
		texts, err := t.texts()
		find := func(text string) (float64, bool) { return f.words.Category([]byte(text)) }
		return categories(r, f, texts, find, strings.Clone), err
	case f.words != nil && f.words.OfNumbers():
		numbers, err := t.numbers()
		return categories(r, f, numbers, f.words.CategoryOf, wording.Exact), err
	}
	return t.numbers()
}

// categories returns the categories of cells. As in training, unknown ones are missing. textOf names a cell;
// one without text is missing.
func categories[T any](r *ranker, f *feature, cells []T, find func(T) (float64, bool),
	textOf func(T) string) []float64 {
	values, anyKnown, unknown, example := make([]float64, len(cells)), false, 0, ""
	for i, cell := range cells {
		category, known := find(cell)
		anyKnown = anyKnown || known
		if !known {
			category = math.NaN()
			if text := textOf(cell); text != "" {
				unknown, example = unknown+1, cmp.Or(example, text)
			}
		}
		values[i] = category
	}
	r.count(f, anyKnown, unknown, example)
	return values
}
