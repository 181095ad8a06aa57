package explain

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for reading on a terminal: the most important lines of each part.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	switch {
	case r.Pair != nil:
		r.Pair.write(&b)
	case r.Query != nil:
		r.Query.write(&b)
	}
	if r.Losses != nil {
		r.Losses.write(&b, r.Metric)
		r.writeImportance(&b)
		r.writeInteractions(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines are the most lines of a list, and shown the most features of a line.
const (
	lines = 10
	shown = 4
)

// rows writes lines of cells, separated by tabs, as columns.
func rows(b *strings.Builder, write func(w io.Writer)) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	write(w)
	w.Flush()
}

func (q *Query) write(b *strings.Builder) {
	fmt.Fprintf(b, "query %s: %d documents, %s %.4f, mean score %.6g\n", q.ID, len(q.Documents), q.Metric, float64(q.Value), q.Mean)
	fmt.Fprintf(b, "what lifts and lowers each document against the mean of the query:\n")
	rows(b, func(w io.Writer) {
		fmt.Fprintln(w, "  rank\tdocument\tgrade\tscore\tfeatures (value): share")
		for _, d := range q.Documents {
			fmt.Fprintf(w, "  %d\t%s\t%v\t%.6g\t%s\n", d.Rank, d.ID, d.Label, d.Score, listed(d.Shares))
		}
	})
	q.Loss.write(b, q.Metric)
}

// listed returns the largest shares as text.
func listed(shares []Share) string {
	var parts []string
	for _, s := range shares[:min(shown, len(shares))] {
		parts = append(parts, fmt.Sprintf("%s (%s): %+.3g", s.Feature, value(s.Value), float64(s.Share)))
	}
	return strings.Join(parts, ", ")
}

// value returns the value of a feature as text.
func value(v Number) string {
	if math.IsNaN(float64(v)) {
		return "missing"
	}
	return strconv.FormatFloat(float64(v), 'g', 6, 64)
}

func (l *Loss) write(b *strings.Builder, metric string) {
	if l.Total == 0 {
		fmt.Fprintf(b, "no misplaced pair costs %s anything\n", metric)
		return
	}
	fmt.Fprintf(b, "the order loses %.4f of %s by %d misplaced pairs:\n", l.Total, metric, len(l.Pairs))
	rows(b, func(w io.Writer) {
		fmt.Fprintln(w, "  above\tbelow, of a higher grade\tcost")
		for _, p := range l.Pairs[:min(lines, len(l.Pairs))] {
			fmt.Fprintf(w, "  %s\t%s\t%.4f\n", p.Above, p.Below, p.Cost)
		}
	})
	writeBlame(b, l.Features)
}

func writeBlame(b *strings.Builder, features []Blame) {
	b.WriteString("by features that put the worse document above:\n")
	rows(b, func(w io.Writer) {
		for _, f := range features[:min(lines, len(features))] {
			fmt.Fprintf(w, "  %s\t%.4f\n", f.Feature, f.Cost)
		}
	})
}

func (p *Pair) write(b *strings.Builder) {
	word := "above"
	if p.Document.Rank > p.Against.Rank {
		word = "below"
	}
	fmt.Fprintf(b, "query %s: %s (rank %d, grade %v) is %s %s (rank %d, grade %v): scores %.6g and %.6g, difference %+.6g\n", p.Query,
		p.Document.ID, p.Document.Rank, p.Document.Label, word, p.Against.ID, p.Against.Rank, p.Against.Label, p.Document.Score, p.Against.Score, p.Difference)
	p.writeShares(b, "feature", p.Shares)
	if len(p.Columns) > 0 {
		b.WriteString("the same by column of the model:\n")
		p.writeShares(b, "column", p.Columns)
	}
	if len(p.Changes) == 0 {
		b.WriteString("no change of a single feature swaps them\n")
		return
	}
	b.WriteString("the smallest changes of one feature that swap them:\n")
	rows(b, func(w io.Writer) {
		fmt.Fprintln(w, "  "+strings.Join(p.changeHead(), "\t"))
		for _, c := range p.Changes[:min(lines, len(p.Changes))] {
			fmt.Fprintln(w, "  "+strings.Join(p.changeCells(c), "\t"))
		}
	})
}

// changeHead and changeCells are the columns of a table of changes. The score of the other document differs
// from before only in models with query context.
func (p *Pair) changeHead() []string {
	head := []string{"document", "feature", "from", "to", "score then"}
	if len(p.Columns) > 0 {
		head = append(head, "score of the other then")
	}
	return head
}

func (p *Pair) changeCells(c Change) []string {
	cells := []string{c.Document, c.Feature, value(c.From), exact(c.To), fmt.Sprintf("%.6g", float64(c.Score))}
	if len(p.Columns) > 0 {
		cells = append(cells, fmt.Sprintf("%.6g", float64(c.Other)))
	}
	return cells
}

// writeShares writes the largest shares, and the sum of the others.
func (p *Pair) writeShares(b *strings.Builder, head string, shares []PairShare) {
	rows(b, func(w io.Writer) {
		fmt.Fprintf(w, "  %s\tshare\t%s\t%s\n", head, p.Document.ID, p.Against.ID)
		rest := 0.0
		for i, s := range shares {
			if i >= lines {
				rest += float64(s.Share)
				continue
			}
			fmt.Fprintf(w, "  %s\t%+.6g\t%s\t%s\n", s.Feature, float64(s.Share), value(s.Value), value(s.Against))
		}
		if len(shares) > lines {
			fmt.Fprintf(w, "  %d others\t%+.6g\n", len(shares)-lines, rest)
		}
	})
}

// exact returns a value in all its digits: one digit fewer may be on the other side of a threshold.
func exact(v Number) string {
	if math.IsNaN(float64(v)) {
		return "missing"
	}
	return strconv.FormatFloat(float64(v), 'g', -1, 64)
}

func (l *Losses) write(b *strings.Builder, metric string) {
	fmt.Fprintf(b, "%d queries lose %.4f of %s on average\n", l.Queries, l.Total, metric)
	if len(l.Features) > 0 {
		writeBlame(b, l.Features)
	}
	b.WriteString("the queries that lose most:\n")
	rows(b, func(w io.Writer) {
		for _, q := range l.Worst {
			fmt.Fprintf(w, "  %s\t%.4f\t%d documents\n", q.Query, q.Loss, q.Documents)
		}
	})
}

func (r *Report) writeImportance(b *strings.Builder) {
	fmt.Fprintf(b, "what %s loses if the values of a feature are exchanged among the documents:\n", r.Metric)
	rows(b, func(w io.Writer) {
		fmt.Fprintln(w, "  feature\tdrop\tinterval\tgain\tsplits\tmean contribution")
		for _, i := range r.Importance[:min(2*lines, len(r.Importance))] {
			fmt.Fprintf(w, "  %s\t%+.4f\t[%+.4f, %+.4f]\t%.4g\t%.0f\t%.4g\n", i.Feature, float64(i.Drop), float64(i.Low), float64(i.High), i.Gain, i.Split, i.Mean)
		}
	})
}

func (r *Report) writeInteractions(b *strings.Builder) {
	if len(r.Interactions) == 0 {
		return
	}
	b.WriteString("pairs of features by what they add together, mean size:\n")
	rows(b, func(w io.Writer) {
		for _, i := range r.Interactions {
			fmt.Fprintf(w, "  %s, %s\t%.4g\n", i.Features[0], i.Features[1], i.Mean)
		}
	})
}
