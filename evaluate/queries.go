package evaluate

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Values are the values of one metric for the queries of one system, for [Compare].
type Values struct {
	System  string
	Metric  string    // name and convention; systems are compared by one metric
	Column  Column    // from which they were read ([ReadQueries])
	Queries []string  // ids, all different
	Values  []float64 // of each query; NaN for a query that the convention does not count
	Weights []float64 // of each query; nil if all are equal

	err error // why they cannot be compared
}

// Values returns the values of one of the results. The slices are shared with j.
func (j *Judgment) Values(result int) Values {
	r := &j.Results[result]
	_, err := r.Sample()
	return Values{System: j.System, Metric: r.Metric + " (" + r.Rules + ")", Queries: j.Queries,
		Values: r.PerQuery, Weights: r.Weights, err: err}
}

// WriteQueries writes a CSV file of all queries: the columns "query" and "documents", "weight" if queries
// have weights, and one for each result, named by its metric and convention, such as "ndcg@10:lightgbm". The
// cell of a query that the convention does not count is empty. Numbers read back to the same float64.
func (j *Judgment) WriteQueries(w io.Writer) error {
	columns := []queryColumn{{"query", func(query int) string { return j.Queries[query] }},
		{"documents", func(query int) string { return strconv.Itoa(j.Documents[query]) }}}
	for i := range j.Results {
		if weights := j.Results[i].Weights; weights != nil {
			columns = append(columns, numbers(weightColumn, weights))
			break
		}
	}
	for i := range j.Results {
		r := &j.Results[i]
		columns = append(columns, numbers(r.Metric+":"+r.Convention.Name, r.PerQuery))
	}
	return writeQueries(w, len(j.Queries), columns)
}

// WriteQueries writes a CSV file of the common queries: the columns "query", "weight" if queries have
// weights, and one for each system, named after it. Numbers read back to the same float64.
func (c *Comparison) WriteQueries(w io.Writer) error {
	columns := []queryColumn{{"query", func(query int) string { return c.Queries[query] }}}
	if c.Weights != nil {
		columns = append(columns, numbers(weightColumn, c.Weights))
	}
	for i, system := range c.Systems {
		columns = append(columns, numbers(system, c.Values[i]))
	}
	return writeQueries(w, len(c.Queries), columns)
}

// weightColumn is the name of the column of weights. No metric has this name.
const weightColumn = "weight"

// queryColumn is a column of a file of queries.
type queryColumn struct {
	name string
	cell func(query int) string
}

// numbers returns a column of numbers.
func numbers(name string, values []float64) queryColumn {
	return queryColumn{name, func(query int) string { return wording.Exact(values[query]) }}
}

// writeQueries writes a CSV file with a line for each of n queries.
func writeQueries(w io.Writer, n int, columns []queryColumn) error {
	out, line := csv.NewWriter(w), make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	err := out.Write(line)
	for query := 0; query < n && err == nil; query++ {
		for i, c := range columns {
			line[i] = c.cell(query)
		}
		err = out.Write(line)
	}
	out.Flush()
	return cmp.Or(err, out.Error())
}

// The errors of a file of values of queries. [Compare] returns ErrRepeatedQuery too.
var (
	ErrNotQueries    = errors.New("not a file of per_query=: its first line must begin with query,documents")
	ErrNoColumn      = errors.New("no column")
	ErrColumns       = errors.New("several columns could be meant")
	ErrRepeatedQuery = errors.New("comes twice")
	ErrValue         = errors.New("is not a value of")
	ErrQueryWeight   = errors.New("is not a weight: want a number of at least 0")
)

// Column selects a column of values by the metric and the convention in its name. An empty field matches all,
// so a file with one column of values needs no choice.
type Column struct{ Metric, Convention string }

// matches reports whether the choice includes a column with the given name.
func (c Column) matches(name string) bool {
	metric, convention := cutColumn(name)
	return (c.Metric == "" || c.Metric == metric) && (c.Convention == "" || c.Convention == convention)
}

// cutColumn splits the name of a column into metric and convention. The name of a metric may have a colon
// too, as rbp:0.8@10 has.
func cutColumn(name string) (metric, convention string) {
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		return name[:colon], name[colon+1:]
	}
	return name, ""
}

// text returns the choice for messages.
func (c Column) text() string {
	switch {
	case c.Convention == "":
		return c.Metric
	case c.Metric == "":
		return "of the convention " + c.Convention
	}
	return c.Metric + ":" + c.Convention
}

// ReadQueries reads one column of a file that [Judgment.WriteQueries] wrote. name is the file name for
// messages, and the name of the system. The Metric of the values is the name of the column; Values.Column
// selects the same column of other files. Errors name the line.
func ReadQueries(r io.Reader, name string, choice Column) (Values, error) {
	lines := csv.NewReader(stream.WithoutMark(r))
	head, err := lines.Read()
	if err != nil || len(head) < 3 || head[0] != "query" || head[1] != "documents" {
		return Values{}, &dataset.Error{Path: name, Err: notQueries(err)}
	}
	place, err := choice.find(head)
	if err != nil {
		return Values{}, &dataset.Error{Path: name, Err: err}
	}
	metric, convention := cutColumn(head[place])
	v := Values{System: name, Metric: head[place], Column: Column{metric, convention}}
	weighted := head[2] == weightColumn && v.weighs()
	seen := map[string]bool{}
	for {
		cells, line, err := stream.NextLine(lines)
		if err == io.EOF {
			return v, nil
		}
		if err == nil {
			err = v.add(cells[0], cells[place], seen)
		}
		if err == nil && weighted {
			err = v.addWeight(cells[2])
		}
		if err != nil {
			return Values{}, &dataset.Error{Path: name, Line: line, Err: err}
		}
	}
}

// weighs reports whether the convention in the name of the column has weights. It records an error if a
// comparison cannot use them, because the file does not show which queries have no relevant document.
func (v *Values) weighs() bool {
	name, convention := cutColumn(v.Metric)
	convention, _, _ = strings.Cut(convention, " with ")
	c, err := metric.ConventionByName(convention, metric.Exp2())
	if err != nil {
		return true
	}
	if c.Weights == metric.EmptyUnweighted && strings.HasPrefix(name, "ndcg") {
		v.err = metric.ErrBareQueries
	}
	return c.Weights != metric.WeightsNeglected
}

// addWeight adds the weight of a query.
func (v *Values) addWeight(cell string) error {
	weight, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(weight >= 0) || math.IsInf(weight, 0) {
		return fmt.Errorf("%q %w", cell, ErrQueryWeight)
	}
	v.Weights = append(v.Weights, weight)
	return nil
}

func notQueries(err error) error {
	if err == nil {
		return ErrNotQueries
	}
	return fmt.Errorf("%w (%w)", ErrNotQueries, err)
}

// find returns the index of the only column that matches.
func (c Column) find(head []string) (int, error) {
	found, all := -1, strings.TrimPrefix(strings.Join(head[2:], ", "), weightColumn+", ")
	for i, name := range head[2:] {
		if !c.matches(name) || name == weightColumn {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%w: choose one of %s", ErrColumns, all)
		}
		found = i + 2
	}
	if found < 0 {
		return 0, fmt.Errorf("%w %s; there are %s", ErrNoColumn, c.text(), all)
	}
	return found, nil
}

// add adds the value of a query.
func (v *Values) add(query, cell string, seen map[string]bool) error {
	if seen[query] {
		return fmt.Errorf("query %q %w", query, ErrRepeatedQuery)
	}
	seen[query] = true
	value := math.NaN()
	if cell != "" {
		var err error
		if value, err = strconv.ParseFloat(cell, 64); err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("%q %w %s", cell, ErrValue, v.Metric)
		}
	}
	v.Queries, v.Values = append(v.Queries, query), append(v.Values, value)
	return nil
}
