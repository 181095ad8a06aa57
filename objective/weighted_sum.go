package objective

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// term is an objective of a weighted sum, with its factor.
type term struct {
	entry  *entry
	label  string // which it reads; empty: the first
	factor float64
}

// name returns the name of the objective, and which label it reads.
func (t term) name() string {
	if t.label != "" {
		return t.entry.Name + "@" + t.label
	}
	return t.entry.Name
}

// plain reports whether the terms are one objective by itself.
func plain(terms []term) bool { return len(terms) == 1 && terms[0].factor == 1 }

// new returns the objective of the term, without its factor.
func (t term) new(p *AllParams) (Objective, error) {
	own := *p
	if slices.Contains(t.entry.reads, pairMethod) {
		own.LambdarankTruncationLevel = p.firstRanks()
	}
	o, err := t.entry.construct(&own)
	if t.label != "" && err == nil {
		o = &ofLabel{Objective: o, label: t.label}
	}
	return o, err
}

// parse returns the terms of "lambdarank:1,binary@cart:0.2", or of the name or alias of one objective,
// which has the factor 1.
func parse(text string) ([]term, error) {
	if t, ok := termOf(text); ok {
		t.factor = 1
		return []term{t}, nil
	}
	if err := asMetric(text); err != nil {
		return nil, err
	}
	var terms []term
	for _, part := range strings.Split(text, ",") {
		t, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(terms, func(other term) bool { return other.name() == t.name() }) {
			return nil, fmt.Errorf("%s is there twice; add up its weights", t.name())
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// asMetric returns an error for an objective that is written as a metric is: with a number of ranks, as
// lambdarank@10 or rank:ndcg@5, or with the name of a metric, as ndcg@10.
func asMetric(text string) error {
	name, ranks := cutLabel(text)
	_, err := strconv.Atoi(ranks)
	if o := find(name); o != nil && err == nil {
		if !slices.Contains(o.reads, truncation) {
			return fmt.Errorf("%q cannot name a label, which follows @, and %s takes no number of ranks; leave "+
				"out @%s", ranks, o.Name, ranks)
		}
		return fmt.Errorf("%q cannot name a label, which follows @; if it is the number of ranks that count, give "+
			"objective=%s and lambdarank_truncation_level=%s", ranks, o.Name, ranks)
	}
	canonical, known := metric.Canonical(name)
	if !known || canonical == "" || find(name) != nil {
		return nil
	}
	learned := "lambdarank, which learns nDCG"
	if canonical == "map" {
		learned = "rank_map"
	}
	return fmt.Errorf("%s is a metric, which judges models (metric=%s); an objective is what trees learn, "+
		"such as %s", text, text, learned)
}

// termOf returns the term of "name" or "name@label", without its factor, unless there is no such objective or
// it cannot be a label.
func termOf(text string) (term, bool) {
	name, label := cutLabel(text)
	ok := !strings.Contains(text, "@") || wording.CheckLabelName(label) == nil
	return term{entry: find(name), label: label}, ok && find(name) != nil
}

// termError returns the error for a text that is no term.
func termError(text string) error {
	name, label := cutLabel(text)
	if err := nameError(name); err != nil {
		return err
	}
	return wording.CheckLabelName(label)
}

// parseTerm returns the term "name:weight". Names may have colons.
func parseTerm(text string) (term, error) {
	if _, ok := termOf(text); ok {
		return term{}, fmt.Errorf("%s has no weight: a sum of objectives is written as "+
			"lambdarank:1,query_rmse:0.2", text)
	}
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return term{}, termError(text)
	}
	t, ok := termOf(text[:colon])
	if !ok {
		return term{}, termError(text[:colon])
	}
	factor, err := strconv.ParseFloat(text[colon+1:], 64)
	if err != nil || !(factor > 0 && factor <= math.MaxFloat64) {
		return term{}, fmt.Errorf("weight %q of %s: must be a number above 0", text[colon+1:], t.name())
	}
	t.factor = factor
	return t, nil
}

// canonical returns the text of terms, which parse reads.
func canonical(terms []term) string {
	if plain(terms) {
		return terms[0].name()
	}
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.name() + ":" + strconv.FormatFloat(t.factor, 'g', -1, 64)
	}
	return strings.Join(texts, ",")
}

// weightedSum is the sum of several objectives' losses, each times a factor:
//
//	L = Σ_k f_k·L_k,  λ = Σ_k f_k·λ_k,  h = Σ_k f_k·h_k
//
// Losses are not normalized: losses of pairs grow with the pairs of a query, unless the logarithmic norm is
// on, and squared errors with the grades. Training begins at the initial score of
// the first objective that has one.
type weightedSum struct {
	name    string
	factors []float64
	given   []float64 // factors before [Emphasize]
	labels  []string  // of the terms
	first   string    // name of the first label
	terms   []Objective
	scratch reuse.Pool[Gradients]
}

// newSum returns the sum of the terms.
func newSum(terms []term, p *AllParams) (Objective, error) {
	s := &weightedSum{name: canonical(terms)}
	for _, t := range terms {
		s.factors, s.given = append(s.factors, t.factor), append(s.given, t.factor)
		s.labels = append(s.labels, t.label)
		o, err := t.new(p)
		if err != nil {
			return nil, err
		}
		s.terms = append(s.terms, o)
	}
	return s, nil
}

func (s *weightedSum) Name() string { return s.name }

// modelName returns the name of the only term if its scores stand for probabilities, so that programs that
// read the model turn them into probabilities. Scores of a sum of several terms do not stand for those of any
// label.
func (s *weightedSum) modelName() string {
	if p, _ := ProbabilityOf(s); p != nil {
		return ModelNameOf(s.unlabeled(0))
	}
	return custom
}

// unlabeled returns the objective of a term, whichever label it reads.
func (s *weightedSum) unlabeled(term int) Objective {
	if o, is := s.terms[term].(*ofLabel); is {
		return o.Objective
	}
	return s.terms[term]
}

func (s *weightedSum) Prepare(data *dataset.Meta) error {
	s.first = data.LabelName
	copy(s.factors, s.given)
	for _, o := range s.terms {
		if err := o.Prepare(data); err != nil {
			return fmt.Errorf("%s: %w", o.Name(), err)
		}
	}
	return nil
}

func (s *weightedSum) Gradients(dst Gradients, q Query) {
	g := s.scratch.Get()
	defer s.scratch.Put(g)
	g.Lambda, g.Hessian = reuse.Slice(g.Lambda, len(q.Scores)), reuse.Slice(g.Hessian, len(q.Scores))
	clear(dst.Lambda)
	clear(dst.Hessian)
	for k, o := range s.terms {
		o.Gradients(*g, q)
		for i := range dst.Lambda {
			dst.Lambda[i] += float64(s.factors[k] * g.Lambda[i])
			dst.Hessian[i] += float64(s.factors[k] * g.Hessian[i])
		}
	}
}

// InitialScore implements [Initial].
func (s *weightedSum) InitialScore(data *dataset.Meta) float64 {
	for k := range s.terms {
		labeled, _ := data.WithLabels(s.labels[k])
		if initial, ok := s.unlabeled(k).(Initial); ok && labeled != nil {
			return initial.InitialScore(labeled)
		}
	}
	return 0
}

// Imbalance returns a warning if the derivatives of one term are, at the score where training begins and on
// average, more than a hundred times those of another, both with the factors and without: factors that
// someone chose to be far apart are meant. data is what was prepared.
func (s *weightedSum) Imbalance(data *dataset.Meta) string {
	const most = 100
	sizes := s.sizes(data)
	large, small := 0, -1
	for k, size := range sizes {
		if s.given[k]*size > s.given[large]*sizes[large] {
			large = k
		}
		if size > 0 && (small < 0 || s.given[k]*size < s.given[small]*sizes[small]) {
			small = k
		}
	}
	if small < 0 || !(sizes[large] > most*sizes[small]) {
		return ""
	}
	ratio := s.given[large] * sizes[large] / (s.given[small] * sizes[small])
	if !(ratio > most) {
		return ""
	}
	name := s.terms[large].Name()
	return fmt.Sprintf("the gradients of %s are about %.0f times those of %s when training begins, so that "+
		"trees hardly learn the latter; a weight that makes them equal is %s:%.1g", name, ratio,
		s.terms[small].Name(), name, s.given[large]/ratio)
}

// sizes returns the sum of the absolute derivatives of each term, without its factor.
func (s *weightedSum) sizes(data *dataset.Meta) []float64 {
	sizes, begin := make([]float64, len(s.terms)), s.InitialScore(data)
	for n := range data.Queries {
		q := QueryOf(data, n)
		q.Scores, q.Iteration = slices.Repeat([]float64{begin}, len(q.Labels)), 1
		dst := Gradients{Lambda: make([]float64, len(q.Labels)), Hessian: make([]float64, len(q.Labels))}
		for k, o := range s.terms {
			o.Gradients(dst, q)
			for _, lambda := range dst.Lambda {
				sizes[k] += math.Abs(lambda)
			}
		}
	}
	return sizes
}
