package ranker

import (
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
)

// inputs are the tensors of a request by their roles.
type inputs struct {
	features, names, query *oip.Tensor
	columns                []*oip.Tensor // one for each feature, by its name
}

// sorted identifies the tensors of a request.
func sorted(tensors []oip.Tensor) (in inputs, err error) {
	seen := make(map[string]bool, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		if seen[t.Name] {
			return in, oip.Invalid("input %q is given twice", t.Name)
		}
		seen[t.Name] = true
		switch t.Name {
		case Features:
			in.features = t
		case FeatureNames:
			in.names = t
		case Query:
			in.query = t
		default:
			in.columns = append(in.columns, t)
		}
	}
	return in, nil
}

// columns returns the rows of n documents, row-major, with the features in the order of the model. The
// caller must not change them.
func (r *Ranker) columns(in inputs) (rows []float64, n int, err error) {
	switch {
	case in.features == nil && in.names != nil:
		return nil, 0, oip.Invalid("input %q has no effect without %q", FeatureNames, Features)
	case in.features == nil && in.columns == nil:
		return nil, 0, oip.Invalid("there is no input %q of shape [documents, %d], and none with the name of a "+
			"feature", Features, len(r.sent))
	case in.features != nil && in.columns != nil:
		return nil, 0, oip.Invalid("inputs %q and %q: send all features in one tensor, or each in a tensor of "+
			"its own",
			in.columns[0].Name, Features)
	case in.features == nil:
		return r.fromColumns(in.columns)
	case in.names == nil:
		return r.inOrder(in.features)
	}
	return r.byName(in.features, in.names)
}

// matrix returns the values and the shape of the features.
func matrix(t *oip.Tensor) (values []float64, n, width int, err error) {
	if len(t.Shape) != 2 {
		return nil, 0, 0, oip.Invalid("input %q has the shape %v; it must be [documents, features]", t.Name,
			t.Shape)
	}
	values, err = t.Numbers()
	return values, t.Shape[0], t.Shape[1], err
}

// inOrder returns the rows of features that are in the order of the model.
func (r *Ranker) inOrder(t *oip.Tensor) (rows []float64, n int, err error) {
	if r.options.NeedNames {
		return nil, 0, oip.Invalid("input %q is missing: this server wants the name of each column of %q, of "+
			"datatype BYTES", FeatureNames, Features)
	}
	rows, n, width, err := matrix(t)
	if err != nil {
		return nil, 0, err
	}
	switch width {
	case len(r.names): // includes the columns that are not features, as in the training data
		return rows, n, nil
	case len(r.sent):
		return r.spread(rows, n), n, nil
	}
	return nil, 0, oip.Invalid("input %q has %d columns, and the model has %d features, %s to %s%s", Features,
		width, len(r.sent),
		r.names[r.sent[0]], r.names[r.sent[len(r.sent)-1]], r.hint(width))
}

// spread expands rows of the features of documents to rows of all features of the model.
func (r *Ranker) spread(rows []float64, n int) []float64 {
	wide := make([]float64, n*len(r.names))
	for i := range n {
		for c, f := range r.sent {
			wide[i*len(r.names)+f] = rows[i*len(r.sent)+c]
		}
	}
	return wide
}

// hint explains a matrix with one missing column.
func (r *Ranker) hint(width int) string {
	if width == len(r.names)-1 && (len(r.used) == 0 || r.used[0] > 0) {
		return "; LETOR files count features from 1, so that the model's first column is not used: put a column " +
			"of zeros first, or send " + FeatureNames
	}
	return "; send the model's features in its order, or their names as " + FeatureNames
}

// byName returns the rows of features whose columns have names. Unknown columns are ignored; a missing one is
// an error if the model uses it.
func (r *Ranker) byName(t, names *oip.Tensor) (rows []float64, n int, err error) {
	values, n, width, err := matrix(t)
	if err != nil {
		return nil, 0, err
	}
	if names.Type != oip.BYTES || len(names.Texts) != width {
		return nil, 0, oip.Invalid("input %q must have the datatype BYTES and a name for each of the %d columns "+
			"of %q", FeatureNames, width, Features)
	}
	source, err := r.sources(names.Texts)
	if err != nil {
		return nil, 0, err
	}
	rows = make([]float64, n*len(r.names))
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

// sources returns the column of each feature, or -1 for a feature that is missing and not used.
func (r *Ranker) sources(names []string) ([]int, error) {
	if r.twice != "" {
		return nil, oip.Invalid("two features of the model are named %q; send the features in the order of the "+
			"model, without names", r.twice)
	}
	source := make([]int, len(r.names))
	for f := range source {
		source[f] = -1
	}
	for c, name := range names {
		f, known := r.number[name]
		if !known {
			continue
		}
		if source[f] >= 0 {
			return nil, oip.Invalid("feature %q is given twice", name)
		}
		source[f] = c
	}
	for _, f := range r.used {
		if source[f] < 0 {
			return nil, r.missing(r.names[f], names)
		}
	}
	return source, nil
}

// missing is the error for a missing feature.
func (r *Ranker) missing(name string, given []string) error {
	var unknown []string
	for _, g := range given {
		if _, known := r.number[g]; !known {
			unknown = append(unknown, g)
		}
	}
	if len(unknown) == 0 {
		return oip.Invalid("feature %q is missing: the model uses it", name)
	}
	return oip.Invalid("feature %q is missing: the model uses it; is it the unknown %q?", name,
		wording.Nearest(name, unknown))
}

// fromColumns returns the rows of features that each have their own tensor.
func (r *Ranker) fromColumns(columns []*oip.Tensor) (rows []float64, n int, err error) {
	names := make([]string, len(columns))
	for c, t := range columns {
		names[c] = t.Name
	}
	source, err := r.sources(names)
	if err != nil {
		return nil, 0, err
	}
	n = columns[0].Len()
	rows = make([]float64, n*len(r.names))
	for f, c := range source {
		if c < 0 {
			continue
		}
		t := columns[c]
		if !isColumn(t.Shape) || t.Len() != n {
			return nil, 0, oip.Invalid("input %q has the shape %v, and %q the shape %v; all must be [documents] or "+
				"[documents, 1]",
				t.Name, t.Shape, columns[0].Name, columns[0].Shape)
		}
		values, err := r.values(f, t)
		if err != nil {
			return nil, 0, err
		}
		for i, v := range values {
			rows[i*len(r.names)+f] = v
		}
	}
	return rows, n, nil
}

// isColumn reports whether a shape has one value for each document.
func isColumn(shape []int) bool {
	return len(shape) == 1 || len(shape) == 2 && shape[1] == 1
}
