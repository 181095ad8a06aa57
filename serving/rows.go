package serving

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Names of input tensors. Others are names of features.
const (
	featuresInput = "features"      // [documents, features]: values, in the order of the model or of the names
	featureNames  = "feature_names" // [features]: the name of each column of features
	// [documents]: the query of each document; those of a query follow each other
	query = "query"
)

// inputs are the tensors of a request by their roles.
type inputs struct {
	features, names, query *tensor
	columns                []*tensor // one for each feature, by its name
}

// sorted identifies the tensors of a request.
func sorted(tensors []tensor) (in inputs, err error) {
	seen := make(map[string]bool, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		if seen[t.Name] {
			return in, invalid("input %q is given twice", t.Name)
		}
		seen[t.Name] = true
		switch t.Name {
		case featuresInput:
			in.features = t
		case featureNames:
			in.names = t
		case query:
			in.query = t
		default:
			in.columns = append(in.columns, t)
		}
	}
	return in, nil
}

// rows returns the rows of n documents, row-major, with the features in the order of the model.
func (r *ranker) rows(in inputs) (rows []float64, n int, err error) {
	switch {
	case in.features == nil && in.names != nil:
		return nil, 0, invalid("input %q has no effect without %q", featureNames, featuresInput)
	case in.features == nil && in.columns == nil:
		return nil, 0, invalid("there is no input %q of shape [documents, %d], and none with the name of a "+
			"feature", featuresInput, len(r.sent))
	case in.features != nil && in.columns != nil:
		return nil, 0, invalid("inputs %q and %q: send all features in one tensor, or each in a tensor of "+
			"its own", in.columns[0].Name, featuresInput)
	case in.features == nil:
		n = in.columns[0].n
	case len(in.features.Shape) != 2:
		return nil, 0, invalid("input %q has the shape %v; it must be [documents, features]", featuresInput,
			in.features.Shape)
	default:
		n = in.features.Shape[0]
	}
	if n > r.maxValues/len(r.features) { // a tensor may be empty even if its shape has many rows
		return nil, 0, errorf(http.StatusRequestEntityTooLarge,
			"%s with %s are more than the %s that a request may have", wording.Count(n, "document"),
			wording.Count(len(r.features), "feature"), wording.Count(r.maxValues, "value"))
	}
	rows = make([]float64, n*len(r.features))
	if in.features != nil {
		return rows, n, r.fromMatrix(rows, in.features, in.names)
	}
	return rows, n, r.fromColumns(rows, in.columns)
}

// fromMatrix sets rows to the features that are in one tensor. names may be nil.
func (r *ranker) fromMatrix(rows []float64, t, names *tensor) error {
	values, err := t.numbers()
	if err != nil {
		return err
	}
	width := t.Shape[1]
	source, err := r.columnsOf(width, names)
	if err != nil {
		return err
	}
	for ; len(rows) > 0; rows, values = rows[len(source):], values[width:] {
		for f, c := range source {
			if c >= 0 {
				rows[f] = values[c]
			}
		}
	}
	return nil
}

// columnsOf returns the column of each feature in a matrix, or -1 for a feature that it lacks.
func (r *ranker) columnsOf(width int, names *tensor) ([]int, error) {
	if names != nil {
		if names.Type != bytesType || names.n != width {
			return nil, invalid("input %q must have the datatype BYTES and a name for each of the %s "+
				"of %q", featureNames, wording.Count(width, "column"), featuresInput)
		}
		texts, err := names.texts()
		if err != nil {
			return nil, err
		}
		return r.sources(texts)
	}
	source := slices.Repeat([]int{-1}, len(r.features))
	switch width {
	case len(r.features): // includes the columns that are not features, as in the training data
		for f := range source {
			source[f] = f
		}
	case len(r.sent):
		for c, f := range r.sent {
			source[f] = c
		}
	default:
		return nil, invalid("input %q has %s, and the model has %s, %s to %s%s", featuresInput,
			wording.Count(width, "column"), wording.Count(len(r.sent), "feature"), r.names[0], r.names[len(r.names)-1],
			r.hint(width))
	}
	return source, nil
}

// hint explains a matrix of another width.
func (r *ranker) hint(width int) string {
	if width == len(r.features)-1 && (len(r.used) == 0 || r.used[0] > 0) {
		return "; LETOR files count features from 1, so that the model's first column is not used: put a column " +
			"of zeros first, or send " + featureNames
	}
	return "; send the model's features in its order, or their names as " + featureNames
}

// sources returns the column of each feature by its name. Unknown columns are ignored. A missing one is -1,
// and an error if the model uses it.
func (r *ranker) sources(names []string) ([]int, error) {
	if r.twice != "" {
		return nil, invalid("two features of the model are named %q; send the features in the order of the "+
			"model, without names", r.twice)
	}
	source := slices.Repeat([]int{-1}, len(r.features))
	var unknown []string
	for c, name := range names {
		f, known := r.number[name]
		switch {
		case !known:
			unknown = append(unknown, name)
		case source[f] >= 0:
			return nil, invalid("feature %q is given twice", name)
		default:
			source[f] = c
		}
	}
	for _, f := range r.used {
		name := r.features[f].name
		switch {
		case source[f] >= 0:
		case unknown == nil:
			return nil, invalid("feature %q is missing: the model uses it", name)
		default:
			return nil, invalid("feature %q is missing: the model uses it; is it the unknown %q?", name,
				wording.Nearest(name, unknown))
		}
	}
	return source, nil
}

// fromColumns sets rows to the features that each have their own tensor.
func (r *ranker) fromColumns(rows []float64, columns []*tensor) error {
	names := make([]string, len(columns))
	for c, t := range columns {
		names[c] = t.Name
	}
	source, err := r.sources(names)
	if err != nil {
		return err
	}
	first := columns[0]
	for f, c := range source {
		if c < 0 {
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
			rows[i*len(source)+f] = v
		}
	}
	return nil
}

// values returns the values of a feature that has its own tensor. Texts become categories, and so do numbers
// if the texts of the feature are numbers. As in training, unknown values are missing.
func (r *ranker) values(t *tensor, f *feature) (values []float64, err error) {
	var texts []string
	if f.words != nil && t.Type == bytesType {
		texts, err = t.texts()
		values = make([]float64, len(texts))
	} else {
		values, err = t.numbers()
	}
	if err != nil || texts == nil && (f.words == nil || !f.words.OfNumbers()) {
		return values, err
	}
	anyKnown, cells, example := false, 0, ""
	for i, number := range values {
		text, known := "", false
		if texts != nil {
			text = texts[i]
			values[i], known = f.words.Category([]byte(text))
		} else if values[i], known = f.words.CategoryOf(number); !known {
			text = wording.Exact(number)
		}
		if anyKnown = anyKnown || known; !known {
			values[i] = math.NaN()
		}
		if !known && text != "" {
			cells, example = cells+1, cmp.Or(example, text)
		}
	}
	if !anyKnown && cells > 0 {
		r.count(f, cells, example)
	}
	return values, nil
}
