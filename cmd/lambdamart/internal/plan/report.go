package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/plan"
)

// report is what plan prints.
type report struct {
	Rows       int       `json:"rows"`
	Queries    int       `json:"queries,omitempty"`
	Features   int       `json:"varying_features"`
	Bins       int       `json:"bins"`
	RowBytes   int       `json:"bytes_of_a_row"`
	ActiveRows int       `json:"active_rows"`
	NumLeaves  int       `json:"num_leaves"`
	Threads    int       `json:"threads_of_a_rank"`
	Plans      []onRanks `json:"plans"`

	gigabits []int
}

// onRanks is what a training takes on a number of ranks. Figures of messages and times are of an iteration.
type onRanks struct {
	Ranks       int    `json:"ranks"`
	Memory      int    `json:"memory_bytes_of_a_rank"`
	Collectives int    `json:"collectives"`
	Bytes       int    `json:"bytes_contributed"`
	Sent        int    `json:"bytes_sent"`
	Links       []link `json:"links"`
}

// link is the time of an iteration by the speed of links.
type link struct {
	Gigabits int     `json:"gbit"`
	Seconds  float64 `json:"seconds"`
}

func newReport(t *plan.Training, s *size, p *Params) *report {
	r := &report{
		Rows: t.Shape.Rows, Features: t.Shape.Columns, Bins: t.Shape.Bins, RowBytes: t.Shape.RowBytes,
		ActiveRows: t.Shape.Active(&t.Params), NumLeaves: t.Params.NumLeaves, Threads: t.Threads, gigabits: p.Gigabits,
	}
	if s.known {
		r.Queries = s.queries
	}
	for _, n := range p.Ranks {
		e := t.On(n)
		o := onRanks{Ranks: n, Memory: e.Memory, Collectives: e.Collectives, Bytes: e.Bytes, Sent: e.Sent}
		for _, gigabits := range p.Gigabits {
			o.Links = append(o.Links, link{gigabits, e.Seconds(float64(gigabits))})
		}
		r.Plans = append(r.Plans, o)
	}
	return r
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *report) write(w io.Writer) error {
	queries := ""
	if r.Queries > 0 {
		queries = " in " + count(r.Queries, "query", "queries")
	}
	fmt.Fprintf(w, "%s%s; %s that vary, %s bins, %d bytes a row\n", count(r.Rows, "row", "rows"), queries,
		count(r.Features, "feature", "features"), digits.Thousands(r.Bins), r.RowBytes)
	fmt.Fprintf(w, "a tree of %d leaves grows on %s; a rank has %s\n\n", r.NumLeaves, count(r.ActiveRows, "row", "rows"), count(r.Threads, "thread", "threads"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\tmemory\tfor a tree:\t\t\tseconds\t\nranks\tof a rank\tcollectives\tMB\tMB sent")
	for _, g := range r.gigabits {
		fmt.Fprintf(table, "\t%d Gbit/s", g)
	}
	fmt.Fprint(table, "\t\n")
	for _, o := range r.Plans {
		fmt.Fprintf(table, "%d\t%s\t%d\t%.1f\t%.1f", o.Ranks, memory(o.Memory), o.Collectives, float64(o.Bytes)/1e6, float64(o.Sent)/1e6)
		for _, l := range o.Links {
			fmt.Fprintf(table, "\t%.3g", l.Seconds)
		}
		fmt.Fprint(table, "\t\n")
	}
	return table.Flush()
}

// memory returns a number of bytes for people.
func memory(bytes int) string {
	if bytes < 10e9 {
		return digits.Thousands(bytes/1e6+1) + " MB"
	}
	return digits.Thousands(bytes/1e9+1) + " GB"
}

// count returns a number of things.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits.Thousands(n) + " " + several
}
