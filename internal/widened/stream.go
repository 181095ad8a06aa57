package widened

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// ErrNoQueries means that rows have no queries, and so no context.
var ErrNoQueries = errors.New("query context needs queries, and the rows have none: give them query ids " +
	"(qid:, group_column=) or a .query file")

// blockRows is the number of rows from which a block is emitted. A block has whole queries.
const blockRows = 512

// Variables for tests.
var (
	blockValues = 1 << 22 // the number of values of context from which a block is emitted
	longContext = 1 << 24 // how many values of context a query has whose memory is checked
)

// inOrder is Blocks of a pass with Emit. Blocks have whole queries, so that memory depends on the size of the
// largest query. The line of a block is the line of its first row if the data has no blank lines. All rows
// are kept.
//
// Unlike other sources, it refuses rows without queries ([ErrNoQueries]), and a query that reappears
// after another one ([dataset.ErrQueryReturns]): its context would be wrong.
//
// known has the queries of the data, or is nil if only their ids tell one from the other.
func (s *Source) inOrder(ctx context.Context, pass dataset.Pass, known *dataset.Meta) error {
	r := &regrouping{ctx: ctx, pass: pass, known: known, blocks: make([]block, s.Workers()),
		seen: map[string]bool{}, width: len(s.plan.computed)}
	for i := range r.blocks {
		r.blocks[i].widener.plan = s.plan
	}
	err := dataset.Stream(ctx, s.Source, nil, r.take)
	if err == nil {
		err = ctx.Err()
	}
	if errors.Is(err, dataset.ErrQueryReturns) && s.Source.Part() == nil {
		// What joins blocks knows the line, after blank ones too. A pipe cannot be read again.
		if _, inFile := dataset.Describe(ctx, s.Source); errors.Is(inFile, dataset.ErrQueryReturns) {
			return inFile
		}
	}
	if err != nil {
		return err
	}
	if len(r.seen) > 0 { // the part of a peer may have no rows
		r.filled++ // the block that is being filled
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.checkElsewhere(s.Source.Part())
}

// checkElsewhere returns an error if a query of this peer's part of the data has
// rows in the part of another one.
func (r *regrouping) checkElsewhere(part *dataset.Part) error {
	if part == nil || r.known != nil { // seen has numbers then
		return nil
	}
	ids := slices.Sorted(maps.Keys(r.seen))
	if n, found := part.Peers.FindElsewhere(len(ids), func(n int) string { return ids[n] }); found {
		return &dataset.Error{Path: r.path, Token: ids[n], Err: dataset.ErrQueryReturns,
			Detail: "its rows are in the parts of several peers"}
	}
	return nil
}

// regrouping forms blocks of whole queries from blocks that may end within a query, and processes as many at
// the same time as there are goroutines.
type regrouping struct {
	ctx    context.Context
	width  int // computed columns of context
	pass   dataset.Pass
	known  *dataset.Meta // as in inOrder
	blocks []block
	filled int             // blocks that are complete; the next one is being filled
	seen   map[string]bool // ids of queries, or numbers if they are known
	path   string          // of the last block
}

// block is rows of whole queries.
type block struct {
	raw     query
	wide    query         // the features of out
	out     dataset.Block // what is emitted; its Labels, Weights, Docs and Queries are filled with the raw rows
	widener widener
}

// take receives a block of the raw source.
func (r *regrouping) take(in *dataset.Block) error {
	r.path = in.Path
	if len(in.Queries) == 0 {
		return &dataset.Error{Path: in.Path, Line: in.FirstLine, Err: ErrNoQueries}
	}
	for i, q := range in.Queries {
		if r.known != nil { // ids of data in memory may be equal
			q.ID = strconv.Itoa(numberOf(r.known.Queries, q.First))
		}
		to := &r.blocks[r.filled]
		goesOn := i == 0 && to.lastQuery() == q.ID && len(to.out.Queries) > 0
		if !goesOn {
			var err error
			if to, err = r.begin(in, q); err != nil {
				return err
			}
		}
		to.add(in, q, goesOn)
	}
	return nil
}

// numberOf returns the number of the query that has a row.
func numberOf(queries []dataset.Query, row int) int {
	return sort.Search(len(queries), func(i int) bool { return queries[i].First > row }) - 1
}

// begin returns the block that a new query goes to.
func (r *regrouping) begin(in *dataset.Block, q dataset.Query) (*block, error) {
	if r.seen[q.ID] {
		return nil, &dataset.Error{Path: in.Path, Row: int64(q.First) + 1, Token: q.ID,
			Err: dataset.ErrQueryReturns}
	}
	r.seen[q.ID] = true
	if rows := r.blocks[r.filled].raw.len(); rows >= blockRows || rows*r.width >= blockValues {
		if r.filled++; r.filled == len(r.blocks) {
			if err := r.flush(); err != nil {
				return nil, err
			}
		}
	}
	return &r.blocks[r.filled], nil
}

// flush widens the complete blocks and emits them.
func (r *regrouping) flush() error {
	if err := cmp.Or(r.ctx.Err(), r.checkMemory()); err != nil {
		return err
	}
	errs := make([]error, r.filled)
	var group sync.WaitGroup
	for worker := range errs {
		group.Go(func() {
			b := &r.blocks[worker]
			b.widen()
			errs[worker] = r.pass.Work(worker, &b.out)
		})
	}
	group.Wait()
	for i, err := range errs {
		if err == nil {
			err = r.pass.Emit(&r.blocks[i].out)
		}
		if err != nil {
			return err
		}
		r.blocks[i].reset()
	}
	r.filled = 0
	return nil
}

// checkMemory returns an error if the context of a long query does not fit into memory.
func (r *regrouping) checkMemory() error {
	const ofValue = 28 // its source's value, itself, and its number and itself in the row
	for i := range r.blocks[:r.filled] {
		for _, q := range r.blocks[i].out.Queries {
			if q.Len*r.width < longContext {
				continue
			}
			err := limits.Check(ofValue*q.Len*r.width, fmt.Sprintf("the query context of query %q, %s × %s,", q.ID,
				wording.Count(q.Len, "document"), wording.Count(r.width, "column")),
				"query_context_features= of fewer features needs less")
			if err != nil {
				return &dataset.Error{Path: r.path, Err: err}
			}
		}
	}
	return nil
}

func (b *block) lastQuery() string {
	if n := len(b.out.Queries); n > 0 {
		return b.out.Queries[n-1].ID
	}
	return ""
}

func (b *block) reset() {
	b.raw.reset()
	out := &b.out
	*out = dataset.Block{Rows: out.Rows, Labels: out.Labels[:0], Scores: out.Scores, Queries: out.Queries[:0],
		Weights: out.Weights[:0]}
}

// add appends the rows of a query that are in a block. goesOn means that the query's first rows are
// here already.
func (b *block) add(in *dataset.Block, q dataset.Query, goesOn bool) {
	if b.raw.len() == 0 {
		b.out.Path, b.out.FirstRow, b.out.FirstLine = in.Path, q.First, in.FirstLine+q.First-in.FirstRow
	}
	if goesOn {
		b.out.Queries[len(b.out.Queries)-1].Len += q.Len
	} else {
		b.out.Queries = append(b.out.Queries, q)
	}
	first := q.First - in.FirstRow
	for i := first; i < first+q.Len; i++ {
		row := in.Rows[i]
		b.raw.append(row.Feature, row.Value)
		b.raw.end(row.Number)
	}
	b.out.Labels = append(b.out.Labels, in.Labels[first:first+q.Len]...)
	if in.Weights != nil {
		b.out.Weights = append(b.out.Weights, in.Weights[first:first+q.Len]...)
	}
	if in.Docs != nil {
		b.out.Docs = append(b.out.Docs, in.Docs[first:first+q.Len]...)
	}
}

// widen computes the context of all queries of the block.
func (b *block) widen() {
	b.wide.reset()
	for _, q := range b.out.Queries {
		first := q.First - b.out.FirstRow
		b.widener.begin(q.Len)
		for i := range q.Len {
			features, values := b.raw.row(first + i)
			b.widener.set(i, features, values)
		}
		b.widener.finish()
		b.wide.grow(q.Len, b.raw.starts[first+q.Len]-b.raw.starts[first]+b.widener.nonzeros())
		for i := range q.Len {
			features, values := b.raw.row(first + i)
			b.widener.widen(&b.wide, i, b.raw.numbers[first+i], features, values)
		}
	}
	b.out.Rows = slices.Grow(b.out.Rows[:0], b.wide.len())
	for i, number := range b.wide.numbers {
		features, values := b.wide.row(i)
		b.out.Rows = append(b.out.Rows, dataset.Row{Number: number, Feature: features, Value: values})
	}
	b.out.Scores = reuse.Zeros(b.out.Scores, b.out.Len())
}
