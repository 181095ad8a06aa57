package booster

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
)

// Remarks returns what a user should know about a training run on d, one sentence per entry: warnings of data
// that is not used, and notes on how the rest is used. own means that the objective is the caller's.
func (p *Params) Remarks(d Data, own bool) (warnings, notes []string) {
	add := func(list *[]string, text string) {
		if text != "" {
			*list = append(*list, text)
		}
	}
	add(&warnings, labelsRemark(p, d.Meta, own))
	add(&warnings, pairsRemark(p, d.Meta, own))
	add(&warnings, noiseRemark(p, d.Meta, own))
	add(&warnings, sumRemark(p, d.Meta, own))
	add(&warnings, interactionsRemark(p, d))
	add(&warnings, byNodeRemark(p, d))
	add(&notes, ranksRemark(p, d.Meta, own))
	add(&notes, p.ActiveRemark(d.Meta.AllRows(), d.Meta.Part.Group().SumOf(len(d.Meta.Queries))))
	if text, ignored := positionsRemark(p, d.Meta, own); ignored {
		add(&warnings, text)
	} else {
		add(&notes, text)
	}
	return warnings, notes
}

// labelsRemark returns a remark if training reads only some of several labels. own means that the objective
// is the caller's.
func labelsRemark(p *Params, m *dataset.Meta, own bool) string {
	if own && m.More != nil {
		return "only the first of the labels is trained on: an objective of your own does not get the others"
	}
	read := map[string]bool{}
	for _, o := range p.objectives() {
		for _, label := range objective.Labels(o) {
			read[label] = true
		}
	}
	var unread []string
	for _, l := range m.More {
		if !read[l.Name] {
			unread = append(unread, l.Name)
		}
	}
	if unread == nil {
		return ""
	}
	return fmt.Sprintf("labels that are not trained on: %s; objective=lambdarank:1,lambdarank@%s:0.2 reads them",
		strings.Join(unread, ", "), unread[0])
}

// noiseRemark returns a remark if no query has documents of two grades, and rank_xendcg, which draws random
// targets, trains on them all the same. own means that the objective is the caller's.
func noiseRemark(p *Params, m *dataset.Meta, own bool) string {
	if own || m.More != nil || m.Part.Group().Size() > 1 ||
		!slices.Contains(p.objectives(), "rank_xendcg") || m.AnyPairs() {
		return ""
	}
	return "no query has documents of two different grades, so that rank_xendcg learns nothing but its random " +
		"draws; check the labels and the query ids"
}

// sumRemark returns a remark if one objective of a sum outweighs another by far. own means that the objective
// is the caller's.
func sumRemark(p *Params, m *dataset.Meta, own bool) string {
	if own || len(p.Constraint) > 0 { // constraints change the weights
		return ""
	}
	for _, name := range p.objectives() {
		o, err := objective.New(name, &p.AllParams)
		sum, ok := o.(interface{ Imbalance(*dataset.Meta) string })
		if err != nil || !ok {
			continue
		}
		some := someQueries(m)
		if o.Prepare(some) != nil { // training returns the error
			continue
		}
		if text := sum.Imbalance(some); text != "" {
			return text
		}
	}
	return ""
}

// someQueries returns some hundred of the queries, or fewer long ones.
func someQueries(m *dataset.Meta) *dataset.Meta {
	const mostQueries, mostRows = 500, 50_000
	var some []int
	for n, rows := 0, 0; n < len(m.Queries) && rows < mostRows; n += 1 + len(m.Queries)/mostQueries {
		some, rows = append(some, n), rows+m.Queries[n].Len
	}
	return m.Select(some)
}

// pairsRemark returns a remark if the pairs of an iteration take long. own means that the objective is the
// caller's.
func pairsRemark(p *Params, m *dataset.Meta, own bool) string {
	usesPairs := func(o string) bool { return objective.Uses(o, "lambdarank_truncation_level") }
	if own || !slices.ContainsFunc(p.objectives(), usesPairs) {
		return ""
	}
	load := pairwise.LoadOf(m, func(labels []float64) float64 {
		return p.NumPairs(len(labels))
	})
	advice := "set lambdarank_pair_method=mean, which draws pairs"
	switch name, _ := p.PairLimit(); name {
	case "":
	case "lambdarank_truncation_level":
		advice = fmt.Sprintf("lower %s, which is %d", name, p.LambdarankTruncationLevel)
	default:
		advice = fmt.Sprintf("lower %s, which is %d", name, p.LambdarankNumPairPerSample)
	}
	return load.Remark("an iteration", advice)
}

// ranksRemark returns a remark if a metric counts all pairs of documents, but training takes less than half
// of those of the longest query. own means that the objective is the caller's.
func ranksRemark(p *Params, m *dataset.Meta, own bool) string {
	limit, ranks := p.PairLimit()
	at := slices.IndexFunc(p.Metric, countsAllPairs)
	if own || at < 0 || limit != "lambdarank_truncation_level" || !p.uses(limit) {
		return ""
	}
	n := 0
	for _, q := range m.Queries {
		n = max(n, q.Len)
	}
	if k := min(ranks, n); 4*k*(n-k)+2*k*(k-1) >= n*(n-1) {
		return ""
	}
	return fmt.Sprintf("metric=%s counts all pairs of documents, but with %s=%d training takes only those with "+
		"one of the first documents, which are less than half in queries of %s documents; "+
		"lambdarank_pair_method=mean draws pairs of all", p.Metric[at], limit, ranks, wording.Thousands(n))
}

// countsAllPairs reports whether a metric counts pairs at the end of a list as much as those at its top.
func countsAllPairs(spec string) bool {
	m, err := metric.Parse(spec, metric.Default())
	if err != nil {
		return false // one of the caller's own
	}
	name, _, _ := strings.Cut(m.Name(), "@") // a label follows
	return slices.Contains([]string{"auc", "pair_accuracy", "kendall", "spearman"}, name)
}

// Cautions returns remarks on parameters that are valid but may not do what the user expects.
func (p *Params) Cautions() []string {
	remarks := boostingCautions(p)
	if remark := ratesCaution(p); remark != "" {
		remarks = append(remarks, remark)
	}
	if p.BaggingFraction < 1 && p.BaggingFreq == 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_fraction=%v has no effect while bagging_freq=0; set "+
			"bagging_freq=1", p.BaggingFraction))
	}
	if p.BaggingFraction == 1 && p.BaggingFreq > 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_freq=%d has no effect while bagging_fraction=1",
			p.BaggingFreq))
	}
	if p.ZeroAsMissing && !p.UseMissing {
		remarks = append(remarks, "zero_as_missing=true has no effect while use_missing=false")
	}
	if len(p.QueryContext) == 0 && p.QueryContextFeatures != "" {
		remarks = append(remarks, fmt.Sprintf("query_context_features=%s has no effect without query_context; "+
			"set query_context=rank", p.QueryContextFeatures))
	}
	if len(p.Constraint) == 0 && p.ConstraintSet != "" {
		remarks = append(remarks, "constraint_set="+p.ConstraintSet+" has no effect without constraint")
	}
	for _, unused := range objective.Unused(p.Objective, &p.AllParams) {
		if len(p.ModelObjectives) == 0 {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect with objective=%s", unused.Name, unused.Value,
				p.Objective))
		}
	}
	if len(p.ModelObjectives) > 0 {
		remarks = append(remarks, ensembleCautions(p)...)
	}
	if p.uses("lambdaloss_mu") && p.LambdalossMu != objective.DefaultAllParams().LambdalossMu &&
		p.LambdalossScheme != "ndcg_loss2++" {
		remarks = append(remarks, fmt.Sprintf("lambdaloss_mu=%v has no effect with lambdaloss_scheme=%s",
			p.LambdalossMu, p.LambdalossScheme))
	}
	if remark := pairCaution(p); remark != "" {
		remarks = append(remarks, remark)
	}
	limit, ranks := p.PairLimit()
	if remark := rounds.CutoffCaution(&p.Params, limit, ranks); remark != "" &&
		p.uses("lambdarank_truncation_level") {
		remarks = append(remarks, remark)
	}
	return remarks
}

// pairCaution returns a remark if the choice of pairs leaves one of its numbers without effect; otherwise "".
func pairCaution(p *Params) string {
	limit, _ := p.PairLimit()
	usual := objective.DefaultAllParams().LambdarankTruncationLevel
	method := "lambdarank_pair_method=" + p.LambdarankPairMethod
	switch {
	case !p.uses("lambdarank_pair_method"):
		return ""
	case limit == "" && p.LambdarankNumPairPerSample > 0:
		return fmt.Sprintf("lambdarank_num_pair_per_sample=%d has no effect with %s", p.LambdarankNumPairPerSample,
			method)
	case limit == "lambdarank_truncation_level" || p.LambdarankTruncationLevel == usual:
		return ""
	case p.LambdarankPairMethod == "topk":
		method = fmt.Sprintf("lambdarank_num_pair_per_sample=%d", p.LambdarankNumPairPerSample)
	}
	return fmt.Sprintf("lambdarank_truncation_level=%d has no effect with %s", p.LambdarankTruncationLevel,
		method)
}

// ensembleCautions returns remarks on parameters that no objective of an ensemble uses.
func ensembleCautions(p *Params) (remarks []string) {
	list := strings.Join(p.ModelObjectives, ",")
	if p.Objective != DefaultParams().Objective {
		remarks = append(remarks, fmt.Sprintf("objective=%s has no effect beside model_objectives=%s", p.Objective,
			list))
	}
	for _, unused := range objective.Unused(p.ModelObjectives[0], &p.AllParams) {
		if !p.uses(unused.Name) {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect with model_objectives=%s", unused.Name,
				unused.Value, list))
		}
	}
	return remarks
}

// ratesCaution returns a remark if there are learning rates of trees that are not grown; otherwise "".
func ratesCaution(p *Params) string {
	n := len(p.LearningRates)
	if n <= p.NumIterations {
		return ""
	}
	return fmt.Sprintf("learning_rates has %d rates, and the last %d have no effect: num_iterations is %d", n,
		n-p.NumIterations, p.NumIterations)
}

// boostingCautions returns remarks on parameters of boosting and sampling that have no effect.
func boostingCautions(p *Params) []string {
	var remarks []string
	unused := func(when string, names ...string) {
		defaults := DefaultParams()
		for _, row := range p.Table() {
			if value := row.Value.String(); slices.Contains(names, row.Name) &&
				value != defaults.Table().Find(row.Name).Value.String() {
				remarks = append(remarks, fmt.Sprintf("%s=%s has no effect %s", row.Name, value, when))
			}
		}
	}
	if p.Patience == 0 {
		unused("while patience=0", "first_metric_only")
	}
	if p.Boosting != DART {
		unused("with boosting="+p.Boosting, strings.Fields("drop_rate max_drop skip_drop uniform_drop "+
			"xgboost_dart_mode drop_seed")...)
	}
	if p.Boosting == DART && p.Patience > 0 {
		unused("with boosting=dart, whose trees change later, as in LightGBM: all iterations are done", "patience")
	}
	if !p.hasBags() {
		unused("without bags (bagging_freq, bagging_fraction)", "bagging_by_query", "bagging_seed")
	}
	if p.CategoricalFeature == "" {
		unused("without categorical_feature", "cat_smooth", "cat_l2", "max_cat_threshold", "max_cat_to_onehot",
			"min_data_per_group")
	}
	return append(remarks, growthCautions(p, unused)...)
}

// growthCautions returns remarks on parameters of growth that have no effect.
func growthCautions(p *Params, unused func(when string, names ...string)) (remarks []string) {
	if p.leastData() > p.MinDataInLeaf {
		remarks = append(remarks, fmt.Sprintf("min_data_in_leaf=%d counts as 2 with path_smooth=%v, as in LightGBM",
			p.MinDataInLeaf, p.PathSmooth))
	}
	if p.MonotoneConstraints == "" {
		unused("without monotone_constraints", "monotone_constraints_method", "monotone_penalty")
	}
	if p.MonotoneConstraints != "" && p.MaxDepth > 0 && p.MonotonePenalty >= float64(p.MaxDepth) {
		remarks = append(remarks, fmt.Sprintf("monotone_penalty=%v with max_depth=%d: monotone features are "+
			"hardly used", p.MonotonePenalty, p.MaxDepth))
	}
	if !p.ExtraTrees {
		unused("while extra_trees=false", "extra_seed")
	}
	if p.FeatureFraction >= 1 && p.FeatureFractionByNode >= 1 {
		unused("while feature_fraction=1", "feature_fraction_seed")
	}
	isRandom := func(name string) bool { return objective.IsRandom(name, &p.AllParams) }
	if !slices.ContainsFunc(p.objectives(), isRandom) {
		unused("with an objective that draws nothing", "objective_seed")
	}
	return append(remarks, symmetricCautions(p)...)
}

// symmetricCautions returns remarks on the size of symmetric trees.
func symmetricCautions(p *Params) (remarks []string) {
	if p.GrowPolicy != Symmetric {
		return nil
	}
	growth := p.growth()
	levels := growth.Levels()
	switch {
	case p.MaxDepth > levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s and max_depth=%d: trees have "+
			"%d levels and %d leaves at most; set num_leaves=%d for %d levels",
			p.NumLeaves, Symmetric, p.MaxDepth, levels, 1<<levels, min(1<<min(p.MaxDepth, 62), mostLeaves),
			min(p.MaxDepth, bits.Len(mostLeaves)-1)))
	case p.MaxDepth <= 0 && p.NumLeaves != 1<<levels:
		remarks = append(remarks, fmt.Sprintf("num_leaves=%d with grow_policy=%s: trees have %d levels and %d "+
			"leaves at most; set num_leaves=%d or %d",
			p.NumLeaves, Symmetric, levels, 1<<levels, 1<<levels, min(2<<levels, mostLeaves)))
	}
	return remarks
}

// interactionsRemark returns a remark on the features that a run leaves out because they are in no set of
// interaction_constraints; empty if there are none.
func interactionsRemark(p *Params, d Data) string {
	sets, err := newInteractions(p.InteractionConstraints, d.Meta, d.Values)
	if err != nil || sets == nil { // training returns the error
		return ""
	}
	const most = 10
	var names []string
	for c, f := range d.Values.Columns {
		if !inAny(sets, c) {
			names = append(names, d.Meta.Features[f])
		}
	}
	count, list := len(names), wording.List(names, most)
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("interaction_constraints: %s of %s that vary are in no set, and no tree uses "+
		"them, as in LightGBM: %s; give them sets, as in [%s], or leave them out of the data",
		wording.Thousands(count), wording.Count(len(d.Values.Columns), "feature"), list, names[0])
}

// byNodeRemark returns a remark if interaction_constraints allow no leaf more features than
// feature_fraction_bynode draws, so that it leaves out none; otherwise empty.
func byNodeRemark(p *Params, d Data) string {
	sets, err := newInteractions(p.InteractionConstraints, d.Meta, d.Values)
	if err != nil || sets == nil || p.FeatureFractionByNode >= 1 { // training returns the error
		return ""
	}
	allowed := 0
	for c := range d.Values.Columns {
		if inAny(sets, c) {
			allowed++
		}
	}
	drawn := grow.Portion(grow.Portion(len(d.Values.Columns), p.FeatureFraction), p.FeatureFractionByNode)
	if allowed > drawn {
		return ""
	}
	return fmt.Sprintf("feature_fraction_bynode=%v has no effect: it draws %s, and "+
		"interaction_constraints allow %d", p.FeatureFractionByNode, wording.Count(drawn, "feature"), allowed)
}

func inAny(sets [][]bool, column int) bool {
	return slices.ContainsFunc(sets, func(set []bool) bool { return set[column] })
}

// positionsRemark describes how a run uses the positions of the data; it is empty if there are none.
// ignored means that they are not used. own means that the objective is the caller's.
func positionsRemark(p *Params, m *dataset.Meta, own bool) (text string, ignored bool) {
	switch n := len(m.PositionNames); {
	case own && m.Positions != nil:
		return "the positions of the documents are not used: an objective of your own does not get them", true
	case m.Positions == nil && p.LambdarankPositionBiasRegularization != 0:
		return fmt.Sprintf("lambdarank_position_bias_regularization=%v has no effect: the data has no "+
			"positions; name their column, position_column=name:NAME, or write them to a file beside the data with "+
			".position at the end of its name", p.LambdarankPositionBiasRegularization), true
	case m.Positions == nil:
		return "", false
	case !p.learnsPositions():
		return "the positions of the documents are not used: only objectives of pairs, such as lambdarank, " +
			"learn their biases", true
	default:
		return fmt.Sprintf("the biases of %s are learned beside the trees", wording.Count(n, "position")), false
	}
}

// ActiveRemark returns a remark on the share of so many rows and queries of training data, after bagging,
// that trees grow on; it is empty if they grow on all of them.
func (p *Params) ActiveRemark(rows, queries int) string {
	share, auto := p.lowestShare(p.sampledRows(rows)), p.ActiveFraction == AutoActive
	switch {
	case share >= 1 || auto && queries < controlledQueries:
		return ""
	case auto:
		return fmt.Sprintf("trees grow on every row, or on fewer down to 1 row of %.3g where other queries show "+
			"that more do not pay; active_fraction=1 uses all", 1/share)
	}
	return fmt.Sprintf("trees grow on 1 row of %.3g, by random rounding of gradients without bias; "+
		"active_fraction=1 uses all", 1/share)
}
