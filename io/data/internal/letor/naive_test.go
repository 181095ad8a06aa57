package letor

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// naiveRow is a row as the package documentation describes it.
type naiveRow struct {
	label   float64
	query   string
	has     bool // whether it has a query id
	feature []int32
	value   []float64
	doc     string
}

var (
	decimalForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	docidForm   = regexp.MustCompile(`^[ \t\r]*(?:docid[ \t\r]*=)?[ \t\r]*([^ \t\r]*)`)
)

// naiveRows reads a text in the simplest way. It returns false if anything is wrong with the text, except the
// order of queries.
func naiveRows(text []byte, opts Options) (rows []naiveRow, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for _, line := range strings.Split(string(text), "\n") {
		data, comment, cut := strings.Cut(line, "#")
		if cut && strings.HasSuffix(data, ".") { // 1.#INF
			return nil, false
		}
		tokens := strings.FieldsFunc(data, func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' })
		if len(tokens) == 0 {
			continue
		}
		r := naiveRow{doc: docidForm.FindStringSubmatch(comment)[1]}
		if r.label, ok = naiveNumber(tokens[0]); !ok || math.IsNaN(r.label) {
			return nil, false
		}
		tokens = tokens[1:]
		if len(tokens) > 0 && strings.HasPrefix(tokens[0], "qid:") {
			r.query, r.has = tokens[0][4:], true
			if r.query == "" || len(tokens) == 1 && strings.HasSuffix(data, tokens[0]) && strings.Contains(line, "#") {
				return nil, false
			}
			tokens = tokens[1:]
		}
		if !r.naiveFeatures(tokens, opts) {
			return nil, false
		}
		rows = append(rows, r)
	}
	return rows, true
}

func (r *naiveRow) naiveFeatures(tokens []string, opts Options) bool {
	last := opts.FeatureBase - 1
	for _, token := range tokens {
		key, text, found := strings.Cut(token, ":")
		number, err := strconv.Atoi(key)
		value, ok := naiveNumber(text)
		if !found || err != nil || key[0] == '+' || number <= last || number > maxFeature || !ok {
			return false
		}
		r.feature = append(r.feature, int32(number-opts.FeatureBase))
		r.value = append(r.value, value)
		last = number
	}
	return true
}

func naiveNumber(token string) (float64, bool) {
	if strings.EqualFold(strings.TrimLeft(token, "+-"), "nan") {
		return math.NaN(), len(token) <= 4
	}
	if !decimalForm.MatchString(token) {
		return 0, false
	}
	value, err := strconv.ParseFloat(token, 64)
	return value, err == nil
}

// naiveMeta returns the Meta of rows with query ids, or false if a query's rows are not adjacent.
func naiveMeta(rows []naiveRow, opts Options) (*dataset.Meta, bool) {
	m := &dataset.Meta{Numbered: true}
	if opts.FeatureBase == 1 {
		m.Numbering = dataset.FromOne
	}
	seen := map[string]bool{}
	columns, docs := 0, false
	for i, r := range rows {
		m.Labels = append(m.Labels, r.label)
		m.Docs = append(m.Docs, r.doc)
		docs = docs || r.doc != ""
		if n := len(r.feature); n > 0 {
			columns = max(columns, int(r.feature[n-1])+1)
		}
		if n := len(m.Queries); n > 0 && r.has && m.Queries[n-1].ID == r.query {
			m.Queries[n-1].Len++
			continue
		}
		if !r.has || seen[r.query] {
			return nil, false
		}
		seen[r.query] = true
		m.Queries = append(m.Queries, dataset.Query{ID: r.query, First: i, Len: 1})
	}
	if !opts.KeepDocs || !docs {
		m.Docs = nil
	}
	m.Features = []string{}
	for n := range columns {
		m.Features = append(m.Features, "Column_"+strconv.Itoa(n))
	}
	return m, len(rows) > 0
}
