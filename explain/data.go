package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Options are the options of [Load]. Begin with [DefaultOptions].
type Options struct {
	Query   string // id of the only query; empty: a sample
	Queries int    // largest number of queries in the sample
	// names of the only documents whose contributions are needed, as for [Data.Pair]; empty: all
	Documents []string
	// rows with which contributions compare documents; 0: the training rows, from the counts in the model
	Background int
	Convention metric.Convention // of nDCG; without a name, that of the model's parameters
	Cutoff     int               // of nDCG; 0: all ranks
	Repeats    int               // permutations of the values of a feature
	Seed       uint64            // of the sample and the permutations
	Workers    int               // goroutines; 0 means GOMAXPROCS

	// Progress, if not nil, is called with how much of a part of the work is done, by several goroutines.
	Progress func(part string, done, of int)
}

// DefaultOptions returns the default values.
func DefaultOptions() Options {
	return Options{Queries: 200, Cutoff: 10, Repeats: 5, Seed: 1}
}

// Data is some queries with the values of their documents, and their scores and contributions.
type Data struct {
	Model  *tree.Ensemble // with only the features that scores depend on, and those whose context they depend on
	Meta   *dataset.Meta  // of the queries that were loaded, with all features
	Number []int          // of each row in the file, from 0
	Rows   []float64      // a value for each feature of the model, row after row
	Scores []float64

	Warnings, Notes []string // for users: how model and data match

	options       Options
	numbers       []int // of the features of Model in the whole model
	background    []float64
	byColumn      []float64 // contributions of the columns of the model, NumFeatures+1 a row
	contributions []float64 // of features, also NumFeatures+1 a row; byColumn itself without query context
}

// ErrUnknown means that the data does not have a query or a document. The text names the nearest one.
var ErrUnknown = errors.New("there is no")

// unknown returns the error for a name that is not in names.
func unknown(kind, name string, names []string) error {
	err := fmt.Errorf("%w %s %q", ErrUnknown, kind, name)
	if nearest := wording.Nearest(name, names); nearest != "" {
		err = fmt.Errorf("%w; the nearest is %q", err, nearest)
	}
	return err
}

// ErrNoTrees is the error for a model without trees.
var ErrNoTrees = errors.New("the model has no trees: there is nothing to explain")

// Load reads the documents that the options select, and computes their scores and contributions. src has the
// features of the model, as data.OpenFor returns them. The error may be an [ErrUnknown], one of src, or one
// of [tree.Ensemble.Contributions].
func Load(ctx context.Context, src dataset.Source, m *tree.Ensemble, o Options) (*Data, error) {
	if len(m.Trees) == 0 {
		return nil, ErrNoTrees
	}
	if o.Convention.Name == "" {
		var err error
		if o.Convention, err = conventionOf(m); err != nil {
			return nil, err
		}
	}
	d := &Data{options: o}
	d.Model, d.numbers = m.Narrowed()
	if c := m.QueryContext(); c != nil {
		src = widened.New(src, c, d.numbers)
	}
	whole, err := dataset.Describe(ctx, src)
	if err != nil {
		return nil, err
	}
	chosen, err := o.choose(whole)
	if err != nil {
		return nil, err
	}
	d.Meta, d.Number = whole.Select(chosen), whole.RowsOf(chosen)
	read, err := d.read(ctx, src, o.backgroundOf(whole.NumRows()))
	if err != nil {
		return nil, err
	}
	d.Warnings, d.Notes = fit(m, read)
	d.Warnings = slices.Concat(d.Warnings, d.unknownCategories())
	return d, d.explain(ctx)
}

// conventionOf returns the convention by which the training of a model judged it.
func conventionOf(m *tree.Ensemble) (metric.Convention, error) {
	parameters, _, _ := provenance.Parse(m.Parameters) // empty for a model of another program
	return training.JudgingOf(parameters).Convention()
}

// fit describes how the features of data and model differ.
func fit(m *tree.Ensemble, meta *dataset.Meta) (warnings, notes []string) {
	s := scoring.Summary{Rows: meta.NumRows(), Data: meta.NumFeatures() - 1, Model: m.NumFeatures() - 1,
		Used: -1, Noticed: meta.Remarks}
	if used := m.UsedFeatures(); m.QueryContext() == nil && len(used) > 0 {
		s.First, s.Used = used[0], used[len(used)-1]
	}
	return s.Remarks()
}

// unknownCategories returns a warning for each feature of which the model knows no category.
func (d *Data) unknownCategories() []string {
	watch := provenance.NewWatch(provenance.KnownCategories(d.Model))
	provenance.WatchRows(watch, d.Rows, d.Model.NumFeatures())
	return provenance.Sentences(watch.Found())
}

// choose returns the numbers of the queries, ascending.
func (o *Options) choose(meta *dataset.Meta) ([]int, error) {
	if o.Query != "" {
		return named(meta, o.Query)
	}
	order, key := make([]int, len(meta.Queries)), random.New(o.Seed, random.ExplainedQuery, 0)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key.Uint64(a), key.Uint64(b)) })
	order = order[:min(len(order), max(1, o.Queries))]
	slices.Sort(order)
	return order, nil
}

// named returns the number of the query with an id, in a slice.
func named(meta *dataset.Meta, id string) ([]int, error) {
	ids := make([]string, len(meta.Queries))
	for i, q := range meta.Queries {
		ids[i] = q.ID
	}
	if i := slices.Index(ids, id); i >= 0 {
		return []int{i}, nil
	}
	return nil, unknown("query", id, ids)
}

// backgroundOf returns the numbers of the background rows, ascending.
func (o *Options) backgroundOf(rows int) []int {
	if o.Background == 0 {
		return nil
	}
	drawn, key := map[int]bool{}, random.New(o.Seed, random.ExplainedQuery, 1)
	for i := 0; len(drawn) < min(o.Background, rows); i++ {
		drawn[int(key.Float64(i)*float64(rows))] = true
	}
	numbers := make([]int, 0, len(drawn))
	for row := range drawn {
		numbers = append(numbers, row)
	}
	slices.Sort(numbers)
	return numbers
}

// read reads the values of the rows, and of the background.
func (d *Data) read(ctx context.Context, src dataset.Source, background []int) (*dataset.Meta, error) {
	if err := d.checkMemory(len(background)); err != nil {
		return nil, err
	}
	n := d.Model.NumFeatures()
	d.Rows, d.background = make([]float64, len(d.Number)*n), make([]float64, len(background)*n)
	places := map[int][][]float64{} // of the values of each row
	for at, row := range d.Number {
		places[row] = append(places[row], d.Rows[at*n:][:n])
	}
	for at, row := range background {
		places[row] = append(places[row], d.background[at*n:][:n])
	}
	keep := func(row int) bool { return places[row] != nil }
	return dataset.Scan(ctx, src, keep, func(_ int, row dataset.Row) error {
		for _, values := range places[row.Number] {
			d.fill(values, row)
		}
		return nil
	})
}

// checkMemory returns an error if the values and the contributions, and what is computed from them, do not
// fit into memory.
func (d *Data) checkMemory(background int) error {
	n, rows, arrays, advice := d.Model.NumFeatures(), len(d.Number), 2, "a model of fewer features needs less"
	if d.Model.QueryContext() != nil {
		arrays++ // contributions by column
	}
	shares := 0
	switch o := &d.options; {
	case o.Query == "": // each worker permutes a copy of the values
		arrays += min(par.Threads(o.Workers), n)
		advice = "a smaller sample_queries= or num_threads= needs less"
	case len(o.Documents) == 0: // the order has all shares of each document
		const ofShare = 72
		shares = ofShare * len(d.Model.UsedFeatures()) * rows
	}
	return limits.Check(8*n*(arrays*rows+background)+shares, "explaining this many documents", advice)
}

// fill sets the values of the features of Model, which are 0, to those of a row.
func (d *Data) fill(values []float64, row dataset.Row) {
	at := 0
	for i, f := range row.Feature {
		for at < len(values) && d.numbers[at] < int(f) {
			at++
		}
		if at < len(values) && d.numbers[at] == int(f) {
			values[at] = row.Value[i]
		}
	}
}

// explain scores the rows and computes their contributions.
func (d *Data) explain(ctx context.Context) error {
	n, width := d.Model.NumFeatures(), d.Model.NumFeatures()+1
	d.Scores, d.byColumn = make([]float64, len(d.Number)), make([]float64, len(d.Number)*width)
	pool := par.New(d.options.Workers)
	defer pool.Close()
	errs, done := make([]error, pool.Workers()), d.options.counter("contributions of documents", len(d.Number))
	pool.Blocks(len(d.Number), 64, func(worker, from, to int) {
		if ctx.Err() != nil {
			return
		}
		defer done(to - from)
		rows, dst := d.Rows[from*n:to*n], d.byColumn[from*width:to*width]
		err := d.Model.Score(d.Scores[from:to], rows)
		switch {
		case !d.explained(from, to):
		case err == nil && d.options.Background == 0:
			err = d.Model.Contributions(dst, rows, to-from)
		default: // one by one, which can take long: a canceled run ends soon
			for row := from; row < to && err == nil && ctx.Err() == nil; row++ {
				err = d.Model.ContributionsAgainst(d.byColumn[row*width:][:width], d.row(row), 1, d.background,
					len(d.background)/n)
			}
		}
		errs[worker] = cmp.Or(errs[worker], err)
	})
	d.contributions = d.byFeature()
	return cmp.Or(context.Cause(ctx), errors.Join(errs...))
}

// explained reports whether the contributions of one of some rows are needed.
func (d *Data) explained(from, to int) bool {
	for row := from; row < to; row++ {
		if len(d.options.Documents) == 0 || slices.Contains(d.options.Documents, d.name(row)) {
			return true
		}
	}
	return false
}

// counter returns a function that counts what is done of a part of the work, and tells Progress.
func (o *Options) counter(part string, all int) func(n int) {
	if o.Progress == nil {
		return func(int) {}
	}
	var done atomic.Int64
	return func(n int) { o.Progress(part, int(done.Add(int64(n))), all) }
}

// byFeature sums the contributions of columns by feature.
func (d *Data) byFeature() []float64 {
	if d.Model.QueryContext() == nil {
		return d.byColumn
	}
	all := make([]float64, 0, len(d.byColumn))
	for row := range d.Number {
		all = append(append(all, d.owned(d.ofColumns(row))...), 0)
	}
	return all
}

// row returns the values of a row.
func (d *Data) row(row int) []float64 {
	return d.Rows[row*d.Model.NumFeatures():][:d.Model.NumFeatures()]
}

// of returns the contributions of features to the score of a row, without the mean score.
func (d *Data) of(row int) []float64 { return d.line(d.contributions, row) }

// ofColumns returns the contributions of the columns of the model to the score of a
// row, without the mean score.
func (d *Data) ofColumns(row int) []float64 { return d.line(d.byColumn, row) }

func (d *Data) line(contributions []float64, row int) []float64 {
	width := d.Model.NumFeatures() + 1
	return contributions[row*width:][:width-1]
}

// name returns the name of a row's document: its id or, if it has none, the number of the row in the file,
// from 1.
func (d *Data) name(row int) string {
	if d.Meta.Docs != nil && d.Meta.Docs[row] != "" {
		return d.Meta.Docs[row]
	}
	return strconv.Itoa(d.Number[row] + 1)
}
