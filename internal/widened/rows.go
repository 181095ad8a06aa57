package widened

import "github.com/lambdamart/lambdamart/querycontext"

// Rows returns the n documents of one query with the given columns, row-major: row i begins at i*c.Len().
// rows has the raw features of the documents, row-major: document i begins at i*c.Raw. used is as in [New].
func Rows(rows []float64, n int, c *querycontext.Columns, used []int) []float64 {
	var q query
	features := make([]int32, c.Raw)
	for f := range features {
		features[f] = int32(f)
	}
	for i := range n {
		q.add(i, features, rows[i*c.Raw:(i+1)*c.Raw])
	}
	w := widener{plan: newPlan(c, used)}
	w.compute(&q)
	wide, width := make([]float64, 0, n*c.Len()), len(c.List)
	for i := range n {
		wide = append(append(wide, rows[i*c.Raw:(i+1)*c.Raw]...), w.out[i*width:(i+1)*width]...)
	}
	return wide
}
