package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/rowblock"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// loaded is a model that the parent process may ask about, with cached conversions.
type loaded struct {
	model   lambdamart.Model
	scorers map[treeRange]scorer // of the output "scores"
	known   []provenance.Known
}

// treeRange is n trees of a model, beginning with tree number from, and the kind of their scores.
type treeRange struct{ from, n, kind int }

// Kinds of scores. Others are predictions.
const (
	rawScores     = 1
	probabilities = 2
)

// load reads a model of any format.
func (s *server) load(_ context.Context, q *request) (event, pieces, error) {
	var m lambdamart.Model
	var err error
	if q.Path != "" {
		m, err = lambdamart.ReadModel(q.Path)
	} else {
		m, err = q.model()
	}
	if err != nil {
		return nil, nil, err
	}
	s.next++
	known := provenance.KnownCategories(m)
	s.models[s.next] = &loaded{m, map[treeRange]scorer{}, known}
	names := m.FeatureNames()
	if names == nil {
		names = []string{}
	}
	result := event{"model": s.next, "features": names, "used": m.UsedFeatures(), "trees": 0,
		"ranker": "lambdamart", "raw": len(names), "context": "", "single": false,
		"remark": scoring.RemarkOf(m)}
	judging := lambdamart.JudgedBy(m)
	if result["watched"] = 0; known != nil {
		result["watched"] = provenance.LeastUnknown // rows from which the request "score" says watch
	}
	result["convention"], result["gain"] = judging.MetricConvention, judging.LabelGain.String()
	if c := widened.Of(m); c != nil {
		result["raw"], result["context"], result["used"] = c.Raw, c.String(), c.Sources(m.UsedFeatures())
	}
	switch m := m.(type) {
	case *tree.Ensemble:
		result["trees"], result["single"] = len(m.Trees), m.Context == nil
	case *nnbaseline.Model:
		result["ranker"] = m.Ranker()
	}
	return result, nil, nil
}

// model reads the model in the payload. Parsing a large one leaves garbage of several times its size, which
// goes back to the system: this process may last long.
func (q *request) model() (lambdamart.Model, error) {
	const large = 1 << 20
	content := bytes.NewReader(q.payload)
	q.payload = nil // it need not stay while the model is parsed
	m, err := lambdamart.ReadModelFrom(content)
	if content.Size() >= large {
		debug.FreeOSMemory()
	}
	return m, err
}

func (s *server) find(q *request) (*loaded, error) {
	m, ok := s.models[q.Model]
	if !ok {
		return nil, fmt.Errorf("there is no model %d", q.Model)
	}
	if q.From < 0 {
		return nil, fmt.Errorf("the first tree has the number %d", q.From)
	}
	if e, ok := m.model.(*tree.Ensemble); ok && q.From > 0 && q.From >= len(e.Trees) {
		return nil, fmt.Errorf("start_iteration=%d: the model has %d trees, numbered from 0", q.From, len(e.Trees))
	}
	return m, nil
}

var errNetwork = errors.New("only models of trees have that; this one is a network, which gives scores alone")

// trees returns the model, which must be one of trees.
func (s *server) trees(q *request) (*tree.Ensemble, error) {
	m, err := s.find(q)
	if err != nil {
		return nil, err
	}
	if e, ok := m.model.(*tree.Ensemble); ok {
		return e, nil
	}
	return nil, errNetwork
}

func (s *server) free(_ context.Context, q *request) (event, pieces, error) {
	delete(s.models, q.Model)
	return nil, nil, nil
}

// text returns the model in its text format.
func (s *server) text(_ context.Context, q *request) (event, pieces, error) {
	m, err := s.find(q)
	if err != nil {
		return nil, nil, err
	}
	var text pieces
	err = lambdamart.WriteModelTo(&text, m.model)
	return nil, text, err
}

// importance returns the importance of each feature, by splits and then by gain.
func (s *server) importance(_ context.Context, q *request) (event, pieces, error) {
	e, err := s.trees(q)
	if err != nil {
		return nil, nil, err
	}
	return nil, pieces{littleEndian(append(e.Importance(tree.BySplit), e.Importance(tree.ByGain)...))}, nil
}

// littleEndian returns the bytes of numbers.
func littleEndian(numbers []float64) []byte {
	b := make([]byte, 0, 8*len(numbers))
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// part returns a part of a model of trees. A network has no parts.
func (m *loaded) part(p treeRange) (lambdamart.Model, error) {
	whole := m.model
	if e, ok := whole.(*tree.Ensemble); ok {
		whole = e.Part(p.from, p.n)
	} else if p.from > 0 || p.n > 0 {
		return nil, errNetwork
	}
	switch p.kind {
	case rawScores:
		return whole, nil
	case probabilities:
		return lambdamart.Probabilities(whole)
	}
	return lambdamart.Predictions(whole), nil
}

// scorer computes a fixed number of outputs for each row.
type scorer struct {
	compiled lambdamart.Model // the part of the model in its fastest form; nil unless the outputs are scores

	names   []string                                  // of the values of a row
	inputs  int                                       // number of them
	outputs int                                       // numbers computed for a row
	score   func(dst, rows []float64) error           // scores rows
	single  func(dst []float64, rows []float32) error // the same for float32; nil if not supported
	// infinite values are allowed: they are only compared with thresholds
	compares bool
	// rows of each query, which must be scored as a whole; nil: rows are independent
	sizes []int
}

// scorer returns the scorer for the scores of a part of the model.
func (m *loaded) scorer(p treeRange) (scorer, error) {
	if sc, ok := m.scorers[p]; ok {
		return sc, nil
	}
	whole, err := m.part(p)
	if err != nil {
		return scorer{}, err
	}
	c, err := lambdamart.Compile(whole)
	if err != nil {
		return scorer{}, err
	}
	sc := scorer{compiled: c, names: m.model.FeatureNames(), inputs: m.model.NumFeatures(), outputs: 1,
		score: c.Score, compares: tree.Compares(m.model)}
	if trees, ok := c.(*tree.Scorer); ok {
		sc.single = trees.Score32
	}
	m.scorers[p] = sc
	return sc, nil
}

// scorer returns the scorer for the requested output.
func (s *server) scorer(q *request) (scorer, error) {
	m, err := s.find(q)
	if err != nil {
		return scorer{}, err
	}
	if q.Output == "scores" {
		return m.scorer(treeRange{q.From, q.N, q.Kind})
	}
	e, err := s.trees(q)
	if err != nil {
		return scorer{}, err
	}
	e = e.Part(q.From, q.N)
	sc := scorer{names: m.model.FeatureNames(), inputs: m.model.NumFeatures(), compares: tree.Compares(e)}
	switch q.Output {
	case "leaves":
		sc.outputs, sc.score = len(e.Trees), func(dst, rows []float64) error { return leaves(e, dst, rows) }
	case "contributions":
		n := sc.inputs + 1
		sc.outputs, sc.score = n, func(dst, rows []float64) error { return e.Contributions(dst, rows, len(dst)/n) }
	default:
		err = fmt.Errorf("there is no output %q", q.Output)
	}
	return sc, err
}

var errNoSizes = errors.New("the model has query context, so that scores depend on all documents of a " +
	"query: give qid or group")

// ofQueries returns a scorer for rows with the raw features of a model, which computes query context. It
// returns sc if the model has none.
func (sc scorer) ofQueries(m lambdamart.Model, q *request) (scorer, error) {
	c := widened.Of(m)
	if c == nil {
		return sc, nil
	}
	rows := 0
	for _, n := range q.Sizes {
		if n < 1 {
			return scorer{}, fmt.Errorf("a query has %d rows", n)
		}
		rows += n
	}
	if rows != q.Rows {
		return scorer{}, errNoSizes
	}
	whole, features := sc.score, widened.FeaturesOf(m)
	sc.single = nil
	sc.names, sc.inputs, sc.sizes = sc.names[:c.Raw], c.Raw, q.Sizes
	sc.score = func(dst, rows []float64) error {
		return whole(dst, features.Rows(rows, len(dst)/max(1, sc.outputs)))
	}
	return sc, nil
}

func leaves(e *tree.Ensemble, dst, rows []float64) error {
	if len(e.Trees) == 0 {
		return nil
	}
	numbers := make([]int32, len(dst))
	if err := e.Leaves(numbers, rows, len(dst)/len(e.Trees)); err != nil {
		return err
	}
	for i, n := range numbers {
		dst[i] = float64(n)
	}
	return nil
}

// score reads rows from the beginning of the buffer, row-major, and writes numbers after them.
func (s *server) score(ctx context.Context, q *request) (event, pieces, error) {
	sc, err := s.scorer(q)
	if err != nil {
		return nil, nil, err
	}
	if sc, err = sc.ofQueries(s.models[q.Model].model, q); err != nil {
		return nil, nil, err
	}
	memory, err := s.buffer.bytes(q.Size)
	if err != nil {
		return nil, nil, err
	}
	numbers, err := arrays.Numbers[float64](memory, q.Numbers, q.Rows*sc.outputs)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case q.Sparse != nil:
		err = s.scoreSparse(ctx, sc, numbers, memory, q)
	case q.Single:
		err = scoreBuffer(sc, watched(s, q, sc, sc.single), numbers, memory, q)
	default:
		err = scoreBuffer(sc, watched(s, q, sc, sc.score), numbers, memory, q)
	}
	return event{"outputs": sc.outputs, "warnings": notNil(provenance.Sentences(s.watch.Found()))}, nil, err
}

// The values of a request's field watch.
const (
	beginWatch = 1 // on the first rows of some
	goOnWatch  = 2
)

// watched returns a function that scores rows and, if the request says so, watches their categories.
func watched[F float32 | float64](s *server, q *request, sc scorer,
	score func(dst []float64, rows []F) error) func(dst []float64, rows []F) error {
	switch q.Watch {
	case beginWatch:
		s.watch = provenance.NewWatch(s.models[q.Model].known)
	case goOnWatch:
	default:
		s.watch = nil
	}
	watch := s.watch
	if watch == nil || score == nil {
		return score
	}
	return func(dst []float64, rows []F) error {
		provenance.WatchRows(watch, rows, sc.inputs)
		return score(dst, rows)
	}
}

// watchedModel is a model of whose rows the categories are watched.
type watchedModel struct {
	lambdamart.Model
	score func(dst, rows []float64) error
}

func (m watchedModel) Score(dst, rows []float64) error { return m.score(dst, rows) }

var errSparse = errors.New("rows of a sparse matrix have scores only, of models without query context")

// scoreSparse scores the rows of a sparse matrix in time that follows its nonzero values.
func (s *server) scoreSparse(ctx context.Context, sc scorer, numbers []float64, memory []byte,
	q *request) error {
	m := s.models[q.Model]
	if q.Output != "scores" || widened.Of(m.model) != nil {
		return errSparse
	}
	rows, err := q.Sparse.Unlabeled(memory, q.Rows, sc.names, arrays.Options{Workers: q.Threads,
		Infinite: sc.compares})
	if err != nil {
		return err
	}
	of := watchedModel{sc.compiled, watched(s, q, sc, sc.score)}
	scored, err := scoring.Scores(of).All(ctx, rows)
	if err == nil {
		copy(numbers, scored.Numbers)
	}
	return err
}

var errSingle = errors.New("the model scores rows of float64 only")

func scoreBuffer[F float32 | float64](sc scorer, score func([]float64, []F) error, numbers []float64,
	memory []byte, q *request) error {
	if score == nil {
		return errSingle
	}
	rows, err := arrays.Numbers[F](memory, 0, q.Rows*sc.inputs)
	if err != nil {
		return err
	}
	starts := sc.starts(q.Rows)
	return inBatches(len(starts)-1, q.Threads, func(i int) error {
		from, to := starts[i], starts[i+1]
		batch := rows[from*sc.inputs : to*sc.inputs]
		if at := rowblock.Infinite(batch); at >= 0 && !sc.compares {
			return fmt.Errorf("row %d, feature %q: %v: %w", from+at/sc.inputs, sc.names[at%sc.inputs], batch[at],
				dataset.ErrValueFinite)
		}
		err := score(numbers[from*sc.outputs:to*sc.outputs], batch)
		var inRow scoring.RowError
		if errors.As(err, &inRow) {
			inRow.Renumber(func(row int) int { return from + row })
		}
		return err
	})
}

// batchRows is the number of rows that a goroutine scores at a time.
const batchRows = 256

// inBatches runs tasks in several goroutines. Each task has its own rows, so the number of goroutines does
// not affect the result.
func inBatches(n, threads int, task func(i int) error) error {
	if n == 1 { // without the workers, which take longer than a few rows
		return task(0)
	}
	return par.Try(min(par.Threads(threads), max(1, n)), n, task)
}

// starts returns where the batches of n rows begin, and where the last one ends. If queries are scored as a
// whole, each is a batch.
func (sc scorer) starts(n int) []int {
	starts := []int{0}
	for _, size := range sc.sizes {
		starts = append(starts, starts[len(starts)-1]+size)
	}
	for end := starts[len(starts)-1]; end < n; {
		end = min(n, end+batchRows)
		starts = append(starts, end)
	}
	return starts
}

// scoreFile scores the rows of a data file and returns the numbers as payload.
func (s *server) scoreFile(ctx context.Context, q *request) (event, pieces, error) {
	m, err := s.find(q)
	if err != nil {
		return nil, nil, err
	}
	layout := data.DefaultLayout()
	if err := read(&layout, q.Params); err != nil {
		return nil, nil, err
	}
	part, err := m.part(treeRange{q.From, q.N, q.Kind})
	if err != nil {
		return nil, nil, err
	}
	scores, summary, err := lambdamart.Score(ctx, part, q.Path,
		data.Options{Layout: layout, Workers: q.Threads})
	if err != nil {
		return nil, nil, err
	}
	warnings, notes := summary.Remarks()
	return event{"warnings": notNil(warnings), "notes": notNil(notes)}, pieces{littleEndian(scores)}, nil
}

// read sets parameters of reading files. Those of training have no effect on scores, and are errors.
func read(layout *data.Layout, params []param.Setting) error {
	training := lambdamart.DefaultParams()
	for _, s := range params {
		row := training.Table().Find(s.Name)
		if row == nil || layout.Table().Find(s.Name) != nil {
			continue
		}
		return fmt.Errorf("%v: %s", s, cmp.Or(cli.OfModels(row.Name),
			"it is a parameter of training, and scores depend on the model: leave it out"))
	}
	_, err := layout.Table().Apply(params)
	return err
}

func notNil(list []string) []string { return append([]string{}, list...) }

// calibrate returns the text of the model with a calibration. The payload has the scores of all rows, their
// labels, their weights, and the number of rows of each query.
func (s *server) calibrate(ctx context.Context, q *request) (event, pieces, error) {
	m, err := s.find(q)
	if err != nil {
		return nil, nil, err
	}
	numbers := make([]float64, len(q.payload)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(q.payload[8*i:]))
	}
	if q.Rows < 0 || len(numbers) < 3*q.Rows {
		return nil, nil, fmt.Errorf("%d numbers for %d rows", len(numbers), q.Rows)
	}
	n := q.Rows
	meta := &dataset.Meta{Labels: numbers[n : 2*n], Weights: numbers[2*n : 3*n]}
	first := 0
	for _, size := range numbers[3*n:] {
		if !(size >= 0 && first+int(size) <= n) {
			return nil, nil, fmt.Errorf("the queries have more than %d rows", n)
		}
		meta.Queries = append(meta.Queries, dataset.Query{First: first, Len: int(size)})
		first += int(size)
	}
	of := tree.Event{Grade: q.Event}
	c, err := evaluate.Calibrate(ctx, q.Calibration, meta, numbers[:n], of)
	if err != nil {
		return nil, nil, err
	}
	fitted, err := lambdamart.Calibrated(m.model, c)
	if err != nil {
		return nil, nil, err
	}
	var text pieces
	err = lambdamart.WriteModelTo(&text, fitted)
	warnings := train.CalibrationCautions(m.model, meta, of)
	return event{"calibration": c.Kind, "warnings": notNil(warnings)}, text, err
}
