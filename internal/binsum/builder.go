package binsum

// Builder finds the sums of leaves for one worker. It hides how the columns of a group are stored: rows are
// added to a tile if they have a byte or share one, and directly to the histogram if they are wide or sparse.
type Builder struct {
	batch Batch
	tiles []Tile // by byte of a row

	wide      Histogram  // sums of wide columns that Add has found
	collected []*Builder // builders whose wide sums the next call of Sum includes; nil: none
}

// NewBuilder returns a builder for x and for copies of its rows.
func (x *Rows) NewBuilder() *Builder { return &Builder{tiles: make([]Tile, x.stride)} }

// Sum writes the sums of rows of x in some parts of groups, which ascend, to dst. values has one entry for
// each row of x. parent, if not nil, has the sums of a leaf that contains the rows; Sum leaves in it the sums
// of the leaf's other rows. live and rest are the columns whose sums are needed in dst and in parent. done is
// called with the index of each part once its sums are known.
func (b *Builder) Sum(x *Rows, dst, parent Histogram, parts []Part, rows []int32, values []int64,
	live, rest *Live, done func(i int)) {
	n := len(parts)
	for n > 0 && x.isSparse(parts[n-1].group()) {
		n--
		x.buildSparse(dst, parent, parts[n], rows, values, live, rest)
	}
	b.build(x, dst, parts[:n], rows, values)
	b.collected = nil
	for i, part := range parts {
		if parent == nil {
			x.store(dst, part, b.tiles)
		} else {
			x.storeBoth(dst, parent, part, b.tiles)
		}
		done(i)
	}
}

// Add finds sums of rows in parts, whose columns must have bytes in a row. [Builder.Collect] takes the sums,
// before the next call.
func (b *Builder) Add(x *Rows, parts []Part, rows []int32, values []int64) {
	for _, part := range parts {
		if x.isWide(part.group()) {
			if b.wide == nil {
				b.wide = make(Histogram, x.NumBins())
			}
			x.clearWide(b.wide, part.group())
		}
	}
	b.buildBytes(x, b.wide, parts, rows, values)
}

// Collect gives b what all builders have added in parts. The next call of [Builder.Sum], which may have no
// more rows, includes it.
func (b *Builder) Collect(x *Rows, all []*Builder, parts []Part) {
	b.collected = all
	for _, other := range all {
		if other == b {
			continue
		}
		for _, part := range parts {
			for i := part.First; i < min(part.End, x.narrow); i++ {
				b.tiles[i].take(&other.tiles[i])
			}
		}
	}
}

// beginWide sets the sums of a group of wide columns to those that were collected, or to 0.
func (b *Builder) beginWide(x *Rows, dst Histogram, group int) {
	if b.collected == nil {
		x.clearWide(dst, group)
		return
	}
	x.copyWide(dst, b.collected[0].wide, group)
	for _, other := range b.collected[1:] {
		x.addWide(dst, other.wide, group)
	}
}

// build adds rows to the tiles of groups, and sets the sums of wide columns.
func (b *Builder) build(x *Rows, dst Histogram, parts []Part, rows []int32, values []int64) {
	for _, part := range parts {
		if x.isWide(part.group()) {
			b.beginWide(x, dst, part.group())
		}
	}
	if len(parts) > 0 {
		b.buildBytes(x, dst, parts, rows, values)
	}
}

// buildBytes is build for columns that are not sparse, and adds to the sums of wide ones. While a batch of
// rows is added to one group after another, the rows of the next batch are prefetched.
func (b *Builder) buildBytes(x *Rows, dst Histogram, parts []Part, rows []int32, values []int64) {
	from, to := parts[0].group(), (parts[len(parts)-1].End+groupSize-1)/groupSize
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
