package dataset

// Columned is a [Source] in memory, whose values can also be had by feature.
type Columned interface {
	Source

	// Columns appends the values of feature first, first+1, … to the slices of dst, one feature to each: those
	// of the given rows, in their order, or of all rows if rows is nil. Zeros are among them. Values are not
	// checked, as Blocks checks them. Several goroutines may call it at once.
	Columns(dst [][]float64, first int, rows []int)
}

// Columns implements [Columned].
func (d *dense) Columns(dst [][]float64, first int, rows []int) {
	add := func(row int) {
		for i, v := range d.row(row)[first : first+len(dst)] {
			dst[i] = append(dst[i], v)
		}
	}
	if rows == nil {
		for row := range d.meta.NumRows() {
			add(row)
		}
		return
	}
	for _, row := range rows {
		add(row)
	}
}
