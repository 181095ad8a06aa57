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
	transform map[string]func(sum float64) float64 // of the sum of the trees, by output

	features   []feature      // of the model, without query context
	number     map[string]int // of a feature, by name; -1 if two features have the name
	context    widened.Features
	known      []provenance.Known // categories, of features that scores depend on
	used       []int              // features that scores depend on
	all        []int              // features
	sent       []int              // features of a document: all except columns that are not features
	names      []string           // of the features of a document
	parameters map[string]any     // of the model's metadata, an extension of ours
}

// feature is a feature of a model.
type feature struct {
	name  string
	noNaN bool                  // a missing value is refused
	words *byfeature.Dictionary // the value of each text; nil if values do not represent texts

	unknown atomic.Int64 // unknown categories since the last known one
	told    atomic.Bool  // many of them were logged
}

// newRanker prepares a model. A request may have maxValues values of all its documents, because a short
// request could otherwise demand much memory.
func newRanker(m lambdamart.Model, maxValues int, log *slog.Logger) (*ranker, error) {
	compiled, err := lambdamart.Compile(m)
	if err != nil {
		return nil, err
	}
	r := &ranker{model: compiled, maxValues: maxValues, log: log, context: widened.FeaturesOf(m),
		transform: map[string]func(float64) float64{}, number: map[string]int{}}
	raw, used := r.context.Raw()
	r.features, r.used = make([]feature, raw), used
	absent := provenance.Absent(m) // for example a column of the table that contained the query
	for f, name := range m.FeatureNames()[:raw] {
		r.features[f].name, r.all = name, append(r.all, f)
		if !slices.Contains(absent, f) || slices.Contains(used, f) {
			r.sent, r.names = append(r.sent, f), append(r.names, name)
		}
		if _, found := r.number[name]; found {
			f = -1
		}
		r.number[name] = f
	}
	if len(r.sent) == 0 {
		return nil, errors.New("the model has no features")
	}
	r.parameters = map[string]any{"feature_names": r.names}
	var prediction, probability func(sum float64) float64
	if trees, ok := m.(*tree.Ensemble); ok {
		prediction, probability = trees.Outputs()
		r.prepareFeatures(trees)
	} else if c := lambdamart.CalibrationOf(m); c != nil {
		probability = c.Probability
	}
	r.addOutput("score", prediction)
	if probability != nil {
		r.addOutput("probability", probability)
	}
	return r, nil
}

// addOutput adds an output. transform may be nil, for the sum itself.
func (r *ranker) addOutput(name string, transform func(sum float64) float64) {
	r.outputs = append(r.outputs, tensor{Name: name, Type: fp64, Shape: []int{-1}})
	r.transform[name] = transform
}

// prepareFeatures prepares the texts of categories, and marks the features of nodes that have no side for
// missing values. Query context handles missing values itself.
func (r *ranker) prepareFeatures(e *tree.Ensemble) {
	r.known = provenance.KnownCategories(e)
	categories := map[string][]string{} // the texts of the values 0, 1, … of features
	for f := range r.features {
		if words, found := e.Dictionaries[f]; found {
			r.features[f].words, categories[r.features[f].name] = byfeature.NewDictionary(words), words
			r.parameters["categories"] = categories
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

// answer sets the number of documents of a request, and the outputs that it asks for.
func (r *ranker) answer(ctx context.Context, in *inferRequest, response *inferResponse) error {
	n, err := r.documents(in)
	if err != nil {
		return err
	}
	rows, err := r.rows(in, n)
	if err != nil {
		return err
	}
	queries, err := queriesOf(in.query, n)
	if err != nil {
		return err
	}
	sums, err := r.score(ctx, r.context.Rows(rows, queries...), n)
	if err != nil {
		return err
	}
	response.documents = n
	response.Outputs, err = r.outputsOf(sums, in.Outputs)
	return err
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

// count counts the unknown categories of a feature since the last known one. Many are logged once.
func (r *ranker) count(f *feature, known bool, unknown int, example string) {
	if known {
		f.unknown.Store(0)
	} else if f.unknown.Add(int64(unknown)) >= provenance.LeastUnknown && !f.told.Swap(true) {
		r.log.Warn("the model knows none of the last categories of a feature, and its splits send them all the "+
			"same way: send those of the training data", "feature", f.name, "categories", f.unknown.Load(),
			"example", example)
	}
}

// category returns the category that was found for a text, or for a number with this text; NaN if there is
// none, as in training. A missing value has no text.
func (r *ranker) category(f *feature, found float64, known bool, text string) float64 {
	if known || text != "" {
		r.count(f, known, 1, text)
	}
	if !known {
		return math.NaN()
	}
	return found
}

// queriesOf returns the number of documents of each query. Without ids, all documents are one query.
func queriesOf(t *tensor, n int) (lengths []int, err error) {
	if t == nil {
		return []int{n}, nil
	}
	ids := t.texts
	if len(ids) != n {
		return nil, invalid("input %q has %s for %s", t.Name, wording.Count(len(ids), "element"),
			wording.Count(n, "document"))
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
				"the time for the request was over after %s of %s", wording.Thousands(first),
				wording.Count(n, "document"))
		}
		last := min(first+chunk, n)
		if err := r.model.Score(sums[first:last], rows[first*width:last*width]); err != nil {
			if inRow, ok := errors.AsType[scoring.RowError](err); ok {
				inRow.Renumber(func(row int) int { return first + row })
			}
			return nil, invalid("%v", err)
		}
	}
	return sums, nil
}

// outputsOf returns the outputs of documents with these sums: those that are wanted, or all if none is.
func (r *ranker) outputsOf(sums []float64, wanted []tensor) (all []output, err error) {
	if len(wanted) == 0 {
		wanted = r.outputs
	}
	given := map[string]bool{}
	for i := range wanted {
		w := &wanted[i]
		transform, known := r.transform[w.Name]
		switch {
		case w.Parameters["classification"] != nil:
			return nil, invalid("output %q: classification is not supported; ask for the scores", w.Name)
		case w.Parameters["shared_memory_region"] != nil:
			return nil, invalid("output %q: shared memory is not supported; the response has the data", w.Name)
		case !known:
			return nil, invalid("there is no output %q; there is \"%s\"", w.Name,
				strings.Join(slices.Sorted(maps.Keys(r.transform)), `", "`))
		case given[w.Name]:
			return nil, invalid("output %q is wanted twice", w.Name)
		}
		given[w.Name] = true
		values := slices.Clone(sums)
		for i := 0; transform != nil && i < len(values); i++ {
			values[i] = transform(values[i])
		}
		all = append(all, output{tensor{Name: w.Name, Type: fp64, Shape: []int{len(values)}}, values})
	}
	return all, nil
}
