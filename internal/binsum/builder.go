package binsum

// Builder finds the sums of leaves for one worker. It hides how the columns of a group are stored: rows are
// added to a tile if they have a byte or share one, and directly to the histogram if they are wide or sparse.
type Builder struct {
	batch Batch
	tiles []Tile // by byte of a row
}

// NewBuilder returns a builder for x and for copies of its rows.
func (x *Rows) NewBuilder() *Builder { return &Builder{tiles: make([]Tile, x.stride)} }

// Sum writes the sums of rows of x in some parts of groups, which ascend, to dst. values has one entry for
// each row of x. parent, if not nil, has the sums of a leaf that contains the rows; Sum leaves in it the sums
// of the leaf's other rows. live are the columns whose sums are needed. done is called with the index of each
// part once its sums are known.
func (b *Builder) Sum(x *Rows, dst, parent Histogram, parts []Part, rows []int32, values []int64, live *Live,
	done func(i int)) {
	b.build(x, dst, parts, rows, values, live)
	for i, part := range parts {
		if parent == nil {
			x.store(dst, part, b.tiles)
		} else {
			x.storeBoth(dst, parent, part, b.tiles, live)
		}
		done(i)
	}
}

// Add adds rows to the tiles of parts, which must have tiles. A later call of [Builder.Collect] takes the
// sums.
func (b *Builder) Add(x *Rows, parts []Part, rows []int32, values []int64) {
	b.buildBytes(x, nil, parts, rows, values)
}

// Collect moves to b what all builders have added to the tiles of parts. The next call of [Builder.Sum],
// which may have no more rows, includes it.
func (b *Builder) Collect(all []*Builder, parts []Part) {
	for _, other := range all {
		if other == b {
			continue
		}
		for _, part := range parts {
			for i := part.First; i < part.End; i++ {
				b.tiles[i].take(&other.tiles[i])
			}
		}
	}
}

// build adds rows to the tiles of groups, and sets the sums of wide and of sparse columns. Groups of sparse
// columns are the last ones.
func (b *Builder) build(x *Rows, dst Histogram, parts []Part, rows []int32, values []int64, live *Live) {
	n := len(parts)
	for n > 0 && x.isSparse(parts[n-1].group()) {
		n--
	}
	if n < len(parts) {
		x.buildSparse(dst, parts[n].group(), parts[len(parts)-1].group(), rows, values, live)
	}
	if n > 0 {
		b.buildBytes(x, dst, parts[:n], rows, values)
	}
}

// buildBytes is build for columns that are not sparse. While a batch of rows is added to one group after
// another, the rows of the next batch are prefetched.
func (b *Builder) buildBytes(x *Rows, dst Histogram, parts []Part, rows []int32, values []int64) {
	from, to := parts[0].group(), (parts[len(parts)-1].End+groupSize-1)/groupSize
	for _, part := range parts {
		if x.isWide(part.group()) {
			x.clearWide(dst, part.group())
		}
	}
	for len(rows) > 0 {
		n := min(BatchRows, len(rows))
		b.batch.Take(x, rows[:n], from, to, values)
		rows = rows[n:]
		next := rows[:min(BatchRows, len(rows))]
		for i, part := range parts {
			x.Prefetch(next[i*len(next)/len(parts):(i+1)*len(next)/len(parts)], from, to, values)
			if x.isWide(part.group()) {
				x.buildWide(dst, part.group(), &b.batch)
			} else {
				b.batch.Build(b.tiles[part.First:part.End], part)
			}
		}
	}
}
