package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/tree"
)

// ofNetwork describes a network.
func ofNetwork(m *nnbaseline.Model) *report.Document {
	facts := &report.Table{}
	facts.Fact("loss", m.Ranker())
	layers := strings.Trim(strings.ReplaceAll(fmt.Sprint(m.Layers()), " ", "-"), "[]")
	facts.Fact("layers", layers)
	facts.Fact("weights", m.NumWeights())
	facts.Fact("features", usedOf(m.UsedFeatures(), m.NumFeatures())+"; the others were constant")
	ofCalibration(facts, m.Calibration())
	facts.Below = "\ntrained with\n"
	for _, name := range slices.Sorted(maps.Keys(m.Parameters())) {
		if name == provenance.Calibration {
			continue // a long list
		}
		facts.Below += fmt.Sprintf("  %s=%s\n", cli.Printable(name), cli.Printable(m.Parameters()[name]))
	}
	return &report.Document{Tables: []*report.Table{facts}}
}

// ofCalibration adds what probabilities the model has.
func ofCalibration(facts *report.Table, c *tree.Calibration) {
	if c != nil {
		facts.Fact("probabilities", fmt.Sprintf("of %v, by %s calibration", c.Event, c.Kind))
	}
}

// ofTrees describes a model of trees, with this many features, or all if top is 0.
func ofTrees(m *tree.Ensemble, top int) *report.Document {
	leaves, most, depth := 0, 0, 0
	for i := range m.Trees {
		t := &m.Trees[i]
		leaves, most, depth = leaves+t.NumLeaves(), max(most, t.NumLeaves()), max(depth, t.Depth())
	}
	facts := &report.Table{}
	facts.Fact("objective", cli.Printable(m.Objective))
	facts.Fact("trees", len(m.Trees))
	facts.Fact("leaves", fmt.Sprintf("%s, at most %s in a tree", wording.Thousands(leaves),
		wording.Thousands(most)))
	facts.Fact("depth", fmt.Sprint("at most ", depth))
	facts.Fact("features", usedOf(m.UsedFeatures(), provenance.CountFeatures(m)))
	if m.Context != nil {
		_, columns, _ := strings.Cut(m.Context.String(), ";")
		columns = strings.ReplaceAll(columns, ";", " ") + ": columns computed of all documents of a query"
		facts.Fact("context", columns)
	}
	ofCalibration(facts, m.Calibration)
	facts.Below = trainedWith(m)
	d := &report.Document{Tables: []*report.Table{facts}}
	if t := importance(m, top); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
	return d
}

// trainedWith returns what the model records about its run: the facts, and the parameters that differ from
// the defaults. Sections in the formats of other programs are left out.
func trainedWith(m *tree.Ensemble) string {
	parameters, facts, err := provenance.Parse(m.Parameters)
	if err != nil || len(parameters) == 0 {
		return ""
	}
	p, defaults := booster.DefaultParams(), booster.DefaultParams()
	table := p.Table()
	for _, s := range parameters {
		if row := table.Find(s.Name); row == nil || row.Value.Set(s.Value) != nil {
			facts = append(facts, s)
		}
	}
	text := "\ntrained with\n"
	for _, s := range facts {
		text += fmt.Sprintf("  %s=%s\n", s.Name, cli.Printable(s.Value))
	}
	for _, changed := range train.Changed(table, defaults.Table()) {
		text += fmt.Sprintf("  %s\n", cli.Printable(changed))
	}
	return text + "  and the defaults of all other parameters (the file lists them)\n"
}

// importance lists the features with the largest gain, or all used features if top is 0. In a model without
// gains, such as RankLib's and dumps, it uses the number of splits instead.
func importance(m *tree.Ensemble, top int) *report.Table {
	values, splits := m.Importance(tree.ByGain), m.Importance(tree.BySplit)
	t := report.NewTable("", "gain", "%.5g", "share", "%.1f%%", "splits", "%.0f", "feature", "")
	if sum(values) == 0 {
		values = countSplits(m)
		t.Columns[0].Name, t.Columns[2].For = "splits", report.JSON
	}
	used, total := m.UsedFeatures(), sum(values)
	slices.SortStableFunc(used, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	for _, f := range used {
		t.Add(values[f], 100*values[f]/total, splits[f], cli.Printable(m.Features[f].Name))
	}
	if more := len(used) - top; top > 0 && more > 0 {
		t.Rows, t.Below = t.Rows[:top], "and "+wording.Thousands(more)+" more (top=0 lists all)\n"
	}
	return t
}

// countSplits returns the number of splits on each feature, whatever their gain.
func countSplits(m *tree.Ensemble) []float64 {
	counts := make([]float64, len(m.Features))
	for i := range m.Trees {
		for _, f := range m.Trees[i].Feature {
			counts[f]++
		}
	}
	return counts
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// usedOf says how many of the features a model uses.
func usedOf(used []int, features int) string {
	return wording.Thousands(len(used)) + " used of " + wording.Thousands(features)
}
