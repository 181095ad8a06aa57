package judging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// segmentsOf returns the segment of each query by its id, from a column of the data, or from a file; nil
// without by=.
func (p *evalParams) segmentsOf(ctx context.Context) (map[string]string, error) {
	if p.By == "" {
		return nil, nil
	}
	if info, err := os.Stat(p.By); err == nil && !info.IsDir() {
		return stream.Read(p.By, readSegments)
	}
	if p.Qrels != "" || !p.Layout.IsTable(p.Data) {
		return nil, cli.Usagef("by=%s: there is no such file, and only a table (CSV, TSV, Parquet) has columns: "+
			"give a CSV file with the columns query and segment", p.By)
	}
	if p.Data == "-" {
		return nil, cli.Usagef("by=%s: data=- cannot be read twice, first for the segments and then for the "+
			"scores; write it to a file", p.By)
	}
	return p.segmentsInTable(ctx)
}

// segmentsInTable reads the segments from a column of texts, which is read as that of document ids.
func (p *evalParams) segmentsInTable(ctx context.Context) (map[string]string, error) {
	o := p.options()
	o.Docs, o.Peers, o.Features = true, peers.Group{}, &dataset.Features{Used: []int{}}
	if m := p.read[p.Model]; m != nil { // where its labels are, those of the data are
		f := data.FeaturesOf(m)
		o.Features.Names, o.Features.Label = f.Names, f.Label
	}
	o.Layout.Document = "name:" + strings.TrimPrefix(p.By, "name:")
	o.Layout.Ignore = "" // segments are no feature, and may be left out of those
	o.Layout.Position = ""
	if len(p.ScoreColumns) > 0 {
		o.Layout.Query, o.Layout.Label = "name:"+p.QueryColumn, "name:"+p.TargetColumn
	}
	table, err := data.Open(p.Data, o)
	switch {
	case errors.Is(err, data.ErrTwoRoles):
		return nil, cli.Usagef("by=%s: the column has grades, weights or the query ids; name one with segments",
			p.By)
	case errors.Is(err, data.ErrNoQueries):
		return nil, fmt.Errorf("%w (by=%s names the segments)", err, p.By)
	case err != nil:
		return nil, err
	}
	defer table.Close()
	p.env.Messages.Note(table.Remarks...)
	of, row := map[string]string{}, 0
	var refused error
	err = dataset.Stream(ctx, table, nil, func(b *dataset.Block) error {
		for _, q := range b.Queries {
			for range q.Len {
				if refused = add(of, q.ID, b.Docs[row-b.FirstRow]); refused != nil {
					return refused
				}
				row++
			}
		}
		return nil
	})
	if refused == nil {
		return of, err
	}
	place := p.Data
	if meta, err := dataset.Describe(ctx, table); err == nil {
		place = meta.Place(row)
	}
	return nil, fmt.Errorf("%s: by=%s: %w", place, p.By, refused)
}

// add sets the segment of a query, or returns an error if it has another one. Empty cells are a segment with
// a name that can be seen.
func add(of map[string]string, query, segment string) error {
	segment = cmp.Or(segment, "(empty)")
	if other, known := of[query]; known && other != segment {
		return fmt.Errorf("query %q has rows of the segments %q and %q: a query is of one", query, other, segment)
	}
	of[query] = segment
	return nil
}

// readSegments reads a CSV or TSV file with the columns query and segment.
func readSegments(r io.Reader, name string) (map[string]string, error) {
	lines := stream.Cells(r)
	head, err := lines.Read()
	if err != nil || len(head) != 2 || head[0] != "query" || head[1] != "segment" {
		return nil, fmt.Errorf("%s: not a file of segments: its first line must be query,segment", name)
	}
	of := map[string]string{}
	for {
		cells, line, err := stream.NextLine(lines)
		if err == io.EOF {
			return of, nil
		}
		if err == nil {
			err = add(of, cells[0], cells[1])
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// segmentTable returns a table with a row for each metric and segment.
func (j *judgment) segmentTable(segments []evaluate.Segment) *report.Table {
	t := &report.Table{Name: "segments", Columns: []report.Column{
		{Name: "metric"}, {Name: "convention", For: report.Programs}, {Name: "segment"},
		{Name: "queries"}, {Name: "mean", Show: report.As("%.4f")}, {Name: "interval", Show: report.As("%.4f")},
		{Name: "difference", Head: "less the others", Show: report.As("%+.4f")},
		{Name: "p", Show: report.As("%.4g")}, {Name: "p_holm", Head: "p, corrected", Show: report.As("%.4g")}}}
	for _, s := range segments {
		r := &j.Results[s.Result]
		var interval any // none for a query
		if s.Queries > 1 {
			interval = s.Interval
		}
		t.Add(r.Metric, r.Convention.Name, s.Name, s.Queries, s.Mean, interval, s.Difference, s.Welch.P, s.Holm)
	}
	return t
}

// fewInSegments returns remarks on segments of so few queries that their intervals are rough, and on a
// segment of all queries.
func fewInSegments(segments []evaluate.Segment) (remarks []string) {
	if n := len(segments); n > 0 && segments[0].Name == segments[n-1].Name {
		remarks = append(remarks, fmt.Sprintf("segment %q: all queries are of it, so there are no others to test "+
			"it against", segments[0].Name))
	}
	for _, s := range segments {
		few := metric.Sample{Values: make([]float64, s.Queries)}.Remark()
		if s.Queries == 0 {
			few = "no query counts"
		}
		if s.Result == 0 && few != "" {
			remarks = append(remarks, fmt.Sprintf("segment %q: %s", s.Name, few))
		}
	}
	return remarks
}
