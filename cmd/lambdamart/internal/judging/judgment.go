package judging

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// judgment is a judgment to report.
type judgment struct {
	*evaluate.Judgment
	conventions   int               // in the results, one after the other
	probabilities []string          // metrics of them to report
	event         *tree.Event       // whose probabilities they judge
	inTable       bool              // the means stand in a table, and not in a line for each metric
	intervals     []metric.Interval // by result; nil if they were not requested
	remarks       []string          // caveats about the intervals
}

// addIntervals adds the interval of each mean.
func (j *judgment) addIntervals(tests metric.TestOptions) {
	j.intervals = make([]metric.Interval, len(j.Results))
	told := ""
	for i := range j.Results {
		interval, remark, err := j.Interval(i, tests)
		if j.intervals[i] = interval; err != nil {
			j.remarks = append(j.remarks, err.Error())
		} else if remark != "" && remark != told {
			told = remark
			j.remarks = append(j.remarks, remark)
		}
	}
}

// withoutValue returns a remark on the results that have no value although queries have relevant documents.
func (j *judgment) withoutValue() []string {
	var names []string
	for _, r := range j.Results {
		if math.IsNaN(r.Mean) && !j.Anomalies.NoneRelevant && !slices.Contains(names, r.Metric) {
			names = append(names, r.Metric)
		}
	}
	if names == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s: no value, since none of the queries counts; check the labels, the weights "+
		"and, for pair_agreement, the pairs and their weights", strings.Join(names, ", "))}
}

// document reports the results: a line for each metric if there is one convention, and otherwise a table.
func (j *judgment) document() *report.Document {
	warnings, _ := j.Anomalies.Remarks()
	results := j.results()
	d := &report.Document{Title: "How good is the ranking? " + j.System, Finding: j.summary(),
		Tables:   []*report.Table{results},
		Sections: []report.Section{results.Section("Results", "", "Means over the queries")},
		Warnings: append(warnings, j.remarks...),
		Facts:    map[string]any{"system": j.System, "counts": j.Anomalies}}
	if j.Reliability != nil {
		d.Tables = append(d.Tables, j.ofProbabilities(), j.reliability())
		d.Sections = append(d.Sections, j.diagram())
	}
	if j.inTable {
		d.Tables = append(d.Tables, j.byConvention())
		return d
	}
	lines := ""
	for i, result := range j.Results {
		name, rest, _ := strings.Cut(result.String(), " (")
		lines += name + j.interval(i) + " (" + rest + "\n"
	}
	d.Finding = lines + d.Finding
	return d
}

// interval returns the interval of a result as text, after a space.
func (j *judgment) interval(i int) string {
	if j.intervals == nil || math.IsNaN(j.intervals[i].Low) {
		return ""
	}
	return fmt.Sprintf(" [%.4f, %.4f]", j.intervals[i].Low, j.intervals[i].High)
}

// byConvention returns a table with a row for each convention and a column for each metric.
func (j *judgment) byConvention() *report.Table {
	t, metrics := &report.Table{For: report.Terminal}, len(j.Results)/j.conventions
	for _, result := range j.Results[:metrics] {
		t.Columns = append(t.Columns, report.Column{Name: result.Metric})
	}
	t.Columns = append(t.Columns, report.Column{Name: "convention"})
	for at := 0; at < len(j.Results); at += metrics {
		row := []any{}
		for i := at; i < at+metrics; i++ {
			row = append(row, j.mean(i))
		}
		t.Add(append(row, j.Results[at].Convention.String())...)
	}
	return t
}

// mean returns the mean of a result as text, with its interval and the number of queries that it leaves out.
func (j *judgment) mean(i int) string {
	r := &j.Results[i]
	text := wording.Four(r.Mean) + j.interval(i)
	if r.LeftOut > 0 {
		text += fmt.Sprintf(" (%s left out)", wording.Thousands(r.LeftOut))
	}
	return text
}

// results returns the table of the results for programs and for the page.
func (j *judgment) results() *report.Table {
	t := &report.Table{Name: "results", For: report.JSON, Columns: []report.Column{{Name: "metric"},
		{Head: "mean", For: report.Page}, {Head: "convention", For: report.Page}}}
	for _, name := range []string{"convention", "rules", "mean", "queries", "empty_queries",
		"single_document_queries", "tied_queries", "queries_left_out", "weighted"} {
		t.Columns = append(t.Columns, report.Column{Name: name, For: report.JSON})
	}
	if j.intervals != nil {
		t.Columns = append(t.Columns, report.Column{Name: "interval", For: report.JSON})
	}
	for i, r := range j.Results {
		row := []any{r.Metric, j.mean(i), r.Rules, r.Convention.Name, r.Rules,
			r.Mean, r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut, r.Weighted}
		if j.intervals != nil {
			row = append(row, j.intervals[i])
		}
		t.Add(row...)
	}
	return t
}

// summary describes the queries. Its counts of queries with ties are for the first metric; they may differ
// from metric to metric. Those of empty queries are for the first metric of each label.
func (j *judgment) summary() string {
	first := j.Results[0]
	share := ""
	if first.Tied > 0 {
		share = fmt.Sprintf(" (%.1f %%)", 100*float64(first.Tied)/float64(first.Queries))
	}
	return fmt.Sprintf("%s in %s: %s without a relevant document%s, %s with one document, %s%s decided by ties",
		wording.Count(j.Anomalies.Documents, "document"), wording.Count(first.Queries, "query"),
		wording.Thousands(first.Empty),
		j.emptyOfOthers(), wording.Thousands(first.Single), wording.Thousands(first.Tied), share)
}

// emptyOfOthers returns the number of queries without a relevant document by each label but that of the first
// metric, in parentheses; empty if all metrics judge by the same label.
func (j *judgment) emptyOfOthers() string {
	var labels, counts []string
	for _, r := range j.Results {
		label := r.Label()
		if slices.Contains(labels, label) {
			continue
		}
		if labels = append(labels, label); len(labels) > 1 {
			by := "by " + label
			if label == "" {
				by = "by the first label"
			}
			counts = append(counts, wording.Thousands(r.Empty)+" "+by)
		}
	}
	if counts == nil {
		return ""
	}
	return " (" + strings.Join(counts, ", ") + ")"
}
