package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// number is the value of a feature in a table.
type number struct {
	metric.Value
	text string // the category that the value stands for; may be empty
}

// String returns the value as text.
func (n number) String() string { return n.format("%.6g") }

// brief returns the value of a feature with few characters.
func brief(v number) string { return v.format("%.3g") }

func (n number) format(format string) string {
	switch {
	case math.IsNaN(float64(n.Value)):
		return "missing"
	case n.text != "":
		return n.text
	}
	return fmt.Sprintf(format, float64(n.Value))
}

// describe reports why one document is above the other.
func (p *Pair) describe(d *report.Document) {
	word := "above"
	if p.Document.Rank > p.Against.Rank {
		word = "below"
	}
	d.Title = fmt.Sprintf("Query %s: why %s is %s %s", p.Query, p.Document.ID, word, p.Against.ID)
	d.Finding = fmt.Sprintf("Ranks %d and %d, grades %v and %v, scores %.6g and %.6g: a difference of %+.6g.",
		p.Document.Rank, p.Against.Rank, p.Document.Label, p.Against.Label, p.Document.Score, p.Against.Score,
		p.Difference)
	features := p.shares("feature", p.Shares, d.Title)
	s := report.Section{ID: "shares", Title: "Features", Text: "Bars to the right speak for " + p.Document.ID +
		", bars to the left for " + p.Against.ID + ". They sum to the difference of the scores.",
		Figures: p.figure(p.Shares, features, "pair", "On the right: the values of the two documents.")}
	d.Tables = []*report.Table{features}
	if len(p.Columns) > 0 {
		columns := p.shares("column", p.Columns, "The same by column of the model")
		const caption = "The same by column of the model: features and their query context."
		s.Figures = append(s.Figures, p.figure(p.Columns, columns, "columns", caption)...)
		d.Tables = append(d.Tables, columns)
	}
	d.Sections = []report.Section{s}
	others := "a single feature"
	if p.Unchanged > 0 {
		d.Finding += fmt.Sprintf(" Changes of the %s features with query context were not searched: the query has "+
			"more than %s documents.", wording.Thousands(p.Unchanged), wording.Thousands(longQuery))
		others += " without query context"
	}
	if len(p.Changes) == 0 {
		d.Finding += " No change of " + others + " swaps them."
		return
	}
	changes := p.changes()
	d.Tables = append(d.Tables, changes)
	d.Sections = append(d.Sections, report.Section{ID: "changes", Title: "What would swap them",
		Tables: []report.Grid{changes.Grid("")},
		Text: "The nearest value of one feature, all others as they are, at which the order of the two is " +
			"another one."})
}

// shares lists the contributions of features or columns to the difference of the scores.
func (p *Pair) shares(head string, shares []Share, above string) *report.Table {
	t := report.NewTable("", head, "", "share", "%+.6g", "document", "", "against", "")
	t.Columns[2].Head, t.Columns[3].Head = p.Document.ID, p.Against.ID
	for _, s := range shares {
		t.Add(s.Feature, float64(s.Share), number{s.Value, s.Text}, number{*s.Against, s.AgainstText})
	}
	if shown(t, lines, above); len(shares) > lines {
		t.Below = fmt.Sprintf("%s others  %+.6g\n", wording.Thousands(len(shares)-lines), rest(shares[lines:]))
	}
	return t
}

// rest returns the sum of some shares.
func rest(shares []Share) float64 {
	sum := 0.0
	for _, s := range shares {
		sum += float64(s.Share)
	}
	return sum
}

// figure draws the shares of a table, and the sum of those without a bar.
func (p *Pair) figure(shares []Share, t *report.Table, id, caption string) []report.Figure {
	chart := plot.Bars{ID: id, Title: "What each feature adds to the difference of the scores", Signed: true,
		XLabel: "share of the difference", Format: plot.Change,
		Description: fmt.Sprintf("Bars of %s, the largest share first.", wording.Count(len(shares), "feature"))}
	values := func(row []any) string { return brief(row[2].(number)) + " / " + brief(row[3].(number)) }
	figures := t.Ranked(chart, most, values, caption)
	if len(shares) > most {
		others := plot.Bar{Name: wording.Thousands(len(shares)-most) + " others", Value: rest(shares[most:])}
		bars := figures[0].Chart.(*plot.Bars)
		bars.Bars = append(bars.Bars, others)
	}
	return figures
}

// changes lists the smallest changes that swap the two. The score of the other document changes only in
// models with query context.
func (p *Pair) changes() *report.Table {
	t := report.NewTable("", "document", "", "feature", "", "from", "", "to", "", "score then", "%.6g",
		"score of the other then", "%.6g")
	if len(p.Columns) == 0 {
		t.Columns = t.Columns[:5]
	}
	for _, c := range p.Changes[:min(most, len(p.Changes))] {
		to := c.ToText
		if to == "" {
			to = beyond(float64(c.From), float64(c.To))
		}
		row := []any{c.Document, c.Feature, number{c.From, c.FromText}, to, float64(c.Score), float64(c.Other)}
		t.Add(row[:len(t.Columns)]...)
	}
	return shown(t, lines, "The smallest changes of one feature that swap them")
}

// beyond returns a value that lies at a threshold, on the other side of it than from: in six digits, of which
// the last one is rounded away from it, or as "just above" a number with few digits.
func beyond(from, v float64) string {
	if math.IsNaN(v) {
		return "missing"
	}
	few, _ := strconv.ParseFloat(wording.Brief(v), 64)
	switch distance := math.Abs(v - few); {
	case distance == 0:
		return wording.Brief(v)
	case distance <= 1e-14*math.Abs(v) && v > few:
		return "just above " + wording.Brief(v)
	case distance <= 1e-14*math.Abs(v):
		return "just below " + wording.Brief(v)
	}
	half := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-5) / 2 // of the last digit
	return wording.Brief(v + math.Copysign(half, v-from))
}

// describe reports the order of the query.
func (q *Query) describe(d *report.Document) {
	d.Title = "Query " + q.ID + ": why this order"
	value := wording.Four(float64(q.Value))
	if math.IsNaN(float64(q.Value)) {
		value = "none (no document is relevant, and the convention leaves such queries out)"
	}
	d.Finding = fmt.Sprintf("%s, %s %s (%s), mean score %.6g.",
		wording.Count(len(q.Documents), "document"), q.Metric, value, q.Convention, q.Mean)
	d.Basis = "Contributions are Shapley values, less their means over the query: they sum to the score less " +
		"the mean score, so they say what lifts a document above the query's mean."
	order, more := q.order(), ""
	if order.Below != "" {
		more = " Below these are " + strings.TrimSuffix(order.Below, "\n") + "."
	}
	d.Tables = []*report.Table{order}
	d.Sections = []report.Section{{ID: "order", Title: "Order", Tables: []report.Grid{order.Grid("")},
		Text: "The documents by rank, with the features that lift or lower each most." + more}, q.first()}
	d.Sections[0].Tables[0].Text = true
	if q.Loss.Total == 0 {
		d.Finding += " No misplaced pair costs " + q.Metric + " anything."
		return
	}
	lost := fmt.Sprintf("The order loses %.4f of %s", q.Loss.Total, q.Metric)
	by := " by " + wording.Count(len(q.Loss.Pairs), "misplaced pair")
	if q.Loss.Tied > 0 {
		tied := fmt.Sprintf(", %.4f of it by documents with equal scores", q.Loss.Tied)
		lost, by = lost+tied, " and"+strings.TrimPrefix(by, " by")
	}
	if q.Loss.Unsplit > 0 {
		lost += fmt.Sprintf(" (%.4f of it is not split: the query has too many misplaced pairs)", q.Loss.Unsplit)
	}
	pairs := q.Loss.table(lost + by)
	features, figures := blame(q.Loss.Features, q.Metric)
	d.Tables = append(d.Tables, pairs, features)
	d.Sections = append(d.Sections, report.Section{ID: "loss", Title: "What the order loses", Figures: figures,
		Tables: []report.Grid{pairs.Grid("The most expensive pairs")},
		Text: lost + ". Each misplaced pair has a part of it, and so has each feature that puts the worse " +
			"document above."})
}

// order lists the documents by rank.
func (q *Query) order() *report.Table {
	t := report.NewTable("", "rank", "", "document", "", "grade", "", "score", "%.6g",
		"features (value): share", "")
	for _, d := range q.Documents[:min(mostListed, len(q.Documents))] {
		t.Add(d.Rank, d.ID, d.Label, d.Score, listed(d.Shares))
	}
	t.Above = "Query " + q.ID + ": what lifts and lowers each document against the mean of the query\n"
	if more := len(q.Documents) - mostListed; more > 0 {
		t.Below = wording.Thousands(more) + " more documents, which json=true lists\n"
	}
	return t
}

// mostListed is how many documents of a query a text or page lists.
const mostListed = 10_000

// listed returns the largest shares as text.
func listed(shares []Share) string {
	const largest = 4
	var parts []string
	for _, s := range shares[:min(largest, len(shares))] {
		parts = append(parts, fmt.Sprintf("%s (%s): %+.3g", s.Feature, number{s.Value, s.Text}, float64(s.Share)))
	}
	return strings.Join(parts, ", ")
}

// first draws the contributions for the first documents.
func (q *Query) first() report.Section {
	section := report.Section{ID: "first", Title: "The first documents",
		Text: "What lifts each above the mean of the query, and what lowers it."}
	for i, d := range q.Documents[:min(5, len(q.Documents))] {
		title := fmt.Sprintf("Rank %d: %s", d.Rank, d.ID)
		chart := plot.Bars{ID: fmt.Sprint("document-", i), Title: title, Signed: true, Format: plot.Change,
			XLabel:      fmt.Sprintf("rank %d: share of the score above the mean of the query", d.Rank),
			Description: "The features that lift or lower the document most: " + listed(d.Shares)}
		for _, s := range d.Shares[:min(lines, len(d.Shares))] {
			bar := plot.Bar{Name: s.Feature, Note: number{s.Value, s.Text}.String(), Value: float64(s.Share)}
			chart.Bars = append(chart.Bars, bar)
		}
		if len(chart.Bars) > 0 {
			caption := fmt.Sprintf("%s, grade %v. On the right: the values of the features.", title, d.Label)
			section.Figures = append(section.Figures, report.Figure{Chart: &chart, Caption: caption})
		}
	}
	return section
}

// table lists the pairs with the largest costs.
func (l *Loss) table(above string) *report.Table {
	t := report.NewTable("", "above", "", "below, of a higher grade", "", "cost", "%.4f")
	for _, p := range l.Pairs[:min(most, len(l.Pairs))] {
		t.Add(p.Above, p.Below, p.Cost)
	}
	return shown(t, lines, above)
}

// Pair explains why one document is above another document of its query.
type Pair struct {
	Query      string   `json:"query"`
	Document   Document `json:"document"`
	Against    Document `json:"against"`
	Difference float64  `json:"difference"` // of the scores

	// Shares are those of all features, the largest first; they sum to Difference. Columns is the same
	// for each column of a model with query context.
	Shares  []Share `json:"shares"`
	Columns []Share `json:"columns,omitempty"`

	// Changes are those of one feature of one document that swap the two, the smallest first.
	Changes []Change `json:"changes"`

	// Unchanged is how many features no change was searched for, because they have query context and the query
	// has more than 10,000 documents.
	Unchanged int `json:"unchanged,omitempty"`
}

// Pair explains why document is above or below against, in query number n of d.Meta.
// The error is an [ErrUnknown].
func (d *Data) Pair(n int, document, against string) (*Pair, error) {
	q := d.Meta.Queries[n]
	documents := d.ranked(q)
	a, err := find(documents, document)
	if err != nil {
		return nil, err
	}
	b, err := find(documents, against)
	if err != nil {
		return nil, err
	}
	p := &Pair{Query: q.ID, Document: a, Against: b, Difference: a.Score - b.Score}
	rowA, rowB := d.row(a.row), d.row(b.row)
	p.Shares = d.shares(d.used(), rowA, rowB, d.of(a.row), d.of(b.row))
	if d.Model.QueryContext() != nil {
		p.Columns = d.shares(d.Model.UsedFeatures(), rowA, rowB, d.ofColumns(a.row), d.ofColumns(b.row))
	}
	p.Changes = d.changes(q, a, b)
	for _, f := range d.used() {
		if d.tooLong(q, f) {
			p.Unchanged++
		}
	}
	return p, nil
}

// find returns the document with that name.
func find(documents []Document, name string) (Document, error) {
	names := make([]string, len(documents))
	for i, document := range documents {
		if names[i] = document.ID; names[i] == name {
			return document, nil
		}
	}
	return Document{}, unknown("document", name, names)
}
