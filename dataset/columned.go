package dataset

// Columned is a [Source] in memory whose values can also be read by feature.
type Columned interface {
	Source

	// Columns appends the values of feature first, first+1, … to the slices of dst, one feature to each
	// slice: the values of the given rows, in their order, or of all rows if rows is nil. Zeros are included.
	// Unlike in Blocks, values are not checked. Several goroutines may call it at the same time. The error is one
	// of reading values that another program has.
	Columns(dst [][]float64, first int, rows []int) error
}

// Columns implements [Columned].
func (d *dense) Columns(dst [][]float64, first int, rows []int) error {
	add := func(row int) {
		for i, v := range d.row(row)[first : first+len(dst)] {
			dst[i] = append(dst[i], v)
		}
	}
	if rows == nil {
		for row := range d.meta.NumRows() {
			add(row)
		}
		return nil
	}
	for _, row := range rows {
		add(row)
	}
	return nil
}
