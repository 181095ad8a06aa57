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
// to another side than their neighbors are refused with a [*engine.Refusal].
package search

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
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

// SolrOptions are what the file has beside the model, and how missing values are written.
type SolrOptions struct {
	Name  string // name of the model in Solr; required
	Store string // feature store; Solr's default if empty

	// NoMissing promises that documents lack no features, so it does not matter where Solr sends missing
	// values.
	NoMissing bool
}

// SolrCapabilities are what Solr can represent. Models that send missing values and zeros to different sides need
// Solr 9.2 or newer.
var SolrCapabilities = engine.Capabilities{Engine: "Solr", Float32: true}

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
	c := SolrCapabilities
	c.MissingIsZero = true
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

// ReadSolr reads the content of a file. The ensemble is valid. Every float32 value takes the same path as in
// Solr. Leaf values are float32 numbers multiplied by the weight of their tree; to get Solr's scores exactly,
// round each sum to float32. Errors are [*SolrError].
func ReadSolr(text []byte) (*tree.Ensemble, error) {
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, &SolrError{at(decoder), wrap(err)}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &SolrError{at(decoder), fmt.Errorf("%w: more text after the model", ErrSolr)}
	}
	e, err := f.ensemble()
	if err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, &SolrError{Err: err}
	}
	return e, nil
}

// IsSolr reports whether data, the content of a file, looks like a model for Solr: a JSON object that
// names Solr's class.
func IsSolr(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(class))
}

func at(d *json.Decoder) string { return fmt.Sprintf("byte %d", d.InputOffset()) }

// wrap turns an error of encoding/json into an ErrSolr.
func wrap(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%w: %s at %q (byte %d)", ErrSolr, kind.Value, kind.Field, kind.Offset)
	case errors.Is(err, document.ErrNumber):
		return err
	}
	return fmt.Errorf("%w: %w", ErrSolr, err)
}

// The types of the JSON form.
type (
	file struct {
		Class    string        `json:"class"`
		Name     string        `json:"name"`
		Store    string        `json:"store"`
		Features []featureItem `json:"features"`
		Params   params        `json:"params"`
	}
	featureItem struct {
		Name string `json:"name"`
	}
	params struct {
		NullIsZero *bool      `json:"isNullSameAsZero"`
		Trees      []treeItem `json:"trees"`
	}
	treeItem struct {
		Weight *number `json:"weight"`
		Root   *node   `json:"root"`
	}
	node struct {
		Feature   *string `json:"feature"`
		Threshold *number `json:"threshold"`
		Missing   string  `json:"missing"`
		Left      *node   `json:"left"`
		Right     *node   `json:"right"`
		Value     *number `json:"value"`
	}
)

// number is a float32, written as a JSON number or as a string.
type number float32

func (n *number) UnmarshalJSON(text []byte) error {
	s := string(text)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("%w: %.40q", document.ErrNumber, s)
	}
	*n = number(v)
	return nil
}

// ensemble turns the JSON form into a model.
func (f *file) ensemble() (*tree.Ensemble, error) {
	if f.Class != class {
		return nil, &SolrError{"class", fmt.Errorf("%w: %.100q; only %s is read", ErrSolr, f.Class, class)}
	}
	b := builder{features: map[string]int32{}, sides: f.Params.NullIsZero != nil && !*f.Params.NullIsZero}
	e := &tree.Ensemble{}
	for i, feature := range f.Features {
		if _, twice := b.features[feature.Name]; twice || feature.Name == "" {
			return nil, &SolrError{fmt.Sprintf("features[%d]", i),
				fmt.Errorf("%w: %q is empty or given twice", engine.ErrName, feature.Name)}
		}
		b.features[feature.Name] = int32(i)
		e.Features = append(e.Features, tree.Feature{Name: feature.Name})
	}
	if len(e.Features) == 0 || len(f.Params.Trees) == 0 {
		return nil, &SolrError{Err: fmt.Errorf("%w: %d features and %d trees; Solr wants one of each", ErrSolr,
			len(e.Features), len(f.Params.Trees))}
	}
	for i, item := range f.Params.Trees {
		t, err := b.tree(fmt.Sprintf("params.trees[%d]", i), item)
		if err != nil {
			return nil, err
		}
		e.Trees = append(e.Trees, t)
	}
	return e, nil
}

// builder makes trees of nested nodes, which it numbers in the order of the file.
type builder struct {
	features map[string]int32 // column of each name
	sides    bool             // splits name the side of missing values
	weight   float32          // of the current tree
	t        engine.Builder   // the current tree
}

func (b *builder) tree(place string, item treeItem) (t tree.Tree, err error) {
	if item.Weight == nil || item.Root == nil {
		return t, &SolrError{place, fmt.Errorf("%w: a tree has a weight and a root", ErrSolr)}
	}
	b.t, b.weight = engine.Builder{}, float32(*item.Weight)
	if _, err := b.node(item.Root); err != nil {
		err.Place = strings.TrimSuffix(place+".root."+err.Place, ".")
		return t, err
	}
	return b.t.Finish(), nil
}

// node adds n and everything below it, and returns the number by which its parent refers to it.
// Places of errors are relative to n.
func (b *builder) node(n *node) (int32, *SolrError) {
	if n.Feature == nil {
		return b.leaf(n)
	}
	if n.Threshold == nil || n.Left == nil || n.Right == nil || n.Value != nil {
		return 0, &SolrError{"", fmt.Errorf("%w: a split has a feature, a threshold, left and right, and no value",
			ErrSolr)}
	}
	feature, known := b.features[*n.Feature]
	if !known {
		return 0, &SolrError{"", fmt.Errorf("%w: %.100q is not among the model's features; Solr would score 0 for "+
			"the tree", engine.ErrName, *n.Feature)}
	}
	decision, err := b.decision(n.Missing)
	if err != nil {
		return 0, &SolrError{"missing", err}
	}
	number := b.t.AddSplit(engine.Split{Feature: feature,
		Threshold: float64(engine.SlackCut(float32(*n.Threshold))), Decision: decision})
	left, located := b.node(n.Left)
	if located != nil {
		return 0, located.below("left")
	}
	right, located := b.node(n.Right)
	if located != nil {
		return 0, located.below("right")
	}
	b.t.Join(number, left, right)
	return number, nil
}

// below puts a step of the path before the place. Very long paths are truncated.
func (e *SolrError) below(step string) *SolrError {
	const longest = 1000
	switch {
	case e.Place == "":
		e.Place = step
	case len(e.Place) < longest:
		e.Place = step + "." + e.Place
	case !strings.HasPrefix(e.Place, "..."):
		e.Place = "..." + e.Place
	}
	return e
}

func (b *builder) leaf(n *node) (int32, *SolrError) {
	if n.Value == nil || n.Left != nil || n.Right != nil {
		return 0, &SolrError{"", fmt.Errorf("%w: a node without a feature is a leaf, with a value and without "+
			"children", ErrSolr)}
	}
	return b.t.AddLeaf(engine.Leaf{Value: float64(b.weight * float32(*n.Value))}), nil
}

func (b *builder) decision(missing string) (tree.Decision, error) {
	switch {
	case !b.sides: // Solr reads the side but does not use it
		return tree.MissingNone, nil
	case missing == "left":
		return tree.MissingNaN | tree.DefaultLeft, nil
	case missing == "right":
		return tree.MissingNaN, nil
	}
	return 0, fmt.Errorf("%w: missing is %.40q, want left or right on every split where isNullSameAsZero is "+
		"false", ErrSolr, missing)
}
