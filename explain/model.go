// Package explain explains why a model of trees ranks documents as it does, and which features matter to it.
//
// [Load] reads the documents of one query, or of a sample of the queries, with all their values. Then:
//
//	one query    Query: its documents by rank, what lifts each above the mean of the query, and which
//	             misplaced pairs and features cost the query its nDCG
//	two of them  Pair: what puts one above the other, and the smallest change of one feature that swaps them
//	all          Report.Overview: what nDCG loses if the values of a feature are permuted, what queries lose,
//	             and how scores depend on features, alone and in pairs
//
// All explanations are based on the contributions of features to scores, which are Shapley values
// ([tree.Ensemble.Contributions]). Contributions to a score compare a document with all training rows. A
// ranking compares documents of one query, so contributions are shown minus their mean over the query: they
// sum to the score minus the mean score.
package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// ModelReport is a page about a model and, if known, its training run.
type ModelReport struct {
	Model    *tree.Ensemble
	Path     string // of the model
	Hash     string // SHA-256 of its file, in hexadecimal; may be empty
	Settings []param.Setting
	Sets     [][]string       // a line for each set of data: name, file, rows, queries
	Files    [][]string       // a line for each file of the data: path, bytes, SHA-256 in hexadecimal
	Rounds   []training.Round // of the training run, if they evaluated metrics; nil if unknown

	// Kept is the iteration that the model keeps; 0 if unknown.
	Kept int

	// Documents are shown in figures of their own, and Overview is what [Report.Overview] found about them.
	// Both are nil if there are no such figures.
	Documents *Data
	Overview  *Report

	Why string // the reason why the page has no figures of documents; empty if it has them
}

// strongest is the number of features that a page about a model shows.
const strongest = 10

// WriteHTML writes the page, which needs no network and no scripts. program is the
// name of the program on the page.
func (r *ModelReport) WriteHTML(w io.Writer, program string) error {
	p := report.Document{Title: "Model " + r.Path, Finding: r.finding(), Program: "Made by " + program + "."}
	if r.Why != "" {
		p.Warnings = append(p.Warnings, r.Why)
	}
	if r.Documents != nil {
		p.Warnings = slices.Concat(p.Warnings, r.Documents.Warnings, r.Documents.Notes)
		p.Basis = fmt.Sprintf("Documents are those of %s of %s. %s",
			wording.Count(len(r.Documents.Meta.Queries), "query"), r.Overview.Data, r.Overview.basis())
	}
	p.Sections = []report.Section{r.curves(), r.gains()}
	if r.Documents != nil {
		all := r.Overview
		p.Sections = append(p.Sections, all.importance().Section, r.contributions(), all.dependence().Section,
			all.interactions().Section, r.queries(), all.losses().Section)
	}
	p.Sections = append(p.Sections, r.drawing(), r.facts())
	return p.Write(w)
}

func (r *ModelReport) finding() string {
	leaves, depth := 0, 0
	for i := range r.Model.Trees {
		leaves, depth = leaves+r.Model.Trees[i].NumLeaves(), max(depth, r.Model.Trees[i].Depth())
	}
	text := fmt.Sprintf("%s with %s, at most %s deep, %s %s of %s.",
		wording.Count(len(r.Model.Trees), "tree"), wording.Count(leaves, "leaf"),
		wording.Count(depth, "comparison"),
		wording.Agree(len(r.Model.Trees), "uses", "use"), wording.Thousands(len(r.Model.UsedFeatures())),
		wording.Count(provenance.CountFeatures(r.Model), "feature"))
	if r.Overview != nil {
		text += fmt.Sprintf(" Mean %s: %.4f.", r.Overview.Metric, 1-r.Overview.Losses.Total)
	}
	return text
}

// curves draws the metrics by iteration, a figure for each metric.
func (r *ModelReport) curves() report.Section {
	s := report.Section{ID: "curves", Title: "Learning curves", Text: "The metrics on each set, by iteration."}
	ensemble := slices.ContainsFunc(r.Rounds, func(round training.Round) bool { return round.Model > 0 })
	switch {
	case ensemble: // each of the models was kept at an iteration of its own, and Kept is their sum
		s.Text += " Each model of the ensemble has curves of its own."
	case r.Kept > 0:
		s.Text += fmt.Sprintf(" The model is that of iteration %d.", r.Kept)
	}
	names, curves := r.byMetric()
	for at, metric := range names {
		title, of := metric+" by iteration", curves[metric]
		chart := plot.Lines{ID: fmt.Sprint("curve-", at), Title: title, XLabel: "iteration", YLabel: metric,
			LinesOnly: true, Height: 320, Description: "A line for each set.", Series: of}
		if table := report.Summary(of); len(table.Rows) > 0 {
			s.Figures = append(s.Figures, report.Figure{Chart: &chart, Caption: title + ".", Table: table})
		}
	}
	return s
}

// withWeights returns the evaluations of a round, and the weights of its constraints in the same form.
func withWeights(round training.Round) []training.Evaluation {
	all := slices.Clip(round.Evaluations)
	for _, b := range round.Bounds {
		weight := metric.Result{Metric: "weight of constraints", Mean: b.Weight}
		all = append(all, training.Evaluation{Set: b.Constraint, Result: weight})
	}
	return all
}

// byMetric returns the metrics of the rounds, and their curves on each set.
func (r *ModelReport) byMetric() (names []string, curves map[string][]plot.Series) {
	colors := map[string]int{}
	curves = map[string][]plot.Series{}
	for _, round := range r.Rounds {
		for _, e := range withWeights(round) {
			set, metric := e.Set, e.Result.Metric
			if round.Model > 0 {
				set = fmt.Sprintf("%s, model %d", set, round.Model)
			}
			if _, known := colors[set]; !known {
				colors[set] = len(colors)
			}
			if curves[metric] == nil {
				names = append(names, metric)
			}
			at := slices.IndexFunc(curves[metric], func(c plot.Series) bool { return c.Name == set })
			if at < 0 {
				at = len(curves[metric])
				curves[metric] = append(curves[metric], plot.Series{Name: set, Color: colors[set] % plot.Colors})
			}
			curves[metric][at].Add(float64(round.Number), e.Result.Mean)
		}
	}
	return names, curves
}

// gains draws the importance by gain and splits, which needs no documents.
func (r *ModelReport) gains() report.Section {
	m := r.Model
	gain, split, used := m.Importance(tree.ByGain), m.Importance(tree.BySplit), m.UsedFeatures()
	slices.SortStableFunc(used, func(a, b int) int {
		return cmp.Or(cmp.Compare(gain[b], gain[a]), cmp.Compare(split[b], split[a]))
	})
	t := report.NewTable("", "feature", "", "gain", "%.6g", "splits", "%.0f")
	for _, f := range used {
		t.Add(m.Features[f].Name, gain[f], split[f])
	}
	chart := plot.Bars{ID: "gain-bars", Title: "Gain", XLabel: "gain", Format: plot.Four,
		Description: "Bars of the features, the largest gain first."}
	return report.Section{ID: "gains", Title: "Gain and splits",
		Text:    "What the splits on each feature gained in training, and their number.",
		Figures: t.Ranked(chart, most, nil, "The features with the largest gains.")}
}

// contributions draws the contributions of the strongest features to the scores of documents.
func (r *ModelReport) contributions() report.Section {
	s := report.Section{ID: "contributions", Title: "Contributions",
		Text: "What the strongest features add to the score of each document, less the mean over its query. " +
			"First a dot for each document, blue for large values of the feature and orange for small ones, gray " +
			"for missing values; then the same by value."}
	d := r.Documents
	sizes, used := d.sizes(), d.used()
	slices.SortStableFunc(used, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	swarm := plot.Swarm{ID: "swarm", Title: "What features add to scores",
		XLabel:      "share of the score above the mean of the query",
		Description: "A line of dots for each of the strongest features, a dot for each document."}
	curves := plot.Curves{ID: "effects", Title: "What features add to scores, by value", XLabel: "value",
		YLabel:      "share",
		Description: "A small chart for each of the strongest features: a dot for each document."}
	for i, f := range used[:min(strongest, len(used))] {
		name := d.Model.Features[f].Name
		values, shares := d.effects(f)
		ranks := ranksOf(values)
		swarm.Lines = append(swarm.Lines, plot.SwarmLine{Name: name, Shares: shares, Ranks: ranks})
		if dots := dotsOf(values, ranks, shares); len(dots.Points) > 0 {
			dots.Name, dots.Color = name, i%plot.Colors
			curves.Series = append(curves.Series, dots)
		}
	}
	if len(swarm.Lines) > 0 {
		s.Figures = append(s.Figures, report.Figure{Chart: &swarm, Caption: "A dot for each document."})
	}
	if len(curves.Series) > 0 {
		const caption = "The same by the value of the feature; by its quantile where the smallest or largest " +
			"value is far from the others."
		s.Figures = append(s.Figures, report.Figure{Chart: &curves, Caption: caption})
	}
	return s
}

// dotsOf returns a dot for each document whose value of a feature is not missing. ranks are those of the
// values.
func dotsOf(values, ranks, shares []float64) plot.Series {
	s, x := plot.Series{Dots: true}, values
	if grid := quantilesOf(values, gridPoints); farOut(grid) {
		s.XLabel, s.Ends = ofQuantiles, [2]float64{grid[0], grid[len(grid)-1]}
		x = ranks
	}
	for k, v := range values {
		if !math.IsNaN(v) {
			s.Add(x[k], shares[k])
		}
	}
	return s
}

// dots is the number of documents in figures with a dot for each document.
const dots = 400

// effects returns the values of a feature and its contributions for some documents.
func (d *Data) effects(f int) (values, shares []float64) {
	chosen := d.sampled(dots)
	for _, q := range d.Meta.Queries {
		from, _ := slices.BinarySearch(chosen, q.First)
		to, _ := slices.BinarySearch(chosen, q.First+q.Len)
		if from == to {
			continue
		}
		center := d.means(q, d.of)[f]
		for _, row := range chosen[from:to] {
			values, shares = append(values, d.row(row)[f]), append(shares, d.of(row)[f]-center)
		}
	}
	return values, shares
}

// ranksOf returns for each value the share of values that are smaller, or -1 if it is missing.
func ranksOf(values []float64) []float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(sorted)
	ranks := make([]float64, len(values))
	for i, v := range values {
		ranks[i] = -1
		if !math.IsNaN(v) {
			ranks[i] = float64(sort.SearchFloat64s(sorted, v)) / float64(len(sorted))
		}
	}
	return ranks
}

// queries draws a histogram of the nDCG of the queries.
func (r *ModelReport) queries() report.Section {
	name := r.Documents.metric().Name()
	s := report.Section{ID: "queries", Title: "Queries", Text: "How many queries have which " + name + "."}
	values, err := r.Documents.values(r.Documents.Scores)
	if err != nil {
		return s
	}
	counted := report.PerQuery{Metric: name, Values: values}
	s.Figures = []report.Figure{counted.Histogram("ndcg-bars", "")}
	return s
}

// levels is the number of levels of a tree that its drawing shows.
const levels = 4

// drawing draws the first tree.
func (r *ModelReport) drawing() report.Section {
	s := report.Section{ID: "tree", Title: "The first tree",
		Text: "Its upper branches are those of rows for which the condition holds. Below each node is the share " +
			fmt.Sprintf("of training rows that reached it. Only the first %d comparisons are shown.", levels)}
	if len(r.Model.Trees) == 0 || r.Model.Trees[0].NumNodes() == 0 {
		return s
	}
	chart := plot.Branches{ID: "tree-figure", Title: s.Title, Description: "The tree from left to right.",
		Root: r.branch(&r.Model.Trees[0], 0, levels)}
	s.Figures = []report.Figure{{Chart: &chart, Caption: "Blue leaves raise scores and orange ones lower them."}}
	return s
}

// branch returns the part of a tree below a child.
func (r *ModelReport) branch(t *tree.Tree, child int32, left int) plot.Branch {
	if child < 0 {
		value := t.LeafValue[^child]
		text, note := fmt.Sprintf("%+.5g", value), shareOf(t, t.LeafCount, ^child)
		return plot.Branch{Text: text, Note: note, Positive: value > 0}
	}
	b := plot.Branch{Text: r.Model.Features[t.Feature[child]].Name + condition(t, child),
		Note: shareOf(t, t.InternalCount, child)}
	if left == 0 {
		b.Text, b.Folded = fmt.Sprintf("… %s", wording.Count(leavesBelow(t, child), "leaf")), true
		return b
	}
	b.Children = []plot.Branch{r.branch(t, t.Left[child], left-1), r.branch(t, t.Right[child], left-1)}
	return b
}

func condition(t *tree.Tree, node int32) string {
	if t.Decision[node]&tree.Categorical != 0 {
		return " in a set"
	}
	return fmt.Sprintf(" ≤ %.5g", t.Threshold[node])
}

func shareOf(t *tree.Tree, counts []int64, at int32) string {
	if len(t.InternalCount) == 0 || t.InternalCount[0] <= 0 || int(at) >= len(counts) {
		return ""
	}
	return plot.Percent(float64(counts[at])/float64(t.InternalCount[0])) + " of the rows"
}

func leavesBelow(t *tree.Tree, child int32) int {
	if child < 0 {
		return 1
	}
	return leavesBelow(t, t.Left[child]) + leavesBelow(t, t.Right[child])
}

// facts lists the data, the parameters and the checksum.
func (r *ModelReport) facts() report.Section {
	s := report.Section{ID: "facts", Title: "Data and parameters", Text: "What the model was made of."}
	if len(r.Sets) > 0 {
		head := []string{"set", "file", "rows", "queries"}
		s.Tables = append(s.Tables, report.Grid{Caption: "Data", Head: head, Rows: r.Sets})
	}
	if len(r.Files) > 0 {
		head := []string{"file", "bytes", "SHA-256"}
		s.Tables = append(s.Tables, report.Grid{Caption: "Files", Head: head, Rows: r.Files, Text: true})
	}
	settings := slices.Clone(r.Settings)
	for i, s := range settings {
		if s.Name == provenance.BestScore {
			settings[i].Value = rounded(s.Value)
		}
	}
	if r.Hash != "" {
		settings = append(settings, param.Setting{Name: "SHA-256 of the model", Value: r.Hash})
	}
	s.Tables = append(s.Tables, report.Parameters("", settings).Tables...)
	return s
}

// rounded returns a list of scores, one of each member of an ensemble, with four decimals.
func rounded(scores string) string {
	all := strings.Split(scores, ",")
	for i, text := range all {
		if score, err := strconv.ParseFloat(text, 64); err == nil {
			all[i] = wording.Four(score)
		}
	}
	return strings.Join(all, ",")
}
