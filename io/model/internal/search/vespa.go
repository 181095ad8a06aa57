// Models for Vespa are in the form that its importer of LightGBM models loads
// (ai.vespa.rankingexpression.importer.lightgbm).
//
// # The format of Vespa
//
// A file is one JSON object with the keys of LightGBM's dump_model that Vespa reads:
//
//	{"form":"lambdamart for vespa 1",      a mark, which Vespa does not read
//	 "objective":"lambdarank",             any that makes Vespa return the sum of the leaves
//	 "feature_names":["bm25(title)",...],
//	 "feature_infos":{"attribute(shop)":{"values":[0]}}, names the categorical features
//	 "pandas_categorical":[["a","b"]],     the texts of the categories of each
//	 "tree_info":[{"tree_structure":NODE},...]}
//
// NODE is a leaf {"leaf_value":0.5} or a split
//
//	{"split_feature":0,"threshold":0.5,"decision_type":"<","default_left":true,
//	 "left_child":NODE,"right_child":NODE}
//
// or, for a feature whose value is a text, {"split_feature":0,"threshold":"0||1","decision_type":"==",
// "default_left":false,...}, which sends its categories 0 and 1 left.
//
// # How Vespa scores
//
// Vespa compiles the trees to a ranking expression. Numbers are float64, and leaves are added in the order of
// the trees. Although dump_model says value <= threshold, Vespa compares with
//
//	value < threshold            without default_left: NaN goes right
//	!(value >= threshold)        with default_left: NaN goes left
//
// regardless of decision_type and missing_type. So in LightGBM's own dumps, a value equal to a threshold goes
// to the wrong side. Feature names become part of the text of the expression.
//
// # What is written for Vespa
//
// Thresholds become the next float64 above those of the model, so every float64, and every float32, takes the
// same path. Thresholds that would be larger than the largest float64, with which LightGBM separates NaN from
// numbers, become the largest float64; then the largest float64 and +Inf go to the other side. default_left
// is the side of NaN in the model. The decision_type "<" describes these thresholds correctly, and keeps
// readers of dump_model from accepting the file as one.
//
// Vespa's FastForest, which rank profiles can enable with vespa.eval.use_fast_forest, rounds thresholds to
// float32; scores may then differ.
//
// Names must be those of rank features, as in bm25(title), because any other text could change the
// expression. A set of categories becomes a comparison of texts (attribute(shop) in ["a","b"]), so categories
// without texts, and texts with a quotation mark, a backslash or a control character, are refused. Linear
// leaves, averages, and splits that treat zeros as missing and send them to another side than their neighbors
// are refused.
package search

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// vespaForm is the value of the key "form". No other format has it.
const vespaForm = "lambdamart for vespa 1"

// MaxVespaDepth is the largest number of splits above a leaf that is written. Vespa's JSON parser, Jackson,
// by default refuses a file that nests deeper than 1000.
const MaxVespaDepth = 900

// ErrDepth: a tree that nests too deep for Vespa's JSON parser.
var ErrDepth = document.Kind(document.ErrUnsupported, "a tree too deep for Vespa")

// IsVespa reports whether data, the content of a file, looks like what [WriteVespa] has written.
func IsVespa(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"`+vespaForm+`"`))
}

// VespaCapabilities are what Vespa can hold of a model.
var VespaCapabilities = engine.Capabilities{Engine: "Vespa", Texts: true}

//go:embed vespa.tmpl
var vespaText string

// WriteVespa writes e, which must be valid, with each tree on a line of its own. The bytes depend on e only.
// A model without trees is written as one leaf of value 0.
//
// e must be one that [VespaCapabilities] allow. Errors wrap [engine.ErrName] or [ErrDepth], or come from w.
func WriteVespa(w io.Writer, e *tree.Ensemble) error {
	if err := engine.CheckNames(e.Features, rankFeature); err != nil {
		return fmt.Errorf("vespa: %w", err)
	}
	for i := range e.Trees {
		if d := e.Trees[i].Depth(); d > MaxVespaDepth {
			return fmt.Errorf("vespa: tree %d: %w: %s above a leaf, at most %d; train with max_depth", i,
				ErrDepth, wording.Count(d, "split"), MaxVespaDepth)
		}
	}
	infos, texts, err := vespaCategories(e)
	if err != nil {
		return fmt.Errorf("vespa: %w", err)
	}
	return engine.Render(w, vespaText, template.FuncMap{"above": above, "numeric": isNumeric,
		"set": vespaSet(e)}, map[string]any{
		"Names": e.FeatureNames(), "Roots": engine.Roots(e), "Infos": infos, "Texts": texts,
	})
}

// ErrText: a category whose text cannot be written in a ranking expression.
var ErrText = document.Kind(document.ErrUnsupported, "a category that Vespa's expressions cannot quote")

// vespaCategories returns what Vespa reads about the features with categorical splits: that they have values,
// and, in the same order, their texts.
func vespaCategories(e *tree.Ensemble) (infos map[string]any, texts [][]string, err error) {
	infos, texts = map[string]any{}, [][]string{}
	categorical := e.CategoricalFeatures()
	for feature := range e.Features {
		if !categorical[feature] {
			continue
		}
		words := e.Dictionaries[feature]
		for _, word := range words {
			if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
				return nil, nil, fmt.Errorf("feature %d: %w: %q", feature, ErrText, document.Clip(word))
			}
		}
		infos[e.Features[feature].Name] = map[string][]int{"values": {0}}
		texts = append(texts, words)
	}
	return infos, texts, nil
}

func isNumeric(n engine.Node) bool { return n.Tree.Decision[n.Number]&tree.Categorical == 0 }

// vespaSet returns a function that returns the categories of a categorical split that have a text. A split
// without any has the right side alone.
func vespaSet(e *tree.Ensemble) func(engine.Node) string {
	return func(n engine.Node) string {
		var words []string
		for _, category := range n.Tree.CategoriesLeft(n.Number) {
			if category < len(e.Dictionaries[int(n.Feature)]) {
				words = append(words, strconv.Itoa(category))
			}
		}
		return strings.Join(words, "||")
	}
}

// above returns the c with x < c if and only if x <= t: the next float64 above t, or the largest if
// there is none.
func above(t float64) float64 { return min(math.Nextafter(t, math.Inf(1)), math.MaxFloat64) }

// functions are words that a ranking expression does not read as the name of a feature.
var functions = strings.Fields(`
	if in true false foreach tensor map map_subspaces filter_subspaces reduce join merge rename concat
	unpack_bits cell_cast expand matmul softmax xw_plus_b argmax argmin diag range random avg count
	median max min prod sum l1_normalize l2_normalize euclidean_distance cosine_similarity top cos sin
	tan cosh sinh tanh acos asin atan atan2 exp log log10 log2 sqrt ceil fabs abs floor isNan relu
	sigmoid elu erf pow ldexp fmod bit hamming mod f`)

// features matches names of rank features: an identifier, optionally followed by arguments in parentheses,
// words that may have dots inside, as numbers have; and then by outputs after dots.
var features = regexp.MustCompile(`^([A-Za-z_]\w*)(\(\w+(?:[.,]\w+)*\))?(\.\w+)*$`)

// rankFeature tells what is wrong with a name that would not reach Vespa's expression as that of a feature.
func rankFeature(name string) string {
	parts := features.FindStringSubmatch(name)
	separates := func(r rune) bool { return strings.ContainsRune("(.,)", r) }
	reserved := func(word string) bool { return slices.Contains(functions[:4], word) }
	if parts == nil || slices.Contains(functions, parts[1]) ||
		slices.ContainsFunc(strings.FieldsFunc(parts[2], separates), reserved) {
		return "Vespa needs the name of a rank feature, as bm25(title) or query(age); features=FILE renames"
	}
	return ""
}
