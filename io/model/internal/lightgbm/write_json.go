package lightgbm

import (
	_ "embed"
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

//go:embed dump.tmpl
var dump string

// WriteJSON writes e in the form of LightGBM's dump_model, without white space, and with each tree on its own
// line. e must be valid. The bytes depend only on e. Feature names may contain any characters but must be
// distinct. Errors are [*Error] or come from w.
func WriteJSON(w io.Writer, e *tree.Ensemble) error {
	if len(e.Features) == 0 {
		return &Error{Tree: -1, Err: fmt.Errorf("%w: the model has no features", document.ErrLength)}
	}
	return engine.Render(w, dump, template.FuncMap{
		"number": jsonNumber, "sets": numSets, "fields": jsonFields,
	}, map[string]any{
		"Model": e, "Last": len(e.Features) - 1, "Names": e.FeatureNames(), "Monotone": monotone(e.Features),
		"Ranges": jsonRanges(e.Features), "Roots": engine.Roots(e), "Importances": jsonImportances(e),
	})
}

// monotone returns the constraint of each feature; it is empty if there are none.
func monotone(features []tree.Feature) []int8 {
	signs := make([]int8, len(features))
	for i, f := range features {
		signs[i] = f.Monotone
	}
	if !slices.ContainsFunc(signs, func(sign int8) bool { return sign != 0 }) {
		return []int8{}
	}
	return signs
}

// jsonRange is an entry of feature_infos.
type jsonRange struct {
	Name      string
	Low, High float64
	Values    []int32 // categories; empty but not nil for numbers
}

func jsonRanges(features []tree.Feature) (list []jsonRange) {
	for _, f := range features {
		if r, ok := parseRange(f.Range); ok {
			r.Name = f.Name
			list = append(list, r)
		}
	}
	return list
}

// parseRange parses the range of a feature in the form of the model text. ok is false for "none"
// and everything else that is not a range.
func parseRange(text string) (r jsonRange, ok bool) {
	if bounds, closed := strings.CutPrefix(text, "["); closed {
		first, second, _ := strings.Cut(strings.TrimSuffix(bounds, "]"), ":")
		low, err1 := strconv.ParseFloat(first, 64)
		high, err2 := strconv.ParseFloat(second, 64)
		return jsonRange{Low: low, High: high, Values: []int32{}}, err1 == nil && err2 == nil
	}
	r = jsonRange{Low: math.Inf(1), High: math.Inf(-1)}
	for word := range strings.SplitSeq(text, ":") {
		v, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return r, false
		}
		r.Values = append(r.Values, int32(v))
		r.Low, r.High = min(r.Low, float64(v)), max(r.High, float64(v))
	}
	return r, true
}

// jsonNumber returns v as JSON, which has no infinite numbers and no NaN: they become the largest finite
// number and 0.
func jsonNumber(v float64) string { return string(appendJSONNumber(nil, v)) }

func appendJSONNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		v = 0
	}
	return document.AppendFloat(b, min(max(v, -math.MaxFloat64), math.MaxFloat64), 64)
}

func numSets(t *tree.Tree) int { return max(0, len(t.CategoryStart)-1) }

var missingNames = map[tree.Decision]string{tree.MissingNone: "None", tree.MissingZero: "Zero",
	tree.MissingNaN: "NaN"}

// jsonFields returns the fields of a split or a leaf, except the children. A template of single fields would
// take several times as long.
func jsonFields(n engine.Node) string {
	if n.IsLeaf {
		return jsonLeaf(n)
	}
	t, i := n.Tree, n.Number
	d := t.Decision[i]
	cut, kind := jsonNumber(n.Cut), `\u003c=`
	if d&tree.Categorical != 0 {
		cut, kind = `"`+joined(t.CategoriesLeft(i), "||")+`"`, "=="
	}
	return fmt.Sprintf(`"split_index":%d,"split_feature":%d,"split_gain":%s,"threshold":%s,`+
		`"decision_type":"%s","default_left":%t,"missing_type":"%s",`+
		`"internal_value":%s,"internal_weight":%s,"internal_count":%d`,
		i, n.Feature, jsonNumber(t.Gain[i]), cut, kind, d&tree.DefaultLeft != 0, missingNames[d.Missing()],
		jsonNumber(t.InternalValue[i]), jsonNumber(t.InternalWeight[i]), t.InternalCount[i])
}

func jsonLeaf(n engine.Node) string {
	t, i := n.Tree, n.Number
	text := fmt.Sprintf(`"leaf_value":%s,"leaf_count":%d`, jsonNumber(n.Value), t.LeafCount[i])
	if t.NumNodes() > 0 {
		text = fmt.Sprintf(`"leaf_index":%d,"leaf_value":%s,"leaf_weight":%s,"leaf_count":%d`, i,
			jsonNumber(n.Value), jsonNumber(t.LeafWeight[i]), t.LeafCount[i])
	}
	if linear := t.Linear; linear != nil {
		text += fmt.Sprintf(`,"leaf_const":%s,"leaf_features":%s,"leaf_coeff":%s`, jsonNumber(linear.Const[i]),
			document.FormatList(linear.Feature[i], appendInt),
			document.FormatList(linear.Coefficient[i], appendJSONNumber))
	}
	return text
}

type jsonImportance struct {
	Name  string
	Value int64
}

func jsonImportances(e *tree.Ensemble) (list []jsonImportance) {
	for i, importance := range listedImportance(e) {
		if importance > 0 {
			list = append(list, jsonImportance{e.Features[i].Name, int64(importance)})
		}
	}
	return list
}
