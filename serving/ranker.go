package serving

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ranker is a model that is ready to score the documents of a request, for any number of goroutines at once.
type ranker struct {
	model     scoring.Model
	maxValues int // of all documents of a request
	log       *slog.Logger

	outputs   []tensor                             // descriptions
	transform map[string]func(sum float64) float64 // of the sum of the trees, by output; nil is the sum itself

	features   []feature      // of the model, without query context
	number     map[string]int // of a feature, by name
	twice      string         // a name that two features have; "" if there is none
	context    widened.Features
	known      []provenance.Known  // categories, of features that scores depend on
	used       []int               // features that scores depend on
	all        []int               // features
	sent       []int               // features of a document: all except columns that are not features
	names      []string            // of the features of a document
	categories map[string][]string // the texts of the values 0, 1, … of features, by feature name
}

// feature is a feature of a model.
type feature struct {
	name  string
	noNaN bool                  // a missing value is refused
	words *byfeature.Dictionary // the value of each text; nil if values do not represent texts

	unknown atomic.Int64 // unknown categories since the last known one
	told    atomic.Bool  // many of them were logged
}

// Names of outputs. Only models that have probabilities have the second.
const (
	scoreOutput       = "score"
	probabilityOutput = "probability"
)

// newRanker prepares a model. A request may have maxValues values of all its documents, because a short
// request could otherwise demand much memory.
func newRanker(m lambdamart.Model, maxValues int, log *slog.Logger) (*ranker, error) {
	compiled, err := lambdamart.Compile(m)
	if err != nil {
		return nil, err
	}
	r := &ranker{model: compiled, maxValues: maxValues, log: log, context: widened.FeaturesOf(m),
		transform: map[string]func(float64) float64{}, number: map[string]int{}, categories: map[string][]string{}}
	raw, used := r.context.Raw()
	r.features, r.used = make([]feature, raw), used
	absent := provenance.Absent(m) // for example a column of the table that contained the query
	for f, name := range m.FeatureNames()[:raw] {
		if _, found := r.number[name]; found {
			r.twice = name
		}
		r.number[name], r.features[f].name, r.all = f, name, append(r.all, f)
		if !slices.Contains(absent, f) || slices.Contains(used, f) {
			r.sent, r.names = append(r.sent, f), append(r.names, name)
		}
	}
	if len(r.sent) == 0 {
		return nil, errors.New("the model has no features")
	}
	var prediction, probability func(sum float64) float64
	if trees, ok := m.(*tree.Ensemble); ok {
		prediction, probability = trees.Outputs()
		r.prepareFeatures(trees)
	} else if c := lambdamart.CalibrationOf(m); c != nil {
		probability = c.Probability
	}
	r.addOutput(scoreOutput, prediction)
	if probability != nil {
		r.addOutput(probabilityOutput, probability)
	}
	return r, nil
}

func (r *ranker) addOutput(name string, transform func(sum float64) float64) {
	r.outputs = append(r.outputs, tensor{Name: name, Type: fp64, Shape: []int{-1}})
	r.transform[name] = transform
}

// prepareFeatures prepares the texts of categories, and marks the features of nodes that have no side for
// missing values. Query context handles missing values itself.
func (r *ranker) prepareFeatures(e *tree.Ensemble) {
	r.known = provenance.KnownCategories(e)
	for f := range r.features {
		if words, found := e.Dictionaries[f]; found {
			r.features[f].words, r.categories[r.features[f].name] = byfeature.NewDictionary(words), words
		}
	}
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, f := range t.Feature {
			d := t.Decision[node]
			if int(f) < len(r.features) && d&tree.Categorical == 0 && d.Missing() == tree.MissingNone {
				r.features[f].noNaN = true
			}
		}
	}
}

// rank returns the sum of the trees of each document of a request. It makes rows of the inputs, refuses
// values that the model cannot have seen, and adds the query context of the documents of each query.
func (r *ranker) rank(ctx context.Context, inputs []tensor) ([]float64, error) {
	named, columns, err := byName(inputs)
	if err != nil {
		return nil, err
	}
	rows, n, err := r.rows(named[featuresInput], named[featureNames], columns)
	if err != nil {
		return nil, err
	}
	if err := r.check(rows); err != nil {
		return nil, err
	}
	r.watch(rows)
	queries, err := queriesOf(named[query], n)
	if err != nil {
		return nil, err
	}
	return r.score(ctx, r.context.Rows(rows, queries...), n)
}

// check refuses missing values in features that the model has only seen with values. Other values are finite:
// JSON has no others.
func (r *ranker) check(rows []float64) error {
	width := len(r.features)
	for i := 0; i*width < len(rows); i++ {
		for _, f := range r.used {
			if feature := &r.features[f]; feature.noNaN && math.IsNaN(rows[i*width+f]) {
				return invalid("document %d: feature %q is missing (NaN), and the model was trained without "+
					"missing values of it; send the value that its training data had instead, often 0", i, feature.name)
			}
		}
	}
	return nil
}

// watch counts the categories that the model does not know.
func (r *ranker) watch(rows []float64) {
	for i := range r.known {
		k := &r.known[i]
		unknown, example, known := provenance.CountUnknown(k, rows, len(r.features))
		r.count(&r.features[k.Feature], known, unknown, wording.Exact(example))
	}
}

// count adds to the unknown categories of a feature unless one is known, and logs once that there are many.
func (r *ranker) count(f *feature, anyKnown bool, unknown int, example string) {
	if anyKnown {
		f.unknown.Store(0)
	}
	if !anyKnown && f.unknown.Add(int64(unknown)) >= provenance.LeastUnknown && !f.told.Swap(true) {
		r.log.Warn("the model knows none of the last categories of a feature, and its splits send them all the "+
			"same way: send those of the training data", "feature", f.name, "categories", f.unknown.Load(),
			"example", example)
	}
}

// queriesOf returns the number of documents of each query. Without ids, all documents are one query.
func queriesOf(t *tensor, n int) (lengths []int, err error) {
	if t == nil {
		return []int{n}, nil
	}
	ids, err := t.keys()
	if err != nil {
		return nil, err
	}
	if len(ids) != n {
		return nil, invalid("input %q has %d elements for %s", t.Name, len(ids), wording.Count(n, "document"))
	}
	seen := make(map[string]bool)
	for i, id := range ids {
		switch {
		case i > 0 && id == ids[i-1]:
			lengths[len(lengths)-1]++
		case seen[id]:
			return nil, invalid("input %q: the documents of query %q do not follow each other", t.Name, id)
		default:
			seen[id] = true
			lengths = append(lengths, 1)
		}
	}
	return lengths, nil
}

// chunk is the number of documents that are scored between two checks of the request's deadline.
const chunk = 1024

// score returns the sums of the rows of n documents.
func (r *ranker) score(ctx context.Context, rows []float64, n int) ([]float64, error) {
	sums, width := make([]float64, n), r.model.NumFeatures()
	for first := 0; first < n; first += chunk {
		if ctx.Err() != nil {
			return nil, errorf(http.StatusGatewayTimeout,
				"the time for the request was over after %d of %s", first, wording.Count(n, "document"))
		}
		last := min(first+chunk, n)
		if err := r.model.Score(sums[first:last], rows[first*width:last*width]); err != nil {
			var inRow scoring.RowError
			if errors.As(err, &inRow) {
				inRow.Renumber(func(row int) int { return first + row })
			}
			return nil, invalid("%v", err)
		}
	}
	return sums, nil
}

// answer returns the outputs of documents with these sums: those that are wanted, or all if none is.
func (r *ranker) answer(sums []float64, wanted []tensor) (all []output, err error) {
	if len(wanted) == 0 {
		wanted = r.outputs
	}
	given := map[string]bool{}
	for i := range wanted {
		name := wanted[i].Name
		transform, known := r.transform[name]
		switch err := wanted[i].Parameters.check(name); {
		case err != nil:
			return nil, err
		case !known:
			return nil, invalid("there is no output %q; there is \"%s\"", name,
				strings.Join(slices.Sorted(maps.Keys(r.transform)), `", "`))
		case given[name]:
			return nil, invalid("output %q is wanted twice", name)
		}
		given[name] = true
		values := slices.Clone(sums)
		for i := 0; transform != nil && i < len(values); i++ {
			values[i] = transform(values[i])
		}
		all = append(all, output{tensor{Name: name, Type: fp64, Shape: []int{len(values)}}, values})
	}
	return all, nil
}
