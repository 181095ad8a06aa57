package explain

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// A model with query context has columns computed from raw features. Explanations are about the features of
// the data: a raw feature together with the columns of its context, and the number of documents of the query.
// A feature has the number of its own column.

// owner returns the feature that a column of the model belongs to.
func (d *Data) owner(column int) int {
	c := d.Model.QueryContext()
	if c == nil || column < c.Raw || c.List[column-c.Raw].Kind == querycontext.Count {
		return column
	}
	return c.List[column-c.Raw].Feature
}

// used returns the numbers of the features that the model uses, ascending.
func (d *Data) used() []int {
	columns := d.Model.UsedFeatures()
	for i, column := range columns {
		columns[i] = d.owner(column)
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// isCount reports whether a feature is the number of documents of the query, which is
// not a property of a document.
func (d *Data) isCount(f int) bool {
	c := d.Model.QueryContext()
	return c != nil && f >= c.Raw
}

// owned sums values by column of the model into values by feature: the sum is at the feature's own column,
// and other columns are 0. Without query context it returns values.
func (d *Data) owned(values []float64) []float64 {
	if d.Model.QueryContext() == nil {
		return values
	}
	sums := make([]float64, len(values))
	for column, v := range values {
		sums[d.owner(column)] += v
	}
	return sums
}

// contextual is a feature of the documents of one query, with the columns of the model that are its context.
type contextual struct {
	number  int // of the feature
	columns []int
	kinds   []querycontext.Kind // of columns
	values  []float64           // of the documents of the query, in any order

	feature querycontext.Feature
	// from a value to each context; valid for the values at the time of prepare
	places []func(x float64) float64

	// of contextual.among: 1 + the first row of the query whose values are sorted
	query  int
	sorted []float64
}

// longQuery is how many documents a query may have for the exact work on its context that takes time
// proportional to its documents for each value of a feature that is tried.
var longQuery = 10_000 // a variable for tests

// contextual returns a feature without values.
func (d *Data) contextual(f int) *contextual {
	c := &contextual{number: f}
	if all := d.Model.QueryContext(); all != nil {
		for i, column := range all.List {
			if column.Kind != querycontext.Count && column.Feature == f {
				c.columns, c.kinds = append(c.columns, all.Raw+i), append(c.kinds, column.Kind)
			}
		}
	}
	return c
}

// of sets the values of the documents of a query.
func (c *contextual) of(d *Data, q dataset.Query) *contextual {
	c.values = c.values[:0]
	for row := q.First; row < q.First+q.Len; row++ {
		c.values = append(c.values, d.row(row)[c.number])
	}
	return c
}

// prepare must be called after changes of values and before write.
func (c *contextual) prepare() {
	if len(c.columns) == 0 {
		return
	}
	c.feature.Set(c.values)
	c.places = c.places[:0]
	for _, kind := range c.kinds {
		c.places = append(c.places, c.feature.Place(kind))
	}
}

// write writes the value of a document, which is one of c.values, and its context into the document's row.
func (c *contextual) write(row []float64, x float64) {
	row[c.number] = x
	for i, column := range c.columns {
		row[column] = c.place(i, x)
	}
}

// place returns context i of a value.
func (c *contextual) place(i int, x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return c.places[i](x)
}
