package metric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Parse returns the metric that spec names under the convention c. A spec is a name or an alias
// (docs/metrics.md lists them), in upper or lower case; for "rbp", it may be followed by a colon and its
// number ("rbp:0.95"); then by the smallest grade of a relevant document ("map(rel=2)"), instead of the
// convention's; unless all ranks count, "@" and the cut-off ("ndcg@10", "rbp:0.95@20"); "@" and one of
// several labels come last ("ndcg@10@click"). trec_eval's names, such as "P_5" and "ndcg_cut_10", are specs
// too. The error for an unknown name suggests the nearest one.
func Parse(spec string, c Convention) (Metric, error) {
	name, label := cutLabel(spec)
	m, err := parse(name, c)
	if err == nil && label != "" {
		m.label, err = label, wording.CheckLabelName(label)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// cutLabel splits the label from a spec, which is what follows the last "@" unless that is a cut-off.
func cutLabel(spec string) (metric, label string) {
	spec = strings.TrimSpace(spec)
	last := strings.LastIndexByte(spec, '@')
	if last < 0 || last == len(spec)-1 || strings.IndexByte(spec, '@') == last && !isName(spec[last+1:]) {
		return spec, ""
	}
	return spec[:last], spec[last+1:]
}

// isName reports whether what follows "@" is meant as a label and not as a cut-off.
func isName(text string) bool { return !strings.ContainsAny(text[:1], "-+.0123456789") }

// parse is Parse for a spec without a label.
func parse(spec string, c Convention) (*metric, error) {
	name, cutoff, hasCutoff := strings.Cut(inOurWords(spec), "@")
	k, err := strconv.Atoi(cutoff)
	if err != nil || k < 0 {
		k = 0 // no cut-off, or not one
	}
	name, grade, hasGrade := strings.Cut(name, relevantFrom)
	name, text, hasNumber := strings.Cut(name, ":")
	known := find(name)
	switch {
	case hasNumber && (known == nil || known.takes == nil):
		return nil, errNoNumber(spec)
	case known == nil:
		return nil, errUnknown(spec, name, k)
	case hasCutoff && known.noCutoff:
		return nil, fmt.Errorf("%q: %s is %s, and takes no cut-off; leave out @%s", spec, known.name, known.help,
			cutoff)
	case hasCutoff && k == 0:
		return nil, fmt.Errorf("cut-off %q of %q: want a whole number above 0, such as %s@10", cutoff, spec,
			known.name)
	case hasGrade && !known.needsThreshold():
		return nil, fmt.Errorf("%q: %s does not ask which documents are relevant, so leave out %s%s", spec,
			known.name, relevantFrom, grade)
	}
	number, err := known.parseNumber(spec, text, hasNumber)
	if err != nil {
		return nil, err
	}
	m := newMetric(known, c, k, number)
	if hasGrade {
		err = m.parseThreshold(spec, grade)
	}
	return m, err
}

// relevantFrom comes before the smallest grade of a relevant document, which a ")" follows (ir-measures'
// AP(rel=2)).
const relevantFrom = "(rel="

// parseThreshold reads the smallest grade of a relevant document. It is above 0, which documents have that no
// one judged.
func (m *metric) parseThreshold(spec, text string) error {
	text, closed := strings.CutSuffix(text, ")")
	grade, err := strconv.ParseFloat(text, 64)
	if !closed || err != nil || !(grade > 0 && grade <= math.MaxFloat64) {
		return fmt.Errorf("%q: want the smallest grade of a relevant document, above 0, as in %s(rel=2)", spec,
			m.name)
	}
	m.threshold = text
	m.rules.RelevantAbove = math.Nextafter(grade, math.Inf(-1))
	return nil
}

// needsThreshold reports whether the metric asks which documents are relevant.
func (k *kind) needsThreshold() bool { return k.needs == needOrder && !k.ordinal }

// WithThreshold returns the spec of a metric for which documents are relevant from the given grade on, as
// "map(rel=2)@10" for "map@10" and 2. Specs that have a grade, and those of metrics that do not ask which
// documents are relevant, remain.
func WithThreshold(spec string, grade float64) string {
	given := spec
	spec, label := cutLabel(spec)
	name, cutoff, hasCutoff := strings.Cut(inOurWords(spec), "@")
	word, _, _ := strings.Cut(name, ":")
	known := find(word)
	if known == nil || !known.needsThreshold() {
		return given
	}
	name += relevantFrom + strconv.FormatFloat(grade, 'g', -1, 64) + ")"
	if hasCutoff {
		name += "@" + cutoff
	}
	return ofLabel(name, label)
}

// cutoffOfTREC is a name of trec_eval with a cut-off, in lower case.
var cutoffOfTREC = regexp.MustCompile(`^(?:(ndcg|map)_cut|(p|recall|success))_([0-9]+)$`)

// inOurWords returns a spec in lower case, and trec_eval's names of metrics at a cut-off as ours: "p@5" for
// "P_5".
func inOurWords(spec string) string {
	return cutoffOfTREC.ReplaceAllString(strings.ToLower(strings.TrimSpace(spec)), "$1$2@$3")
}

// defaultCutoffs are LightGBM's cut-offs if none are given.
var defaultCutoffs = []int{1, 2, 3, 4, 5}

// AtCutoffs returns the specs of a metric at each of the cut-offs: "ndcg" at 1 and 5 is "ndcg@1" and
// "ndcg@5", and at 0, which means all ranks, "ndcg". Without cut-offs, ndcg, dcg, p, recall, success and
// judged are computed at 1 to 5, and other metrics with all ranks. If the spec has a cut-off already, or its
// metric has none, the result is the spec alone.
func AtCutoffs(spec string, cutoffs []int) []string {
	spec, label := cutLabel(spec)
	ours := inOurWords(spec)
	name, _, _ := strings.Cut(ours, relevantFrom)
	known := find(name)
	_, _, ofDocuments := OfDocuments(ours)
	if strings.Contains(ours, "@") || known != nil && known.noCutoff || ofDocuments {
		return []string{ofLabel(spec, label)}
	}
	if len(cutoffs) == 0 {
		if known == nil || !known.top {
			return []string{ofLabel(spec, label)}
		}
		cutoffs = defaultCutoffs
	}
	var specs []string
	for _, k := range cutoffs {
		specs = append(specs, ofLabel(at(spec, k), label))
	}
	return specs
}

// parseNumber reads the number after the colon.
func (k *kind) parseNumber(spec, text string, given bool) (float64, error) {
	switch {
	case k.takes == nil:
		return 0, nil
	case !given:
		return k.takes.standard, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !k.takes.allows(number) {
		return 0, fmt.Errorf("%s %q of %q: want a number %s, as in %s",
			k.takes.name, text, spec, k.takes.within, k.numberExample())
	}
	return number, nil
}

func (k *kind) numberExample() string { return k.name + ":" + k.takes.example }

// errNoNumber is the error for a number that the metric does not accept.
func errNoNumber(spec string) error {
	var names, examples []string
	for i := range kinds {
		if k := &kinds[i]; k.takes != nil {
			names, examples = append(names, k.name), append(examples, k.numberExample())
		}
	}
	return fmt.Errorf("%q: only %s %s a number after a colon, as in %s", spec, strings.Join(names, ", "),
		wording.Agree(len(names), "has", "have"), strings.Join(examples, ", "))
}

// errUnknown is the error for a name that no kind has.
func errUnknown(spec, name string, k int) error {
	names := allNames()
	if _, _, is := OfDocuments(name); is {
		if rest := inOurWords(spec)[len(name):]; rest != "" {
			return fmt.Errorf("%q: %s judges all documents by one event; leave out %q", spec, name, rest)
		}
		return fmt.Errorf("%q judges probabilities of documents: eval has it for models with "+
			"probabilities, and train of trees in one process with objective=binary, cross_entropy or "+
			"rank_calibrated, by the label of the objective", spec)
	}
	for _, m := range ofOtherTasks {
		if slices.Contains(strings.Fields(m.names), name) {
			return fmt.Errorf("no metric %q; %s", spec, m.instead)
		}
	}
	return fmt.Errorf("no metric %q; did you mean %q? There are %s",
		spec, at(wording.Nearest(name, names), k), strings.Join(names, ", "))
}

// ofOtherTasks are metrics of LightGBM, XGBoost and CatBoost for regression and classification, in lower
// case, which the spelling alone would take for metrics of rankings, and what to use instead.
var ofOtherTasks = []struct{ names, instead string }{
	{"l1 mae mean_absolute_error regression_l1 l2 mse mean_squared_error regression regression_l2 rmse " +
		"root_mean_squared_error l2_root r2 quantile mape mean_absolute_percentage_error huber fair poisson " +
		"gamma gamma_deviance gamma-deviance tweedie rmsle mphe msle smape queryrmse query_rmse",
		"use ndcg, or spearman or kendall, which compare the order of scores with that of labels"},
	{"binary binary_logloss logloss multi_logloss multiclass softmax mlogloss cross_entropy crossentropy " +
		"xentropy cross_entropy_lambda xentlambda kullback_leibler kldiv",
		"use ndcg or auc, or log_loss, brier or ece, which judge probabilities: in eval, and in train with " +
			"objective=binary, cross_entropy or rank_calibrated"},
	{"error binary_error merror multi_error accuracy f1 auc_mu", "use auc, ndcg or pair_accuracy"},
	{"average_precision aucpr", "use map, the mean of each query's average precision"},
}
