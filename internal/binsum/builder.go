package binsum

// Builder finds the sums of leaves for one worker. It hides how the columns of a group are stored: rows are
// added to a tile if they have a byte or share one, and directly to the histogram if they are wide or sparse.
type Builder struct {
	batch Batch
	tiles []Tile // by group of bytes
}

// NewBuilder returns a builder for x and for copies of its rows.
func (x *Rows) NewBuilder() *Builder { return &Builder{tiles: make([]Tile, x.numTiles())} }

// Sum writes the sums of rows of x in some groups, which ascend, to dst. values has one entry for each row of
// x. parent, if not nil, has the sums of a leaf that contains the rows; Sum leaves in it the sums of the
// leaf's other rows. done is called with the index of each group once its sums are known.
func (b *Builder) Sum(x *Rows, dst, parent Histogram, groups []int, rows []int32, values []int64,
	done func(i int)) {
	b.build(x, dst, groups, rows, values)
	for i, group := range groups {
		var tile *Tile
		if !x.isSparse(group) {
			tile = &b.tiles[group]
		}
		if parent == nil {
			x.store(dst, group, tile)
		} else {
			x.storeBoth(dst, parent, group, tile)
		}
		done(i)
	}
}

// build adds rows to the tiles of groups, and sets the sums of wide and of sparse columns. Groups of sparse
// columns are the last ones.
func (b *Builder) build(x *Rows, dst Histogram, groups []int, rows []int32, values []int64) {
	n := len(groups)
	for n > 0 && x.isSparse(groups[n-1]) {
		n--
	}
	if n < len(groups) {
		x.buildSparse(dst, groups[n], groups[len(groups)-1], rows, values)
	}
	if n > 0 {
		b.buildBytes(x, dst, groups[:n], rows, values)
	}
}

// buildBytes is build for columns that are not sparse. While a batch of rows is added to one group after
// another, the rows of the next batch are prefetched.
func (b *Builder) buildBytes(x *Rows, dst Histogram, groups []int, rows []int32, values []int64) {
	first, last := groups[0], groups[len(groups)-1]
	for _, group := range groups {
		if x.isWide(group) {
			x.clearWide(dst, group)
		}
	}
	for len(rows) > 0 {
		n := min(BatchRows, len(rows))
		b.batch.Take(x, rows[:n], first, last+1, values)
		rows = rows[n:]
		next := rows[:min(BatchRows, len(rows))]
		for i, group := range groups {
			x.Prefetch(next[i*len(next)/len(groups):(i+1)*len(next)/len(groups)], first, last+1, values)
			if x.isWide(group) {
				x.buildWide(dst, group, &b.batch)
			} else {
				b.batch.Build(&b.tiles[group], group)
			}
		}
	}
}
