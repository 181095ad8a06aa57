// Package search writes models for search engines that load JSON, Solr, Elasticsearch and Vespa, and reads those
// for Solr. The plug-ins of Elasticsearch and OpenSearch load models of packages xgboost and ranklib.
//
// Models for Apache Solr's module for learning to rank (org.apache.solr.ltr.model.MultipleAdditiveTreesModel) are
// written and read.
//
// # The format of Solr
//
// A file is one JSON object, which is uploaded to Solr's model store:
//
//	{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
//	 "name":"...",                        name of the model in queries
//	 "store":"...",                       the feature store; may be absent
//	 "features":[{"name":"..."},...],     at least one
//	 "params":{
//	   "isNullSameAsZero":false,          since Solr 9.2; absent means true
//	   "trees":[{"weight":"1","root":NODE},...]}}
//
// NODE is a leaf {"value":"0.5"} or a split
//
//	{"feature":"...","threshold":"0.5","missing":"left","left":NODE,"right":NODE}
//
// where missing ("left" or "right") exists since Solr 9.2. Solr refuses unknown keys, so a file
// with isNullSameAsZero and missing does not load before 9.2. Numbers are strings or JSON numbers.
//
// # How Solr scores
//
// Values, thresholds, leaf values and weights are float32. A value goes left if
//
//	value <= fl32(threshold + 1e-6f)
//
// The leaf values times the weights of their trees are added in float32, in order, starting with 0. A feature
// that a document lacks is 0; with isNullSameAsZero false it is NaN, which goes to the side that missing
// names. If a tree uses a feature that the model does not list, Solr scores 0 for the tree; it is refused.
//
// # What is written for Solr
//
// Weights are 1. Leaf values are rounded to float32. Thresholds are chosen so that, after Solr adds 1e-6,
// every float32 value takes the same path as in the model. For a few thresholds near zero, where float32 is
// finer than 1e-6, there is no such number: [Deviations] lists them with the affected values. The features
// are those that the model uses, in its order.
//
// isNullSameAsZero and missing are written if the model sends missing values and zeros to different sides,
// unless [SolrOptions] say that there are no missing values; without them the file loads in all versions. The
// file is as small as possible, because Solr's managed stores keep it in ZooKeeper, which by default accepts at
// most 1 MB per file.
//
// Categorical splits, linear leaves, averages, and splits that treat zeros as missing and send them
// to another side than their neighbors are refused with a [*engine.Refusal].
package search

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// class is the only class of models that is written or read.
const class = "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"

// ErrSolr: the text is not valid at this place of a model file.
var ErrSolr = document.Kind(document.ErrFormat, "not a Solr model of trees")

// SolrError is a fault in a model file, with its place.
type SolrError struct {
	Place string // such as "params.trees[3].root.left"; empty if the whole is meant
	Err   error
}

func (e *SolrError) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("solr: %v", e.Err)
	}
	return fmt.Sprintf("solr: %s: %v", e.Place, e.Err)
}

func (e *SolrError) Unwrap() error { return e.Err }

// SolrOptions are the contents of the file that are not part of the model, and how missing values are written.
type SolrOptions struct {
	Name  string // name of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// NoMissing promises that documents lack no features, so it does not matter where Solr sends missing
	// values.
	NoMissing bool
}

// SolrCapabilities returns what Solr can represent. Models that send missing values and zeros to different sides
// need Solr 9.2 or newer.
func SolrCapabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "Solr", Missing: engine.MissingSide, Float32: true}
}

//go:embed solr.tmpl
var solrText string

// WriteSolr writes e, which must be one that [SolrCapabilities] allow. The bytes depend on e and o only.
// Errors are an [*SolrError], or come from w.
func WriteSolr(w io.Writer, e *tree.Ensemble, o SolrOptions) error {
	if o.Name == "" {
		return &SolrError{"name", fmt.Errorf("%w: the model needs a name", ErrSolr)}
	}
	used := e.UsedFeatures()
	if len(used) == 0 && len(e.Features) > 0 {
		used = []int{0} // Solr requires a feature
	}
	var listed []tree.Feature
	for _, i := range used {
		listed = append(listed, e.Features[i])
	}
	if err := engine.CheckNames(listed, isEmpty); err != nil {
		return &SolrError{"features", err}
	}
	sides := o.needsSides(e)
	return engine.Render(w, solrText, template.FuncMap{
		"name": func(f int32) string { return e.Features[f].Name }, "side": side(sides),
		"slack": slack, "decimal": decimal,
	}, map[string]any{
		"Name": o.Name, "Store": o.Store, "Features": listed, "Sides": sides, "Roots": engine.Roots(e),
	})
}

// needsSides reports whether the splits of e must name a side for missing values, which would otherwise count
// as 0.
func (o SolrOptions) needsSides(e *tree.Ensemble) bool {
	c := SolrCapabilities()
	c.Missing = engine.MissingZero
	return !o.NoMissing && c.Check(e) != nil
}

// side returns a function that names the side of missing values, if splits must name it.
func side(needed bool) func(engine.Node) string {
	return func(n engine.Node) string {
		switch {
		case !needed:
			return ""
		case n.NaNLeft:
			return "left"
		}
		return "right"
	}
}

func slack(cut float64) string {
	y, _ := engine.Slack(cut)
	return decimal(float64(y))
}

// decimal returns the shortest decimal that Java's Float.parseFloat reads back as v rounded to float32.
func decimal(v float64) string {
	switch f := float64(float32(v)); {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	default:
		return strconv.FormatFloat(f, 'g', -1, 32)
	}
}

// Deviation is a range of float32 values that Solr sends to another side than the model, because no number in
// the file makes Solr cut at the threshold of the model.
type Deviation struct {
	Feature   int
	Threshold float64 // of the model
	Above, To float32 // the values x with Above < x <= To
}

// Deviations lists the thresholds of e that Solr cannot reproduce, once each, in the order of the trees.
func Deviations(e *tree.Ensemble) []Deviation {
	var list []Deviation
	seen := map[Deviation]bool{}
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, cut := range t.Threshold {
			y, ok := engine.Slack(cut)
			if ok || t.Decision[node]&tree.Categorical != 0 {
				continue
			}
			want, have := engine.AtMost(cut), engine.SlackCut(y)
			d := Deviation{int(t.Feature[node]), cut, min(want, have), max(want, have)}
			if !seen[d] {
				list = append(list, d)
				seen[d] = true
			}
		}
	}
	return list
}

// SolrDeviates returns a function that reports whether Solr sends a value of a feature to another side than e at
// some split.
func SolrDeviates(e *tree.Ensemble) func(feature int, x float64) bool {
	all := Deviations(e)
	return func(feature int, x float64) bool {
		return slices.ContainsFunc(all, func(d Deviation) bool {
			return feature == d.Feature && float64(d.Above) < x && x <= float64(d.To)
		})
	}
}

// zooKeeperLimit is the default limit of the size of a file in Solr's managed store, in bytes.
const zooKeeperLimit = 1 << 20

// SolrNotes returns remarks for the user about the file of e of the given size in bytes: thresholds that Solr
// cannot reproduce, and a size that ZooKeeper refuses.
func SolrNotes(e *tree.Ensemble, size int) []string {
	var notes []string
	if all := Deviations(e); len(all) > 0 {
		widest := slices.MaxFunc(all, func(a, b Deviation) int { return cmp.Compare(a.To-a.Above, b.To-b.Above) })
		notes = append(notes, fmt.Sprintf("Solr adds 1e-6 to thresholds, which cannot be made up for at %d of "+
			"them: float32 values just beside these go the other way; the widest gap is that of %q, above %g up to %g",
			len(all), e.Features[widest.Feature].Name, widest.Above, widest.To))
	}
	if size > zooKeeperLimit {
		notes = append(notes, "the file is larger than 1 MB, which ZooKeeper refuses by default: raise "+
			"jute.maxbuffer, or use Solr's DefaultWrapperModel")
	}
	return notes
}
