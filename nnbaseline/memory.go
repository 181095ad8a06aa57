package nnbaseline

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// memoryEstimate returns about how many bytes a training run on these sets takes, including their values.
func memoryEstimate(p *Params, train Data, valid ...Data) int {
	shape := p.shape(train.Values.numFeatures())
	longest, sizes := 0, 0
	for _, q := range train.Meta.Queries {
		longest = max(longest, q.Len)
	}
	for _, width := range shape.widths {
		sizes += width
	}
	const (
		perWeight = 5 * 4 // the weight, its derivative and means, and the one that is kept
		perUnit   = 3 * 4 // sum, output and error of a row of a step
		perRow    = 2 * 8 // label and score
	)
	step := min(p.BatchQueries*longest, train.Meta.NumRows())
	weights, _ := shape.counts()
	bytes := weights*perWeight + step*sizes*perUnit
	for _, d := range append([]Data{train}, valid...) {
		bytes += d.Values.bytes() + d.Meta.NumRows()*perRow
	}
	return bytes
}

// room limits the memory that values take while they are read: the operating system would kill a process that
// uses too much, without a message.
type room struct {
	most   int // bytes known to be available
	others int // bytes of other sets
	rows   int // of the data, 0 if it is not known before it is read
}

// newRoom returns the room for the values of a source beside the values of other sets.
func newRoom(ctx context.Context, src dataset.Source, others []Data) (*room, error) {
	rows, known, err := src.NumRows(ctx)
	if err != nil {
		return nil, err
	}
	r := &room{}
	if known {
		r.rows = rows
	}
	for _, d := range others {
		r.others += d.Values.bytes()
	}
	return r, nil
}

// check returns an error if there is no room for the values of this many rows and features.
func (r *room) check(rows, features int) error {
	if r == nil {
		return nil
	}
	rows = max(rows, r.rows)
	bytes := r.others + valueBytes(rows, features)
	if bytes <= r.most {
		return nil
	}
	r.most = bytes
	return limits.Check(bytes, fmt.Sprintf("keeping the values of %s and %s", wording.Count(rows, "row"),
		wording.Count(features, "feature")),
		"fewer rows and fewer features need less, and trees keep a byte for each value")
}
