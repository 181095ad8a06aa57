package scoring

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/provenance"
)

// batchRows is the number of rows that are computed together, which is a few blocks of a compiled model. It
// is smaller if the rows would have more values than batchValues.
const (
	batchRows   = 256
	batchValues = 1 << 20
)

// batches collects the rows of one goroutine and computes their numbers, many at a time.
type batches struct {
	output  Output
	most    int       // number of rows that are computed together
	rows    []float64 // most rows with a value for every feature; zero except for waiting rows
	set     []int     // the places of rows that may not be zero, if the rows are wide
	waiting int       // number of rows that are not computed yet
	numbers []int     // of all rows since the last take
	results []float64 // output.width numbers for each row that is computed
	largest int32     // largest feature number so far
	count   int       // number of all rows so far
}

func newBatches(o Output) *batches {
	width := o.features.Total
	most := min(batchRows, max(1, batchValues/max(1, width)))
	return &batches{output: o, most: most}
}

// workers returns batches for each of n goroutines.
func (o Output) workers(n int) []*batches {
	all := make([]*batches, n)
	for i := range all {
		all[i] = newBatches(o)
	}
	return all
}

// add adds a row, which is computed when [batches.take] is called or earlier.
func (b *batches) add(row dataset.Row) error {
	features := b.output.features.Total
	if b.rows == nil {
		b.rows = make([]float64, b.most*features)
	}
	first := b.waiting * features
	dense := b.rows[first:][:features]
	wide := b.wide()
	for i, f := range row.Feature {
		if int(f) >= features {
			continue
		}
		dense[f] = row.Value[i]
		if wide {
			b.set = append(b.set, first+int(f))
		}
	}
	b.largest = max(b.largest, b.output.features.Largest(row.Feature))
	b.numbers = append(b.numbers, row.Number)
	b.count++
	if b.waiting++; b.waiting == b.most {
		return b.flush()
	}
	return nil
}

// flush computes the rows that wait.
func (b *batches) flush() error {
	rows := b.rows[:b.waiting*b.output.features.Total]
	provenance.WatchRows(b.output.watch, rows, b.output.features.Total)
	done, more := len(b.results), b.waiting*b.output.width
	b.results = slices.Grow(b.results, more)[:done+more]
	err := renumbered(b.output.compute(b.results[done:], rows, b.waiting), b.numbers[len(b.numbers)-b.waiting:],
		b.output.first)
	b.clear(rows)
	b.waiting = 0
	return err
}

// wide reports whether rows have so many features that most values are likely to be zero.
func (b *batches) wide() bool { return b.most < batchRows }

// clear sets rows to zero. In wide rows it visits only values that were set, since there may be a thousand
// zeros to each of them.
func (b *batches) clear(rows []float64) {
	if !b.wide() {
		clear(rows)
		return
	}
	for _, place := range b.set {
		rows[place] = 0
	}
	b.set = b.set[:0]
}

// take returns the row numbers and the results of the rows since the last take, in the order in
// which they were added. They are valid until the next row is added.
func (b *batches) take() (numbers []int, results []float64, err error) {
	err = b.flush()
	numbers, results = b.numbers, b.results
	b.numbers, b.results = numbers[:0], results[:0]
	return numbers, results, err
}

// block returns the results of the rows of a block, in their order. They are valid until the next
// row is added.
func (b *batches) block(rows *dataset.Block) ([]float64, error) {
	for _, row := range rows.Rows {
		if err := b.add(row); err != nil {
			return nil, err
		}
	}
	_, results, err := b.take()
	return results, err
}
