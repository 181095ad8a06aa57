package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/io/letor"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/io/table"
	"github.com/lambdamart/lambdamart/io/trec"
	"github.com/lambdamart/lambdamart/metric"
)

// ranking is what a system made of judged documents.
type ranking struct {
	system string
	// lists makes a list for each query and counts what is unusual.
	lists func(ctx context.Context, sink group.Sink, odd *oddities) error
}

// oddities count what needs a rule to be judged.
type oddities struct {
	Rows            int   `json:"documents"`
	MissingScores   int   `json:"missing_scores"`
	NaNScores       int   `json:"nan_scores"`
	MissingTargets  int   `json:"missing_targets"`
	NaNTargets      int   `json:"nan_targets"`
	Unjudged        int   `json:"unjudged_documents"`
	QueriesNotRun   int   `json:"queries_absent_from_run"`
	QueriesNotKnown int   `json:"queries_absent_from_qrels"`
	Sorted          bool  `json:"sorted"`
	StoredBytes     int64 `json:"temporary_bytes"`
}

// tell says what was found and which rule was applied.
func (d *oddities) tell(system string, absent string, messages *console) {
	warn := func(n int, what, rule string) {
		if n > 0 {
			messages.emit(warningEvent{Message: fmt.Sprintf("%s: %s %s: %s", system, thousands(n), what, rule)})
		}
	}
	const unranked = "they are judged but not ranked: they count in the ideal ranking and take no rank"
	warn(d.MissingScores, "documents have no score", unranked)
	warn(d.NaNScores, "scores are NaN", unranked)
	warn(d.MissingTargets, "documents have no target", "it counts as 0")
	warn(d.NaNTargets, "targets are NaN", "they count as 0")
	if absent == absentZero {
		warn(d.QueriesNotRun, "queries of the qrels are not in the run", "their rankings have no documents")
	} else {
		warn(d.QueriesNotRun, "queries of the qrels are not in the run", "they are left out")
	}
	warn(d.QueriesNotKnown, "queries of the run are not in the qrels", "they are left out")
	if d.Unjudged > 0 {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: %s ranked documents are not in the qrels: their relevance counts as 0", system, thousands(d.Unjudged))})
	}
	if d.Sorted {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: the rows of a query do not follow each other: they were sorted, with %s MB in a temporary file", system, thousands(d.StoredBytes/1e6))})
	}
}

// grouped makes the lists of rows, and notes how.
func (o *options) grouped(ctx context.Context, src group.Source, sink group.Sink, odd *oddities) error {
	stats, err := group.Queries(ctx, src, group.Options{Memory: int64(o.judging.sortMemory) << 20}, sink)
	odd.Rows, odd.Sorted, odd.StoredBytes = stats.Rows, stats.Sorted, stats.Stored
	return err
}

// isTable tells whether data= is a table.
func (o *options) isTable() bool {
	switch o.judging.dataFormat {
	case formatAuto:
		return o.data != "" && o.data != "-" && table.Recognize(o.data)
	case formatLETOR:
		return false
	}
	return true
}

// hasDocuments tells whether the input names documents.
func (o *options) hasDocuments() bool { return o.judging.qrels != "" || !o.isTable() }

// A table.

func (o *options) tableRanking(column string) ranking {
	return ranking{column, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		formats := map[string]table.Format{formatAuto: table.Auto, formatCSV: table.CSV, formatTSV: table.TSV, formatParquet: table.Parquet}
		t, err := table.Open(o.data, table.Options{
			Columns: table.Columns{Query: o.judging.queryColumn, Target: o.judging.targetColumn, Score: column},
			Format:  formats[o.judging.dataFormat],
		})
		if err != nil {
			return columnHint(err)
		}
		defer t.Close()
		return columnHint(o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			*odd = oddities{}
			return t.Rows(ctx, func(b *table.Batch) error { return emit(odd.ofBatch(b)) })
		}, sink, odd))
	}}
}

// columnHint adds which parameters name columns.
func columnHint(err error) error {
	if errors.Is(err, table.ErrNoColumn) {
		return fmt.Errorf("%w; query_field=, target_field= and score_field= name them", err)
	}
	return err
}

// ofBatch counts what a batch lacks, and returns its rows.
func (d *oddities) ofBatch(b *table.Batch) group.Rows {
	d.MissingScores += b.MissingScores
	d.NaNScores += b.NaNScores
	d.MissingTargets += b.MissingTargets
	d.NaNTargets += b.NaNTargets
	if b.MissingTargets+b.NaNTargets > 0 {
		for i, target := range b.Target {
			if math.IsNaN(target) {
				b.Target[i] = 0
			}
		}
	}
	return group.Rows{Query: b.Query, Labels: b.Target, Scores: b.Score}
}

// LETOR data with a model or a file of scores.

// openJudged opens LETOR data to be judged; documents are named if that is needed.
func (o *options) openJudged(docs bool, messages *console) (*letor.File, error) {
	if err := refuseBinned(o.data); err != nil {
		return nil, err
	}
	return letor.Open(o.data, letor.Options{
		FeatureBase: o.featureBase,
		Workers:     o.train.NumThreads,
		AllowNaN:    true,
		KeepDocs:    docs,
		Progress:    messages.reading(o.data),
	})
}

func (o *options) scoresRanking(path string, docs bool, messages *console) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		f, err := o.openJudged(docs, messages)
		if err != nil {
			return err
		}
		defer f.Close()
		in, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer in.Close()
		if hasWeights(o.data) {
			return o.listsWithWeights(ctx, f, sink, odd, func(meta *dataset.Meta) ([]float64, error) { return allScores(in, meta.NumRows()) })
		}
		return o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
			*odd = oddities{}
			return o.streamScores(ctx, f, in, odd, emit)
		}, sink, odd)
	}}
}

// streamScores reads data and its scores side by side.
func (o *options) streamScores(ctx context.Context, f *letor.File, in *stream.Input, odd *oddities, emit func(group.Rows) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	scores := newScoreReader(r, in.Name())
	rows := 0
	err = f.Stream(ctx, func(int, *letor.Block) error { return nil }, func(b *letor.Block) error {
		rows += b.Len()
		if err := scores.fill(b.Scores); err != nil || scores.ended {
			return err // to tell how many rows there are, once they end
		}
		return odd.emitBlock(o.data, b, emit)
	})
	if err != nil {
		return err
	}
	if err := scores.drain(); err != nil {
		return err
	}
	if scores.count != rows {
		return fmt.Errorf("%s: %d scores for %d rows of data; there must be one a line for each row", in.Name(), scores.count, rows)
	}
	return nil
}

func (o *options) modelRanking(path string, docs bool, messages *console) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		model, _, err := readModel(path)
		if err != nil {
			return err
		}
		f, err := o.openJudged(docs, messages)
		if err != nil {
			return err
		}
		defer f.Close()
		s, err := o.newScorer(model, f.Workers())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if hasWeights(o.data) {
			err = o.listsWithWeights(ctx, f, sink, odd, func(*dataset.Meta) ([]float64, error) {
				_, scores, err := s.scoreAll(ctx, f)
				return scores, err
			})
		} else {
			err = o.grouped(ctx, func(ctx context.Context, emit func(group.Rows) error) error {
				*odd = oddities{}
				return f.Stream(ctx, s.scoreBlock, func(b *letor.Block) error { return odd.emitBlock(o.data, b, emit) })
			}, sink, odd)
		}
		if err == nil {
			messages.endProgress()
			s.remarks(messages)
		}
		return err
	}}
}

// scoreBlock fills in the scores of a block.
func (s *scorer) scoreBlock(worker int, b *letor.Block) error {
	for i := range b.Len() {
		if err := s.add(worker, b.Row(i)); err != nil {
			return err
		}
	}
	_, scores, err := s.take(worker)
	copy(b.Scores, scores)
	return err
}

// emitBlock hands on the rows of a block.
func (d *oddities) emitBlock(path string, b *letor.Block, emit func(group.Rows) error) error {
	if b.Queries == nil {
		return &letor.Error{Path: path, Err: letor.ErrNoQueries}
	}
	rows := group.Rows{Query: make([]string, b.Len()), Labels: b.Labels, Scores: b.Scores, Docs: b.Docs}
	for _, q := range b.Queries {
		for row := max(q.First, b.FirstRow); row < min(q.First+q.Len, b.FirstRow+b.Len()); row++ {
			rows.Query[row-b.FirstRow] = q.ID
		}
	}
	for _, score := range b.Scores {
		if math.IsNaN(score) {
			d.NaNScores++
		}
	}
	return emit(rows)
}

// hasWeights tells whether rows have weights, which are read with all rows.
func hasWeights(path string) bool {
	_, err := os.Stat(path + ".weight")
	return err == nil
}

// listsWithWeights makes the lists of rows with weights. Labels, weights and
// scores of all rows are in memory.
func (o *options) listsWithWeights(ctx context.Context, f *letor.File, sink group.Sink, odd *oddities, score func(*dataset.Meta) ([]float64, error)) error {
	meta, err := f.Scan(ctx, func(int) bool { return false }, nil)
	if err != nil {
		return err
	}
	scores, err := score(meta)
	if err != nil {
		return err
	}
	*odd = oddities{Rows: meta.NumRows()}
	sink.Reset()
	for _, q := range meta.Queries {
		if err := sink.Add(odd.weighted(meta, q, scores)); err != nil {
			return err
		}
	}
	return nil
}

// weighted is the list of a query's rows. The weight of a query is the mean of its
// rows', also of those that have no score.
func (d *oddities) weighted(meta *dataset.Meta, q dataset.Query, scores []float64) metric.List {
	l := metric.List{Query: q.ID}
	sum := 0.0
	for row := q.First; row < q.First+q.Len; row++ {
		if meta.Weights != nil {
			sum += meta.Weights[row]
		}
		if math.IsNaN(scores[row]) {
			d.NaNScores++
			l.Unranked = append(l.Unranked, meta.Labels[row])
			continue
		}
		l.Labels, l.Scores = append(l.Labels, meta.Labels[row]), append(l.Scores, scores[row])
		if meta.Docs != nil {
			l.Docs = append(l.Docs, meta.Docs[row])
		}
	}
	if meta.Weights == nil {
		return l
	}
	for range l.Labels {
		l.Weights = append(l.Weights, sum/float64(q.Len))
	}
	return l
}

// scoreReader reads one number a line. Blank lines at the end do not count.
type scoreReader struct {
	lines *bufio.Scanner
	name  string
	line  int
	blank int // blank lines since the last score
	count int // scores that were read
	ended bool
}

func newScoreReader(r io.Reader, name string) *scoreReader {
	return &scoreReader{lines: bufio.NewScanner(r), name: name}
}

// next reads a score; ok is false at the end.
func (r *scoreReader) next() (score float64, ok bool, err error) {
	for r.lines.Scan() {
		r.line++
		text := strings.TrimSpace(r.lines.Text())
		if text == "" {
			r.blank++
			continue
		}
		score, err := strconv.ParseFloat(text, 64)
		if r.blank > 0 {
			return 0, false, fmt.Errorf("%s:%d: a blank line where a score should be; write nan for a document without one", r.name, r.line-r.blank)
		}
		if err != nil {
			return 0, false, fmt.Errorf("%s:%d: %q is not a score; expected one number a line", r.name, r.line, text)
		}
		r.count++
		return score, true, nil
	}
	r.ended = true
	if err := r.lines.Err(); err != nil {
		return 0, false, fmt.Errorf("%s: %w", r.name, err)
	}
	return 0, false, nil
}

// fill reads a score for each entry of dst, as long as there are scores.
func (r *scoreReader) fill(dst []float64) error {
	for i := range dst {
		if r.ended {
			return nil
		}
		score, _, err := r.next()
		if err != nil {
			return err
		}
		dst[i] = score
	}
	return nil
}

// drain counts the scores that are left.
func (r *scoreReader) drain() error {
	for ok := !r.ended; ok; {
		var err error
		if _, ok, err = r.next(); err != nil {
			return err
		}
	}
	return nil
}

// allScores reads the scores of all rows.
func allScores(in *stream.Input, rows int) ([]float64, error) {
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	scores := newScoreReader(r, in.Name())
	all := make([]float64, rows)
	if err := scores.fill(all); err != nil {
		return nil, err
	}
	if err := scores.drain(); err != nil {
		return nil, err
	}
	if scores.count != rows {
		return nil, fmt.Errorf("%s: %d scores for %d rows of data; there must be one a line for each row", in.Name(), scores.count, rows)
	}
	return all, nil
}

// A TREC run and qrels.

// readQrels reads what is relevant.
func readQrels(path string) (*trec.Qrels, error) {
	in, err := stream.Open(path, stream.Options{Once: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return trec.ReadQrels(r, in.Name())
}

func (o *options) runRanking(path string, qrels *trec.Qrels) ranking {
	return ranking{path, func(ctx context.Context, sink group.Sink, odd *oddities) error {
		in, err := stream.Open(path, stream.Options{})
		if err != nil {
			return err
		}
		defer in.Close()
		err = o.joinRun(ctx, in, qrels, sink, odd, false)
		if errors.Is(err, trec.ErrQueryReturns) {
			err = o.joinRun(ctx, in, qrels, sink, odd, true)
		}
		return err
	}}
}

// joinRun makes the lists of a run: of its queries in the order of the run, and
// then of those of the qrels that it lacks. A run in which queries come back is
// read as a whole.
func (o *options) joinRun(ctx context.Context, in *stream.Input, qrels *trec.Qrels, sink group.Sink, odd *oddities, whole bool) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	*odd = oddities{Sorted: whole}
	sink.Reset()
	found := map[string]bool{}
	join := func(q trec.Query) error {
		judged, known := qrels.Judged[q.ID]
		found[q.ID] = true
		if !known {
			odd.QueriesNotKnown++
			return nil
		}
		list, unjudged := metric.Join(q.ID, q.Docs, q.Scores, judged)
		odd.Unjudged += unjudged
		odd.Rows += len(q.Docs)
		return errors.Join(context.Cause(ctx), sink.Add(list))
	}
	if err := eachQuery(r, in.Name(), whole, join); err != nil {
		return err
	}
	for _, id := range qrels.Queries {
		if found[id] {
			continue
		}
		odd.QueriesNotRun++
		if o.judging.absentQueries == absentZero {
			list, _ := metric.Join(id, nil, nil, qrels.Judged[id])
			if err := sink.Add(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachQuery calls join for the queries of a run.
func eachQuery(r io.Reader, name string, whole bool, join func(trec.Query) error) error {
	if whole {
		run, err := trec.ReadRun(r, name)
		if err != nil {
			return err
		}
		for _, q := range run.Queries {
			if err := join(q); err != nil {
				return err
			}
		}
		return nil
	}
	for q, err := range trec.StreamRun(r, name) {
		if err != nil {
			return err
		}
		if err := join(q); err != nil {
			return err
		}
	}
	return nil
}
