package parquet

import (
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Reader reads a column of a file from its first row to the last. A Reader is for one goroutine; Readers of
// several columns may be used concurrently.
type Reader[T float64 | string] struct {
	Null T // what Read writes for rows without a value

	// Infinite means that there may be infinite numbers among the values that were read, or in their dictionary.
	Infinite bool

	file    *File
	column  *Column
	convert func(dst []T, v *values) error

	group      int   // number of the current row group
	rows       int64 // of it that were not read yet
	pages      *pages
	pageRows   int64 // of the page that were not read yet
	nulls      *runs // definition levels of the page; nil if the column has no nulls
	present    []uint32
	dictionary []T
	decode     func(dst []T) error // the next values of the page
	memory     values
}

// Numbers returns a reader of a column for which NumberColumn is nil.
func (f *File) Numbers(c *Column) *Reader[float64] {
	return &Reader[float64]{file: f, column: c, group: -1, convert: c.numbers}
}

// Texts returns a reader of a column for which TextColumn or IDColumn is nil. Equal texts that follow each
// other share their memory.
func (f *File) Texts(c *Column) *Reader[string] {
	last := ""
	return &Reader[string]{file: f, column: c, group: -1, convert: func(dst []string, v *values) error {
		c.texts(dst, v, last)
		if len(dst) > 0 {
			last = dst[len(dst)-1]
		}
		return nil
	}}
}

// Read fills dst with the next rows and returns their number, which is below len(dst) only at the end of the
// file. There is no error then; the next call returns (0, io.EOF).
func (r *Reader[T]) Read(dst []T) (n int, err error) {
	for n < len(dst) {
		if err := r.ready(); err == io.EOF {
			break
		} else if err != nil {
			return n, r.located(err)
		}
		size := int(min(r.pageRows, int64(len(dst)-n)))
		if err := r.readPage(dst[n : n+size]); err != nil {
			return n, r.located(err)
		}
		n += size
		r.pageRows -= int64(size)
		r.rows -= int64(size)
	}
	if n == 0 && len(dst) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Skip skips n rows. It does not read row groups, and does not decode pages, that are skipped completely.
func (r *Reader[T]) Skip(n int64) error {
	scratch := make([]T, min(n, 1<<10))
	for n > 0 {
		if next := r.group + 1; r.rows == 0 && next < len(r.file.Groups) && r.file.Groups[next].Rows <= n {
			r.group = next
			n -= r.file.Groups[next].Rows
			continue
		}
		if err := r.ready(); err != nil {
			return r.located(err)
		}
		if r.pageRows <= n {
			n -= r.pageRows
			r.rows -= r.pageRows
			r.pageRows = 0
			continue
		}
		read, err := r.Read(scratch[:min(n, int64(len(scratch)))])
		if err != nil {
			return err
		}
		n -= int64(read)
	}
	return nil
}

func (r *Reader[T]) located(err error) error {
	return fmt.Errorf("column %q, row group %d: %w", r.column.Name, r.group, err)
}

// ready goes to the next page if the current one has no rows left. At the end it returns io.EOF.
func (r *Reader[T]) ready() error {
	for r.rows == 0 {
		if r.group++; r.group >= len(r.file.Groups) {
			r.group = len(r.file.Groups)
			return io.EOF
		}
		if err := r.openGroup(&r.file.Groups[r.group]); err != nil {
			return err
		}
	}
	for r.pageRows == 0 {
		if err := r.nextPage(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader[T]) openGroup(g *RowGroup) (err error) {
	r.rows, r.pageRows, r.dictionary = g.Rows, 0, r.dictionary[:0]
	if g.Rows == 0 {
		return nil
	}
	c, ok := g.chunks[r.column.Name]
	if !ok {
		return fmt.Errorf("%w: the row group lacks the column", ErrDamaged)
	}
	r.pages, err = newPages(r.file, c, r.column.optional)
	return err
}

// nextPage opens the next page. A dictionary is kept for the pages that follow it.
func (r *Reader[T]) nextPage() error {
	pg, err := r.pages.next()
	if err != nil {
		return err
	}
	if pg.kind == dictionaryPage {
		r.dictionary, err = r.readDictionary(pg)
		return err
	}
	if pg.values > r.rows {
		return fmt.Errorf("%w: more values than rows", ErrDamaged)
	}
	r.pageRows, r.nulls = pg.values, nil
	if r.column.optional {
		if r.nulls, err = newRuns(pg.levels, 1); err != nil {
			return err
		}
	}
	if pg.encoding == dictionary || pg.encoding == plainDictionary {
		return r.openIndexes(pg)
	}
	next, err := newDecoder(r.column, pg)
	r.decode = func(dst []T) error { return r.decodeNext(dst, next) }
	return err
}

// decodeNext fills dst with the next values of a decoder.
func (r *Reader[T]) decodeNext(dst []T, next decoder) error {
	v := r.memory
	floats, inPlace := any(dst).([]float64)
	if inPlace { // floats need no conversion
		v.floats = floats
	}
	if err := next(&v, len(dst)); err != nil {
		return err
	}
	if r.memory = v; inPlace {
		r.memory.floats = nil
	}
	err := r.convert(dst, &v)
	r.watch(dst)
	return err
}

// watch sets Infinite if there is an infinite number among values.
func (r *Reader[T]) watch(values []T) {
	numbers, _ := any(values).([]float64)
	for _, v := range numbers {
		if math.Abs(v) > math.MaxFloat64 {
			r.Infinite = true
		}
	}
}

func (r *Reader[T]) readDictionary(pg *page) ([]T, error) {
	next, err := plainDecoder(r.column, pg.data)
	if err != nil {
		return nil, err
	}
	if pg.values > int64(8*len(pg.data)) { // every value takes at least a bit
		return nil, errShort
	}
	dst := reuse.Slice(r.dictionary, int(pg.values))
	return dst, r.decodeNext(dst, next)
}

// openIndexes opens a page of indexes into the dictionary: a byte with their bit width, then runs.
func (r *Reader[T]) openIndexes(pg *page) error {
	if len(pg.data) == 0 { // a page with nothing but nulls may be empty
		pg.data = []byte{0}
	}
	places, err := newRuns(pg.data[1:], int(pg.data[0]))
	r.decode = func(dst []T) error { return look(dst, r.dictionary, places) }
	return err
}

// look fills dst with the dictionary's values at the next indexes.
func look[T any](dst, dictionary []T, places *runs) error {
	for len(dst) > 0 {
		n, place, err := places.equal(len(dst))
		if err != nil {
			return err
		}
		known := uint64(place) < uint64(len(dictionary))
		switch {
		case n == 0:
			n = int(min(places.left, int64(len(dst))))
			place, known = lookPacked(dst[:n], dictionary, places)
		case known:
			setAll(dst[:n], dictionary[place])
		}
		if !known {
			return fmt.Errorf("%w: place %d in a dictionary of %d values", ErrDamaged, place, len(dictionary))
		}
		dst = dst[n:]
	}
	return nil
}

// readPage reads rows of the current page.
func (r *Reader[T]) readPage(dst []T) error {
	if r.nulls == nil {
		return r.decode(dst)
	}
	for len(dst) > 0 { // values without nulls between them are usually one run
		n, level, err := r.nulls.equal(len(dst))
		switch {
		case err != nil:
			return err
		case n == 0:
			return r.readMixed(dst)
		case level == 0:
			setAll(dst[:n], r.Null)
		default:
			err = r.decode(dst[:n])
		}
		if err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

func setAll[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// readMixed reads rows, some of which have no value.
func (r *Reader[T]) readMixed(dst []T) error {
	r.present = reuse.Slice(r.present, len(dst))
	if err := r.nulls.next(r.present); err != nil {
		return err
	}
	found := 0
	for _, level := range r.present {
		found += int(level)
	}
	if err := r.decode(dst[:found]); err != nil {
		return err
	}
	spread(dst, r.present, found, r.Null)
	return nil
}

// spread moves the values dst[:found] to the rows that are present. It works from the last to the first,
// because no value may be overwritten before it is moved.
func spread[T any](dst []T, present []uint32, found int, null T) {
	if found == len(dst) {
		return
	}
	for i := len(dst) - 1; i >= 0; i-- {
		if present[i] == 0 {
			dst[i] = null
		} else {
			found--
			dst[i] = dst[found]
		}
	}
}
