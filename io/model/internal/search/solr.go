// Package search writes models for search engines that load JSON, Solr, Elasticsearch and Vespa, and reads
// those for Solr. The plug-ins of Elasticsearch and OpenSearch load models of packages xgboost and ranklib.
//
// Models for Apache Solr's module for learning to rank (org.apache.solr.ltr.model.MultipleAdditiveTreesModel)
// are written and read.
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
// file is as small as possible, because Solr's managed stores keep it in ZooKeeper, which by default accepts
// at most 1 MB per file.
//
// Categorical splits, linear leaves, averages, and splits that treat zeros as missing and send them
// to another side than their neighbors are refused.
package search

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/template"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// class is the only class of models that is written or read.
const class = "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"

// ErrSolr: the text is not valid at this place of a model file.
var ErrSolr = document.Kind(document.ErrFormat, "not a Solr model of trees")

// SolrOptions are what the file has beside the model, and how missing values are written.
type SolrOptions struct {
	Name  string // name of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// NoMissing promises that documents lack no features, so it does not matter where Solr sends missing values.
	NoMissing bool
}

// SolrCapabilities are what Solr can represent. Models that send missing values and zeros to different sides
// need Solr 9.2 or newer.
var SolrCapabilities = engine.Capabilities{Engine: "Solr", Float32: true}

//go:embed solr.tmpl
var solrText string

// WriteSolr writes e, which must be one that [SolrCapabilities] allow. The bytes depend on e and o only.
// Errors wrap [engine.ErrName], or come from w.
func WriteSolr(w io.Writer, e *tree.Ensemble, o SolrOptions) error {
	used := e.UsedFeatures()
	if len(used) == 0 && len(e.Features) > 0 {
		used = []int{0} // Solr requires a feature
	}
	var listed []tree.Feature
	for _, i := range used {
		listed = append(listed, e.Features[i])
	}
	if err := engine.CheckNames(listed, isEmpty); err != nil {
		return fmt.Errorf("solr: features: %w", err)
	}
	sides := o.needsSides(e)
	return engine.Render(w, solrText, template.FuncMap{
		"name": func(f int32) string { return e.Features[f].Name }, "slack": slack,
		"sides": func() bool { return sides },
	}, map[string]any{"Name": o.Name, "Store": o.Store, "Features": listed, "Roots": engine.Roots(e)})
}

// needsSides reports whether the splits of e must name a side for missing values, which would otherwise count
// as 0.
func (o SolrOptions) needsSides(e *tree.Ensemble) bool {
	c := SolrCapabilities
	c.MissingIsZero = true
	return !o.NoMissing && c.Check(e) != nil
}

func slack(cut float64) string {
	y, _ := engine.Slack(cut)
	return engine.Decimal(float64(y))
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

// SolrDeviates returns a function that reports whether Solr sends a value of a feature to another side than e
// at some split.
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

// IsSolr reports whether data, the content of a file, looks like a model for Solr: a JSON object that
// names Solr's class.
func IsSolr(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(class))
}

// ReadSolr reads the content of a file. The ensemble is valid. Every float32 value takes the same path as in
// Solr. Leaf values are float32 numbers multiplied by the weight of their tree; to get Solr's scores exactly,
// round each sum to float32. Errors wrap a [*document.Error].
func ReadSolr(text []byte) (*tree.Ensemble, error) {
	return engine.Read("solr", text, func(e *tree.Ensemble, root document.Cursor) {
		r := solrReader{ensemble: e, features: map[string]int32{}}
		r.model(root)
	})
}

// solrReader makes trees of nested nodes, which it numbers in the order of the file.
type solrReader struct {
	ensemble *tree.Ensemble
	features map[string]int32 // column of each name
	sides    bool             // splits name the side of missing values
	weight   float32          // of the current tree
	t        engine.Builder   // the current tree
}

func (r *solrReader) model(c document.Cursor) {
	c.Known([]string{"class", "name", "store", "features", "params"})
	if name := c.Field("class"); name.Text() != class {
		name.Failf(ErrSolr, "%.100q; only %s is read", name.Text(), class)
	}
	c.Optional("features").Elements(r.feature)
	params := c.Optional("params")
	params.Known([]string{"isNullSameAsZero", "trees"})
	trees := params.Optional("trees")
	if len(r.features) == 0 || trees.Len() == 0 {
		c.Failf(ErrSolr, "%s and %s; Solr wants one of each", wording.Count(len(r.features), "feature"),
			wording.Count(trees.Len(), "tree"))
	}
	r.sides = params.Has("isNullSameAsZero") && !params.Field("isNullSameAsZero").Bool()
	trees.Elements(r.tree)
}

func (r *solrReader) feature(i int, c document.Cursor) {
	c.Known([]string{"name"})
	name := c.Field("name").Text()
	if _, twice := r.features[name]; twice || name == "" {
		c.Failf(engine.ErrName, "%q is empty or given twice", name)
	}
	r.features[name] = int32(i)
	r.ensemble.Features = append(r.ensemble.Features, tree.Feature{Name: name})
}

func (r *solrReader) tree(_ int, c document.Cursor) {
	c.Known([]string{"weight", "root"})
	if !c.Has("weight") || !c.Has("root") {
		c.Failf(ErrSolr, "a tree has a weight and a root")
	}
	r.t, r.weight = engine.Builder{}, solrNumber(c.Field("weight"))
	r.node(c.Field("root"))
	r.ensemble.Trees = append(r.ensemble.Trees, r.t.Finish())
}

// node adds a node and everything below it, and returns the number by which its parent refers to it.
func (r *solrReader) node(c document.Cursor) int32 {
	c.Known([]string{"feature", "threshold", "missing", "left", "right", "value"})
	if !c.Has("feature") {
		if !c.Has("value") || c.Has("left") || c.Has("right") {
			c.Failf(ErrSolr, "a node without a feature is a leaf, with a value and without children")
		}
		return r.t.AddLeaf(engine.Leaf{Value: float64(r.weight * solrNumber(c.Field("value")))})
	}
	if !c.Has("threshold") || !c.Has("left") || !c.Has("right") || c.Has("value") {
		c.Failf(ErrSolr, "a split has a feature, a threshold, left and right, and no value")
	}
	name := c.Field("feature")
	feature, known := r.features[name.Text()]
	if !known {
		name.Failf(engine.ErrName, "%.100q is not among the model's features; Solr would score 0 for the tree",
			name.Text())
	}
	number := r.t.AddSplit(engine.Split{Feature: feature,
		Threshold: float64(engine.SlackCut(solrNumber(c.Field("threshold")))), Decision: r.decision(c)})
	left, right := r.node(c.Field("left")), r.node(c.Field("right"))
	r.t.Join(number, left, right)
	return number
}

func (r *solrReader) decision(c document.Cursor) tree.Decision {
	switch missing := c.Optional("missing").Text(); {
	case !r.sides: // Solr reads the side but does not use it
		return tree.MissingNone
	case missing == "left":
		return tree.MissingNaN | tree.DefaultLeft
	case missing != "right":
		c.Failf(ErrSolr, "missing is %.40q, want left or right on every split where isNullSameAsZero is false",
			missing)
	}
	return tree.MissingNaN
}

// solrNumber returns a float32, written as a JSON number or as a string.
func solrNumber(c document.Cursor) float32 {
	text := c.Number()
	v, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(v) {
		c.Failf(document.ErrNumber, "%.40q", text)
	}
	return float32(v)
}
