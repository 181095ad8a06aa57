package serving

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/lambdamart/lambdamart/internal/byfeature"
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
		return r.fromColumns(in.columns)
	}
	return r.fromMatrix(in.features, in.names)
}

// newRows returns rows of zeros for n documents. It fails if they do not fit into the memory for a request: a
// tensor may be empty even if its shape has many rows.
func (r *ranker) newRows(n int) ([]float64, error) {
	if n > r.maxValues/len(r.names) {
		return nil, errorf(http.StatusRequestEntityTooLarge,
			"%d documents with %d features are more than the %d values that a request may have", n, len(r.names),
			r.maxValues)
	}
	return make([]float64, n*len(r.names)), nil
}

// fromMatrix returns the rows of features that are in one tensor. names may be nil.
func (r *ranker) fromMatrix(t, names *tensor) (rows []float64, n int, err error) {
	if len(t.Shape) != 2 {
		return nil, 0, invalid("input %q has the shape %v; it must be [documents, features]", t.Name, t.Shape)
	}
	n, width := t.Shape[0], t.Shape[1]
	if rows, err = r.newRows(n); err != nil {
		return nil, 0, err
	}
	values, err := t.Numbers()
	if err != nil {
		return nil, 0, err
	}
	source, err := r.columnsOf(width, names)
	if err != nil {
		return nil, 0, err
	}
	for i := range n {
		from, to := values[i*width:(i+1)*width], rows[i*len(r.names):(i+1)*len(r.names)]
		for f, c := range source {
			if c >= 0 {
				to[f] = from[c]
			}
		}
	}
	return rows, n, nil
}

// columnsOf returns the column of each feature in a matrix, or -1 for a feature that it lacks.
func (r *ranker) columnsOf(width int, names *tensor) ([]int, error) {
	if names != nil {
		if names.Type != bytesType || names.Len() != width {
			return nil, invalid("input %q must have the datatype BYTES and a name for each of the %d columns "+
				"of %q", featureNames, width, featuresInput)
		}
		texts, err := names.Texts()
		if err != nil {
			return nil, err
		}
		return r.sources(texts)
	}
	source := slices.Repeat([]int{-1}, len(r.names))
	switch width {
	case len(r.names): // includes the columns that are not features, as in the training data
		for f := range source {
			source[f] = f
		}
	case len(r.sent):
		for c, f := range r.sent {
			source[f] = c
		}
	default:
		return nil, invalid("input %q has %d columns, and the model has %d features, %s to %s%s", featuresInput,
			width, len(r.sent), r.names[r.sent[0]], r.names[r.sent[len(r.sent)-1]], r.hint(width))
	}
	return source, nil
}

// hint explains a matrix of another width.
func (r *ranker) hint(width int) string {
	if width == len(r.names)-1 && (len(r.used) == 0 || r.used[0] > 0) {
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
	source := slices.Repeat([]int{-1}, len(r.names))
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
		switch {
		case source[f] >= 0:
		case unknown == nil:
			return nil, invalid("feature %q is missing: the model uses it", r.names[f])
		default:
			return nil, invalid("feature %q is missing: the model uses it; is it the unknown %q?", r.names[f],
				wording.Nearest(r.names[f], unknown))
		}
	}
	return source, nil
}

// fromColumns returns the rows of features that each have their own tensor.
func (r *ranker) fromColumns(columns []*tensor) (rows []float64, n int, err error) {
	names := make([]string, len(columns))
	for c, t := range columns {
		names[c] = t.Name
	}
	n = columns[0].Len()
	if rows, err = r.newRows(n); err != nil {
		return nil, 0, err
	}
	source, err := r.sources(names)
	if err != nil {
		return nil, 0, err
	}
	for f, c := range source {
		if c < 0 {
			continue
		}
		t := columns[c]
		isColumn := len(t.Shape) == 1 || len(t.Shape) == 2 && t.Shape[1] == 1
		if !isColumn || t.Len() != n {
			return nil, 0, invalid("input %q has the shape %v, and %q the shape %v; all must be [documents] or "+
				"[documents, 1]", t.Name, t.Shape, columns[0].Name, columns[0].Shape)
		}
		values, unknown, err := values(t, r.words[f])
		if err != nil {
			return nil, 0, err
		}
		if unknown != "" && r.Unknown != nil && !r.told[f].Swap(true) {
			r.Unknown(r.names[f], unknown)
		}
		for i, v := range values {
			rows[i*len(r.names)+f] = v
		}
	}
	return rows, n, nil
}

// values returns the values of a feature that has its own tensor. words may be nil. Texts become categories,
// and so do numbers if the texts of the feature are numbers. As in training, unknown values are missing. If
// all are unknown, unknown is one of them.
func values(t *tensor, words *byfeature.Dictionary) (values []float64, unknown string, err error) {
	var texts []string
	if words != nil && t.Type == bytesType {
		texts, err = t.Texts()
		values = make([]float64, len(texts))
	} else {
		values, err = t.Numbers()
	}
	if err != nil || texts == nil && (words == nil || !words.OfNumbers()) {
		return values, "", err
	}
	anyKnown := false
	for i, number := range values {
		text, known := "", false
		if texts != nil {
			text = texts[i]
			values[i], known = words.Category([]byte(text))
		} else if values[i], known = words.CategoryOf(number); !known && unknown == "" && !math.IsNaN(number) {
			text = wording.Exact(number)
		}
		if anyKnown = anyKnown || known; !known {
			values[i], unknown = math.NaN(), cmp.Or(unknown, text)
		}
	}
	if anyKnown {
		unknown = ""
	}
	return values, unknown, nil
}
