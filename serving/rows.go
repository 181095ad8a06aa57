package serving

import (
	"net/http"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// documents returns the number of documents of a request.
func (r *ranker) documents(in *inferRequest) (n int, err error) {
	switch {
	case in.features == nil && in.names != nil:
		return 0, invalid("input %q has no effect without %q", featureNames, featuresInput)
	case in.features == nil && in.columns == nil:
		return 0, invalid("there is no input %q of shape [documents, %d], and none with the name of a feature",
			featuresInput, len(r.sent))
	case in.features == nil:
		n = in.columns[0].n
	case in.columns != nil:
		return 0, invalid("inputs %q and %q: send all features in one tensor, or each in a tensor of its own",
			in.columns[0].Name, featuresInput)
	default:
		n = in.features.Shape[0]
	}
	if n > r.maxValues/len(r.features) { // a tensor may be empty even if its shape has many rows
		return 0, errorf(http.StatusRequestEntityTooLarge,
			"%s with %s are more than the %s that a request may have", wording.Count(n, "document"),
			wording.Count(len(r.features), "feature"), wording.Count(r.maxValues, "value"))
	}
	return n, nil
}

// rows returns the rows of n documents, row-major, with the features in the order of the model.
func (r *ranker) rows(in *inferRequest, n int) ([]float64, error) {
	features, err := r.given(in)
	if err != nil {
		return nil, err
	}
	width := len(r.features)
	rows := make([]float64, n*width)
	for c, f := range features {
		if f < 0 {
			continue
		}
		values, step, err := r.values(in, c, &r.features[f])
		if err != nil {
			return nil, err
		}
		for i := range n {
			rows[i*width+f] = values[i*step]
		}
	}
	r.watch(rows)
	return rows, r.check(rows)
}

// given returns the feature of each column of a request; -1 of one that the model does not know.
func (r *ranker) given(in *inferRequest) ([]int, error) {
	if in.features == nil {
		return r.named(in.columnNames)
	}
	names, width := in.names, in.features.Shape[1]
	switch {
	case names != nil && (names.Type != bytesType || names.n != width):
		return nil, invalid("input %q must have the datatype BYTES and a name for each of the %s of %q",
			featureNames, wording.Count(width, "column"), featuresInput)
	case names != nil:
		return r.named(names.texts)
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
	features, given := make([]int, len(names)), make([]bool, len(r.features))
	var unknown []string
	for c, name := range names {
		f, known := r.number[name]
		switch {
		case !known:
			f, unknown = -1, append(unknown, name)
		case f >= 0 && given[f]:
			return nil, invalid("feature %q is given twice", name)
		case f >= 0:
			given[f] = true
		}
		features[c] = f
	}
	for _, f := range r.used {
		name := r.features[f].name
		switch {
		case given[f]:
		case r.number[name] < 0:
			return nil, invalid("two features of the model are named %q; send the features in the order of the "+
				"model, without names", name)
		case unknown == nil:
			return nil, invalid("feature %q is missing: the model uses it", name)
		default:
			return nil, invalid("feature %q is missing: the model uses it; is it the unknown %q?", name,
				wording.Nearest(name, unknown))
		}
	}
	return features, nil
}

// values returns the values of column c, of which each step-th belongs to a document. In tensors of single
// features, texts become categories, and so do numbers if the texts of the feature are numbers.
func (r *ranker) values(in *inferRequest, c int, f *feature) (values []float64, step int, err error) {
	if t := in.features; t != nil {
		return t.numbers[min(c, t.n):], t.Shape[1], nil // without documents there is no number
	}
	t, first := in.columns[c], in.columns[0]
	isColumn := len(t.Shape) == 1 || len(t.Shape) == 2 && t.Shape[1] == 1
	if !isColumn || t.n != first.n {
		return nil, 0, invalid("input %q has the shape %v, and %q the shape %v; all must be [documents] or "+
			"[documents, 1]", t.Name, t.Shape, first.Name, first.Shape)
	}
	isText := t.Type == bytesType
	if isText && f.words == nil {
		return nil, 0, invalid("input %q has the datatype BYTES; send numbers", t.Name)
	}
	if err := t.read(); err != nil {
		return nil, 0, err
	}
	switch {
	case isText:
		for _, text := range t.texts {
			found, known := f.words.Category([]byte(text))
			values = append(values, r.category(f, found, known, text))
		}
	case f.words != nil && f.words.OfNumbers():
		for _, number := range t.numbers {
			found, known := f.words.CategoryOf(number)
			values = append(values, r.category(f, found, known, wording.Exact(number)))
		}
	default:
		values = t.numbers
	}
	return values, 1, nil
}
