package serving

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ranker is a model that is ready to score the documents of a request, for any number of goroutines at once.
//
//	input tensors ─► a row for each document, features in the model's order (of one tensor, or a tensor each)
//	                    ▼
//	                 check: values that the model cannot have seen are refused
//	                    ▼
//	                 query context, if the model has it, of the documents of each query
//	                    ▼
//	                 scores
type ranker struct {
	model     scoring.Model
	maxValues int            // of all documents of a request
	names     []string       // of the features of the model, without query context
	sent      []int          // features of a document: all except columns that are not features
	used      []int          // features that scores depend on
	number    map[string]int // of a feature, by name
	twice     string         // a name that two features have; "" if there is none
	noNaN     []bool         // of each feature: NaN is refused

	texts map[int][]string              // of features whose values represent texts
	words map[int]*byfeature.Dictionary // of the same features: the value of each text

	prediction, probability func(score float64) float64 // nil: the same, and none

	// Unknown, if not nil, is called when a request has categories of a feature, such as example, none of which
	// the model knows, so that all count as missing: once for each feature, by any goroutine.
	Unknown func(feature, example string)
	told    []atomic.Bool // features for which Unknown was called
}

// newRanker prepares a model. A request may have maxValues values of all its documents, because a short
// request could otherwise demand much memory.
func newRanker(m lambdamart.Model, maxValues int) (*ranker, error) {
	compiled, err := lambdamart.Compile(m)
	if err != nil {
		return nil, err
	}
	r := &ranker{model: compiled, maxValues: maxValues, names: m.FeatureNames(), used: m.UsedFeatures(),
		number: map[string]int{}}
	if c := widened.Of(m); c != nil {
		r.names, r.used = r.names[:c.Raw], c.Sources(r.used)
	}
	absent := absentOf(m)
	for i, name := range r.names {
		if _, found := r.number[name]; found {
			r.twice = name
		}
		r.number[name] = i
		if !slices.Contains(absent, i) || slices.Contains(r.used, i) {
			r.sent = append(r.sent, i)
		}
	}
	if len(r.sent) == 0 {
		return nil, errors.New("the model has no features")
	}
	r.noNaN, r.told = make([]bool, len(r.names)), make([]atomic.Bool, len(r.names))
	if trees, ok := m.(*tree.Ensemble); ok {
		r.ofTrees(trees)
	} else if c := lambdamart.CalibrationOf(m); c != nil {
		r.probability = c.Probability
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

// ofTrees prepares the texts of categories, and marks the features of nodes that have no side for missing
// values. Query context handles missing values itself.
func (r *ranker) ofTrees(e *tree.Ensemble) {
	r.prediction, r.probability = e.Outputs()
	r.texts, r.words = e.Dictionaries, make(map[int]*byfeature.Dictionary, len(e.Dictionaries))
	for f, words := range e.Dictionaries {
		r.words[f] = byfeature.NewDictionary(words)
	}
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
func (r *ranker) FeatureNames() []string {
	names := make([]string, len(r.sent))
	for i, f := range r.sent {
		names[i] = r.names[f]
	}
	return names
}

// Categories returns the texts of the values 0, 1, … of features, by feature name.
func (r *ranker) Categories() map[string][]string {
	all := map[string][]string{}
	for f, name := range r.names {
		if words, found := r.texts[f]; found {
			all[name] = words
		}
	}
	return all
}

// Rank returns the sum of the trees of each document of a request.
func (r *ranker) Rank(ctx context.Context, inputs []tensor) ([]float64, error) {
	in, err := sorted(inputs)
	if err != nil {
		return nil, err
	}
	rows, n, err := r.rows(in)
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
	return r.score(ctx, r.widen(rows, queries), n)
}

// outputNames returns the names of the model's outputs.
func (r *ranker) outputNames() []string {
	if r.probability != nil {
		return []string{scoreOutput, probabilityOutput}
	}
	return []string{scoreOutput}
}

// outputs returns the outputs that were asked for, all if none were, given the sums of trees.
func (r *ranker) outputs(sums []float64, asked []string) (all []outputTensor, err error) {
	functions := map[string]func(float64) float64{scoreOutput: r.prediction, probabilityOutput: r.probability}
	names := r.outputNames()
	for _, name := range asked {
		if !slices.Contains(names, name) {
			return nil, invalid("there is no output %q; there is \"%s\"", name, strings.Join(names, `", "`))
		}
	}
	if len(asked) > 0 {
		names = asked
	}
	for _, name := range names {
		values, of := slices.Clone(sums), functions[name]
		for i := 0; of != nil && i < len(values); i++ {
			values[i] = of(values[i])
		}
		all = append(all, outputTensor{tensorInfo{name, fp64, []int{len(values)}}, values})
	}
	return all, nil
}

// check refuses missing values in features that the model has only seen with values. Other values are finite:
// JSON has no others.
func (r *ranker) check(rows []float64, n int) error {
	for i := range n {
		row := rows[i*len(r.names) : (i+1)*len(r.names)]
		for _, f := range r.used {
			if r.noNaN[f] && math.IsNaN(row[f]) {
				return invalid("document %d: feature %q is missing (NaN), and the model was trained without "+
					"missing values of it; send the value that its training data had instead, often 0", i, r.names[f])
			}
		}
	}
	return nil
}

// queriesOf returns the number of documents of each query. Without ids, all documents are one query.
func queriesOf(t *tensor, n int) (lengths []int, err error) {
	if t == nil {
		return []int{n}, nil
	}
	ids, err := t.Keys()
	if err != nil {
		return nil, err
	}
	if len(ids) != n {
		return nil, invalid("input %q has %d elements for %d documents", t.Name, len(ids), n)
	}
	seen := make(map[string]bool)
	for i, id := range ids {
		switch {
		case i > 0 && id == ids[i-1]:
			lengths[len(lengths)-1]++
			continue
		case seen[id]:
			return nil, invalid("input %q: the documents of query %q do not follow each other", t.Name, id)
		}
		seen[id] = true
		lengths = append(lengths, 1)
	}
	return lengths, nil
}

// widen returns the rows with the columns of the model's query context.
func (r *ranker) widen(rows []float64, queries []int) []float64 {
	context := widened.Of(r.model)
	if context == nil {
		return rows
	}
	var wide []float64
	used, width, first := r.model.UsedFeatures(), len(r.names), 0
	for _, length := range queries {
		query := rows[first*width : (first+length)*width]
		wide = append(wide, widened.Rows(query, length, context, used)...)
		first += length
	}
	return wide
}

// chunk is the number of documents that are scored between two checks of the request's deadline.
const chunk = 1024

// score returns the scores of the rows of n documents.
func (r *ranker) score(ctx context.Context, rows []float64, n int) ([]float64, error) {
	scores, width := make([]float64, n), r.model.NumFeatures()
	for first := 0; first < n; first += chunk {
		if ctx.Err() != nil {
			return nil, errorf(http.StatusGatewayTimeout,
				"the time for the request was over after %d of %d documents", first, n)
		}
		last := min(first+chunk, n)
		if err := r.model.Score(scores[first:last], rows[first*width:last*width]); err != nil {
			var inRow scoring.RowError
			if errors.As(err, &inRow) {
				inRow.Renumber(func(row int) int { return first + row })
			}
			return nil, invalid("%v", err)
		}
	}
	return scores, nil
}
