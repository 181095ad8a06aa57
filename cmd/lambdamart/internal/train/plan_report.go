package train

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/plan"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// document reports the memory, messages and time of a training run. Messages and times are per iteration.
func (p *planParams) document(t *plan.Training, s *size) *report.Document {
	facts := &report.Table{}
	facts.Fact("rows", "", t.Shape.Rows)
	if s.known {
		facts.Fact("queries", "", s.queries)
	}
	facts.Fact("varying_features", "features that vary", t.Shape.Columns)
	facts.Fact("bins", "", t.Shape.Bins)
	facts.Fact("bytes_of_a_row", "", t.Shape.RowBytes)
	facts.Fact("active_rows", "rows that a tree grows on", t.On(1).Active)
	facts.Fact("num_leaves", "leaves of a tree", t.Params.NumLeaves)
	facts.Fact("threads_of_a_rank", "", t.Threads)
	return &report.Document{Tables: []*report.Table{facts, p.plans(t)}}
}

// plans has a row for each number of peers.
func (p *planParams) plans(t *plan.Training) *report.Table {
	const above = "Messages are per tree, and times are seconds per iteration.\n"
	table := &report.Table{Name: "plans", Above: above, Columns: []report.Column{
		{Name: "ranks"}, {Name: "memory_bytes_of_a_rank", Head: "memory of a rank"},
		{Name: "collectives"}, {Name: "bytes_contributed", Head: "MB"},
		{Name: "bytes_sent", Head: "MB sent"}, {Name: "links", For: report.JSON}}}
	for _, gigabits := range p.Gigabits {
		head := fmt.Sprintf("%d Gbit/s", gigabits)
		table.Columns = append(table.Columns, report.Column{Name: head, For: report.People, Format: "%.3g"})
	}
	for _, n := range p.Ranks {
		e, links := t.On(n), report.NewTable("links", "gbit", "", "seconds", "")
		row := []any{n, memorySize(e.Memory), e.Collectives, megabytes(e.Bytes), megabytes(e.Sent), links}
		for _, gigabits := range p.Gigabits {
			seconds := e.Seconds(float64(gigabits))
			links.Add(gigabits, seconds)
			row = append(row, seconds)
		}
		table.Add(row...)
	}
	return table
}

// memorySize is a number of bytes.
type memorySize int

func (m memorySize) String() string {
	if m < 10e9 {
		return wording.Thousands(int(m)/1e6+1) + " MB"
	}
	return wording.Thousands(int(m)/1e9+1) + " GB"
}

type megabytes int

func (m megabytes) String() string { return fmt.Sprintf("%.1f", float64(m)/1e6) }

// count returns a number with a noun in singular or plural.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return wording.Thousands(n) + " " + several
}
