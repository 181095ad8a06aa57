// Package plan estimates the resources of a training run on several machines before it begins: the memory of
// a rank, the bytes that it exchanges with the others for a tree, and the time of an iteration, by a model of
// the computer and the network. docs/machines.md states what the model assumes and how it compares with
// measurements.
package plan

import (
	"math/bits"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/histogram"
)

// Training is a training run that is planned. Its ranks have equal shares of the rows.
type Training struct {
	Params  booster.Params
	Shape   booster.Shape
	Threads int           // of a rank, each on a core of its own
	Latency time.Duration // of a message between two ranks
	Text    bool          // data is text or a table, of which a sample is read before it is binned
}

// Estimate has the resources that a training run needs on a number of ranks.
type Estimate struct {
	Ranks int
	booster.Footprint
	Compute time.Duration // of an iteration, without messages

	latency time.Duration
}

// Times of a core, from the profile of a training run on 714,218 rows × 136 columns, 255 leaves, and two
// threads of an AMD EPYC (bench/README.md).
const (
	everyRow  = 24 * nanosecond   // lambdas, gradients to integers
	walkRow   = 21 * nanosecond   // leaves of rows that the tree was not grown on
	refitRow  = 4 * nanosecond    // leaf values, of rows whose leaf is known
	activeRow = 40 * nanosecond   // partition, and lambdas that more memory slows down
	activeBin = 1.8 * nanosecond  // sums of leaves; each active row, and byte of it
	searchBin = 0.09 * nanosecond // best splits; each searched leaf and bin
	sentByte  = 0.5 * nanosecond  // a message put together, added up, taken apart; on one core

	nanosecond = 1e-9
	uneven     = 1.1 // work of the slowest rank over the mean
)

// Memory of a rank besides its data.
const (
	process     = 50 << 20 // program, MPI library, and buffers
	garbage     = 1.25     // memory of the process divided by the memory in use
	sampleValue = 22       // bytes for a value of the sample in which bins are found
)

// On returns the estimate for this many ranks.
func (t *Training) On(ranks int) Estimate {
	e := Estimate{Ranks: ranks, Footprint: t.Shape.Footprint(&t.Params, ranks, t.Threads), latency: t.Latency}
	e.Memory = process + max(int(garbage*float64(e.Memory)), t.reading(ranks))
	e.Compute = time.Duration(t.compute(ranks, &e.Footprint) * float64(time.Second))
	return e
}

// reading returns the bytes that a rank needs while bins are found.
func (t *Training) reading(ranks int) int {
	if !t.Text {
		return 0
	}
	return min(t.Shape.Rows, t.Params.BinConstructSampleCnt) / ranks * t.Shape.Columns * sampleValue
}

// compute returns the seconds that a rank computes in an iteration.
func (t *Training) compute(ranks int, f *booster.Footprint) float64 {
	rows, active := float64(t.Shape.Rows), float64(f.Active)
	row := everyRow + refitRow
	if active < rows {
		row = everyRow + walkRow
	}
	width := float64(t.Shape.RowBytes) * t.Params.FeatureFraction
	work := float64(rows*row) + float64(active*(activeRow+float64(width*activeBin))) +
		float64(float64(f.Searched*t.Shape.Bins)*searchBin)
	if ranks > 1 {
		work *= uneven
	}
	return work/float64(ranks*t.Threads) + float64(float64(f.Bytes)*sentByte)
}

// Seconds returns how long an iteration takes where the link of each rank carries this many gigabits a
// second. Each collective takes log2(ranks) steps, rounded up, one after the other.
func (e *Estimate) Seconds(gigabits float64) float64 {
	steps := bits.Len(uint(e.Ranks - 1))
	waiting := float64(float64(e.Collectives*steps*messagesOfStep) * e.latency.Seconds())
	return e.Compute.Seconds() + waiting + float64(e.Sent)*8/(gigabits*payload*1e9)
}

const (
	payload        = 0.9 // share of a link's bits that messages have
	messagesOfStep = 3   // MPI announces a long message, the receiver is ready, the message comes
)

// ShapeFor returns the shape of data if only its size is known: every feature has as many bins as there may
// be, and a byte.
func ShapeFor(p *booster.Params, rows, features int) booster.Shape {
	const group = histogram.GroupSize
	return booster.Shape{Rows: rows, Columns: features, Bins: features * p.MaxBin,
		RowBytes: (features + group - 1) / group * group}
}
