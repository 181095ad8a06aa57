package grow

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
)

// layout lists the columns that a tree may split on, in groups whose sums are found together.
type layout struct {
	columns []int32       // ascending
	groups  []columnGroup // of them
	chunks  []chunk       // of the groups
	parts   []binsum.Part // of all chunks
	placed  []int32       // the columns, group after group
	places  []int32       // of these columns, ascending
	placeOf []int32       // by column: its place in placed, -1 if it has none
	dense   int           // number of columns in placed before the sparse ones
	sets    []int         // places of the categorical ones, those with the most bins first
}

// columnGroup is the columns to split on whose sums are found together.
type columnGroup struct {
	// columns of the tree in this group: numeric ones, then those with a bin of missing values, then
	// categorical ones
	columns []int32
	plain   []bincut.Span // of the numeric columns that have no bin of missing values
	beside  []bincut.Span // of those that have one
	missing []int32       // these bins
	sets    int           // number of categorical columns
	first   int           // place of the first column in layout.placed
	sparse  bool          // the columns are sparse
}

// chunk is a share of the groups of the tree's columns, for one worker.
type chunk struct {
	groups []columnGroup
	parts  []binsum.Part // of these groups
}

// set sets the columns that the next tree may split on, and reports whether they have changed.
func (l *layout) set(t *Tree, bins *binsum.Rows, columns []int32) (changed bool) {
	if slices.Equal(columns, l.columns) {
		return false
	}
	l.columns = slices.Clone(columns)
	groups, placed, shares := groupsOf(t, bins, columns)
	l.groups, l.placed, l.sets = groups, placed, setsAmong(t, placed)
	l.chunks, l.parts = l.chunks[:0], slices.Concat(shares...)
	for _, parts := range shares {
		l.chunks = append(l.chunks, chunk{groups[:len(parts)], parts})
		groups = groups[len(parts):]
	}
	l.places, l.dense = l.places[:0], 0
	l.placeOf = slices.Repeat([]int32{-1}, len(t.matrix.Columns))
	for place, column := range placed {
		l.places, l.placeOf[column] = append(l.places, int32(place)), int32(place)
		if !t.matrix.Fields[column].Sparse {
			l.dense++
		}
	}
	return true
}

// groupsOf returns the groups of columns, the columns group after group, and the parts of a row in which they
// are: for each worker, those of its groups.
func groupsOf(t *Tree, rows *binsum.Rows, columns []int32) (groups []columnGroup, order []int32,
	shares [][]binsum.Part) {
	shares, groupOf := rows.Divide(columns, t.pool.Workers())
	for _, parts := range shares {
		groups = append(groups, make([]columnGroup, len(parts))...)
	}
	for i, number := range columns {
		if t.matrix.MissingBins[number] < 0 && !t.IsCategorical(number) {
			from, to := rows.ColumnRange(number)
			cg := &groups[groupOf[i]]
			cg.columns, cg.plain = append(cg.columns, number), append(cg.plain, bincut.Span{From: from, To: to})
		}
	}
	for i, number := range columns {
		if missing := t.matrix.MissingBins[number]; missing >= 0 {
			from, to := rows.ColumnRange(number)
			cg := &groups[groupOf[i]]
			cg.columns, cg.missing = append(cg.columns, number), append(cg.missing, missing)
			cg.beside = append(cg.beside, bincut.Span{From: from, To: to})
		}
	}
	for i, number := range columns {
		if cg := &groups[groupOf[i]]; t.IsCategorical(number) {
			cg.columns, cg.sets = append(cg.columns, number), cg.sets+1
		}
	}
	for i := range groups {
		groups[i].first, groups[i].sparse = len(order), t.matrix.Fields[groups[i].columns[0]].Sparse
		order = append(order, groups[i].columns...)
	}
	return groups, order, shares
}

// setsAmong returns the places of categorical columns, those with the most bins first.
func setsAmong(t *Tree, placed []int32) (places []int) {
	for place, column := range placed {
		if t.IsCategorical(column) {
			places = append(places, place)
		}
	}
	bins := func(place int) int { return t.matrix.Bins(placed[place]).NumBins() }
	slices.SortStableFunc(places, func(a, b int) int { return bins(b) - bins(a) })
	return places
}

// livePlaces writes to dst the places of the tree's columns that are live in a leaf: those of columns that
// are not sparse, and then those of sparse columns, by column.
func (l *layout) livePlaces(dst []int32, live *binsum.Live) []int32 {
	dst = append(dst[:0], l.places[:l.dense]...)
	for _, c := range live.Columns {
		if place := l.placeOf[c]; place >= 0 {
			dst = append(dst, place)
		}
	}
	return dst
}
