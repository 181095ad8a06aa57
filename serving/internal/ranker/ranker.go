// Package ranker scores the documents of a request.
//
//	input tensors ─► columns: a row for each document, features in the model's order
//	                    │     (all of one tensor, by names, or a tensor each)
//	                    ▼
//	                 check: values that the model cannot have seen are refused
//	                    ▼
//	                 query context, if the model has it, of the documents of each query
//	                    ▼
//	                 scores
package ranker

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/category"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/tree"
)

// Names of tensors.
const (
	Features     = "features"      // [documents, features]: values, in the order of the model or of the names
	FeatureNames = "feature_names" // [features]: the name of each column of features
	Query        = "query"         // [documents]: the query of each document; those of a query follow each other
	Score        = "score"         // [documents]: the output
)

// Options determine which requests are refused.
type Options struct {
	// NeedNames refuses features without names.
	NeedNames bool

	// MaxValues limits the number of values of all documents of a request, because a short request could
	// otherwise demand much memory; 0 is no limit.
	MaxValues int

	// NaNAsZero treats NaN as zero, as LightGBM does, in trees that have no side for missing values.
	// Otherwise such a request is refused.
	NaNAsZero bool
}

// Ranker is a model that is ready to score requests. Any number of goroutines may use it.
type Ranker struct {
	options Options
	model   scoring.Model
	names   []string // of the features of the model, without query context
	// numbers of the features of a document: all except columns that are not features
	sent   []int
	used   []int                        // numbers of the features that scores depend on
	number map[string]int               // of a feature, by name
	twice  string                       // a name that two features have; "" if there is none
	noNaN  []bool                       // of each feature: NaN is refused
	texts  map[int][]string             // of features whose values represent texts
	words  map[int]*category.Dictionary // of the same features: the value of each text

	compares bool // the model only compares values, so infinite ones are allowed
}

var errNoFeatures = errors.New("the model has no features")

// New prepares a model.
func New(m lambdamart.Model, o Options) (*Ranker, error) {
	compiled, err := lambdamart.Compile(m)
	if err != nil {
		return nil, err
	}
	r := &Ranker{options: o, model: compiled, names: m.FeatureNames(),
		used: m.UsedFeatures(), compares: tree.Compares(m)}
	if m.NumFeatures() == 0 {
		return nil, errNoFeatures
	}
	if c := widened.Of(m); c != nil {
		r.names, r.used = r.names[:c.Raw], c.Sources(r.used)
	}
	r.number = make(map[string]int, len(r.names))
	for i, name := range r.names {
		if _, found := r.number[name]; found {
			r.twice = name
		}
		r.number[name] = i
	}
	absent := absentOf(m)
	for f := range r.names {
		if !slices.Contains(absent, f) || slices.Contains(r.used, f) {
			r.sent = append(r.sent, f)
		}
	}
	if len(r.sent) == 0 {
		return nil, errNoFeatures
	}
	r.noNaN = make([]bool, len(r.names))
	if trees, ok := m.(*tree.Ensemble); ok {
		r.texts, r.words = trees.Dictionaries, dictionariesOf(trees)
		if !o.NaNAsZero {
			r.refuseNaN(trees)
		}
	}
	return r, nil
}

// absentOf returns the features that no row of the training data had, for example a column of the table that
// contained the query.
func absentOf(m lambdamart.Model) []int {
	switch m := m.(type) {
	case *tree.Ensemble:
		return provenance.Absent(m.Parameters)
	case *nnbaseline.Model:
		return provenance.AbsentIn(m.Parameters()[provenance.NotFeatures])
	}
	return nil
}

// refuseNaN marks the features of nodes that have no side for missing values. Query context handles missing
// values itself.
func (r *Ranker) refuseNaN(e *tree.Ensemble) {
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, feature := range t.Feature {
			d := t.Decision[node]
			if int(feature) < len(r.noNaN) && d&tree.Categorical == 0 && d.Missing() == tree.MissingNone {
				r.noNaN[feature] = true
			}
		}
	}
}

// FeatureNames returns the names of the features of a document.
func (r *Ranker) FeatureNames() []string {
	names := make([]string, len(r.sent))
	for i, f := range r.sent {
		names[i] = r.names[f]
	}
	return names
}

// Inputs describes the tensors of a request.
func (r *Ranker) Inputs() []oip.TensorInfo {
	return []oip.TensorInfo{
		{Name: Features, Type: oip.FP64, Shape: []int{-1, len(r.sent)}},
	}
}

// Outputs describes the tensors of a response.
func (r *Ranker) Outputs() []oip.TensorInfo {
	return []oip.TensorInfo{{Name: Score, Type: oip.FP64, Shape: []int{-1}}}
}

// Rank answers a request: it returns the score of each document.
func (r *Ranker) Rank(ctx context.Context, inputs []oip.Tensor) ([]float64, error) {
	in, err := sorted(inputs)
	if err != nil {
		return nil, err
	}
	if err := r.checkSize(in); err != nil {
		return nil, err
	}
	rows, n, err := r.columns(in)
	if err != nil {
		return nil, err
	}
	if err := r.check(rows, n); err != nil {
		return nil, err
	}
	queries, err := queriesOf(in.query, n)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, n)
	context := widened.Of(r.model)
	if context == nil {
		return scores, r.score(ctx, scores, rows, 0)
	}
	used, width, first := r.model.UsedFeatures(), len(r.names), 0
	for _, length := range queries {
		wide := widened.Rows(rows[first*width:(first+length)*width], length, context, used)
		if err := r.score(ctx, scores[first:first+length], wide, first); err != nil {
			return nil, err
		}
		first += length
	}
	return scores, nil
}

// chunk is the number of documents that are scored between two checks of the request's deadline.
const chunk = 1024

// score writes the scores of rows to dst. offset is the index, in the request, of the first row's document.
func (r *Ranker) score(ctx context.Context, dst, rows []float64, offset int) error {
	width := r.model.NumFeatures()
	for first := 0; first < len(dst); first += chunk {
		if err := ctx.Err(); err != nil {
			return oip.Errorf(oip.CodeTimeout, "the time for the request was over after %d of %d documents", first,
				len(dst))
		}
		last := min(first+chunk, len(dst))
		if err := r.model.Score(dst[first:last], rows[first*width:last*width]); err != nil {
			return oip.Invalid("%v", ofDocument(err, offset+first))
		}
	}
	return nil
}

// ofDocument replaces the number of a document in err by its number in the request. first is the number of
// the first document of the call.
func ofDocument(err error, first int) error {
	var inRow scoring.RowError
	if errors.As(err, &inRow) {
		inRow.Renumber(func(row int) int { return first + row })
	}
	return err
}

// checkSize refuses more documents than fit into the memory for a request. A tensor may be empty even if its
// shape has many rows.
func (r *Ranker) checkSize(in inputs) error {
	n := 0
	if in.features != nil && len(in.features.Shape) > 0 {
		n = in.features.Shape[0]
	} else if in.columns != nil {
		n = in.columns[0].Len()
	}
	if limit := r.options.MaxValues; limit > 0 && n > limit/len(r.names) {
		return oip.Errorf(oip.CodeTooLarge,
			"%d documents with %d features are more than the %d values that a request may have", n, len(r.names),
			limit)
	}
	return nil
}

// check refuses values that a model would score wrongly.
func (r *Ranker) check(rows []float64, n int) error {
	width := len(r.names)
	for i := range n {
		row := rows[i*width : (i+1)*width]
		for _, f := range r.used {
			switch v := row[f]; {
			case v-v == 0: // finite
			case math.IsInf(v, 0) && !r.compares:
				return oip.Invalid("document %d: feature %q is infinite; send a finite value, or NaN if it is missing", i,
					r.names[f])
			case r.noNaN[f]:
				return oip.Invalid("document %d: feature %q is missing (NaN), and the model was trained without "+
					"missing values of it; "+
					"send the value that its training data had instead, often 0, or let the server count it as 0 "+
					"(nan_as_zero=true)", i, r.names[f])
			}
		}
	}
	return nil
}

// queriesOf returns the number of documents of each query. Without ids, all documents are one query.
func queriesOf(t *oip.Tensor, n int) ([]int, error) {
	if t == nil {
		return []int{n}, nil
	}
	ids, err := t.Keys()
	if err != nil {
		return nil, err
	}
	if len(ids) != n {
		return nil, oip.Invalid("input %q has %d elements for %d documents", t.Name, len(ids), n)
	}
	return runs(ids)
}

// runs returns the lengths of the runs of equal ids.
func runs(ids []string) (lengths []int, err error) {
	seen := make(map[string]bool)
	for first := 0; first < len(ids); {
		id, last := ids[first], first+1
		if seen[id] {
			return nil, oip.Invalid("input %q: the documents of query %q do not follow each other", Query, id)
		}
		seen[id] = true
		for last < len(ids) && ids[last] == id {
			last++
		}
		lengths = append(lengths, last-first)
		first = last
	}
	return lengths, nil
}

// SameFeatures reports whether two models have the same features in the same order.
func (r *Ranker) SameFeatures(other *Ranker) bool {
	return slices.Equal(r.FeatureNames(), other.FeatureNames())
}
