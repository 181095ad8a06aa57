// Package data opens ranking data in any form, and loads all that a training run needs.
//
// # Opening
//
// [Open] opens a file by its content: LETOR text, a table, which is CSV, TSV or Parquet, in one file or in a
// folder of parts, or arrays of another program. Text may be compressed by gzip or zstd, and "-" is standard
// input. The result is a [dataset.File]: it is read in parallel, as often as needed, and none of its
// values are kept.
//
//	2 qid:10 1:3 2:0.5 # docid = D7     LETOR text: label, query, features by number, perhaps a document
//	grade,qid,bm25,price                a table, whose first line may name the columns
//
// Columns of a table are chosen as in LightGBM, by name ("name:relevance" or "relevance") or by number from
// 0. The number of the label column counts all columns; other numbers do not count the label column. All
// other columns are features, numbered by their place without the label. Columns of queries and weights and
// ignored columns keep their numbers, as features that are zero in all rows. Data that is read for a model
// ([Options].Features) is matched to it by name. Companion files may be beside the data, with its name and
// an ending ([Companions]): .query, .weight, .init, .label.NAME, .position, and XGBoost's .group and
// .base_margin.
//
// [Write] writes data in the same forms. [OpenScores] opens a table of documents that have scores already.
//
// # Loading
//
// [Load] reads training data and validation sets for boosted trees. The bins of the features are
// found in the training data, and all sets are binned by them; the columns of tables are matched to
// the training data's features by name. A set can also be binned data, which lambdamart bin or
// [Loader.Store] stored: it is mapped into memory and not read.
//
//	path ── Open ──► dataset.File ── internal/histogram ──► Set: Meta, Bins
//	     └─ binned data ----------------------------------┘
//
// With [LoadOptions].QueryContext, rows get columns of query context as they are read, which are binned like
// others.
//
// An [Input] may be data in memory (dataset.FromRows, dataset.NewDense) and any other dataset.Source. [Each]
// opens the same sets for a caller that keeps values in a form of its own instead of bins, such as a neural
// network (nnbaseline.Read). A [Loader] loads one set at a time.
//
// What a user should know about the data, such as features that are ignored, is returned in
// [Set.Remarks]. Nothing is printed.
package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/binned"
	"github.com/lambdamart/lambdamart/tree"
)

// LoadOptions control how the sets of a training run are loaded. The zero value detects everything from
// the data.
type LoadOptions struct {
	Layout

	// QueryContext are the kinds of query context, such as "rank", for which the sets get columns after their
	// own features, and QueryContextFeatures are the features of the training data that have them, as in the
	// parameters of these names. They must be zero for [Each].
	QueryContext         []string
	QueryContextFeatures string

	// Given are the names of the parameters that the caller insists on, of max_bin, min_data_in_bin,
	// bin_construct_sample_cnt, use_missing, zero_as_missing, feature_base and query_context. Binned training
	// data that was made with other values of these is an error, [ErrBinning]; for the others, the values that
	// it was made with replace the caller's.
	Given []string

	// Peers, if not nil, share the data: each loads a part of every set. Files are the same for all peers.
	Peers dataset.Peers

	Docs     []string                             // sets whose document ids are read; stored bins have none
	Workers  int                                  // goroutines that read; 0 means GOMAXPROCS
	Progress func(path string, read, total int64) // as in Options
	// if not nil, is called when a set is complete, before the next is begun
	Loaded func(s *Set)

	// InitialModel, if not nil, is the model that a training run continues from: its scores become part of
	// the initial scores of each set, in another pass over the data. Binned data is refused then, with
	// [ErrBinnedBeginning].
	InitialModel *tree.Ensemble
}

// Loader loads the sets of a training run one at a time, so that each can be released before the next
// one is loaded. The first set determines the bins, or the file of [Loader.Reference]. Close it
// after use.
type Loader struct {
	opts   LoadOptions
	params BinParams // with which bins are found; of binned data, those that it was made with

	mapper  *histogram.Mapper   // nil before the first set
	columns *dataset.Meta       // description of the features of mapper, without rows
	texts   map[string][]string // of the initial model's features, by name
	before  *tree.Ensemble      // the initial model with these features, as a sum; nil if there is none
	used    []int               // numbers of the features that it depends on
	files   []*binned.File      // that are mapped

	initial *bool // whether the first set has initial scores; nil before it

	several bool   // more than one set is loaded; later ones may be tables
	tables  bool   // a set that was opened is a table
	letor   string // path of the first set that is LETOR text, empty before it
	stored  string // path of the first set that is binned, empty before it
}

// NewLoader returns a loader that finds bins with the given parameters.
func NewLoader(p BinParams, o LoadOptions) *Loader {
	if m := o.InitialModel; m != nil && provenance.NumberingOf(m) == dataset.FromOne {
		o.FeatureBase = 1
	}
	return &Loader{opts: o, params: p, columns: &dataset.Meta{}}
}

// Close unmaps binned data: sets of it must not be used afterwards.
func (l *Loader) Close() error {
	var all error
	for _, f := range l.files {
		all = errors.Join(all, f.Close())
	}
	l.files = nil
	return all
}

// errFirst means that no earlier set has determined the bins.
var errFirst = errors.New("Loader.Add comes after Loader.Training or Loader.Reference, which bring " +
	"the bins")

// Training loads the set that determines the bins. It is called before [Loader.Add].
func (l *Loader) Training(ctx context.Context, in Input) (*Set, error) {
	if m := l.opts.InitialModel; m != nil {
		if err := m.Validate(); err != nil {
			return nil, err
		}
		l.texts = make(map[string][]string, len(m.Dictionaries))
		for f, words := range m.Dictionaries {
			l.texts[m.Features[f].Name] = words
		}
	}
	return l.load(ctx, &Set{Name: TrainingSet, Path: in.Path}, in, l.findBins)
}

// Add loads another set, which gets the bins of the first one.
func (l *Loader) Add(ctx context.Context, name string, in Input) (*Set, error) {
	if l.mapper == nil {
		return nil, errFirst
	}
	return l.load(ctx, &Set{Name: name, Path: in.Path}, in, l.bin)
}

// load opens data and calls read, unless it is binned data. start is the time at which it begins.
func (l *Loader) load(ctx context.Context, s *Set, in Input,
	read func(ctx context.Context, s *Set, src dataset.Source, start time.Time) (*Set, error)) (*Set, error) {
	start, isFirst := time.Now(), l.mapper == nil
	switch {
	case in.Source != nil:
		return read(ctx, s, in.Source, start)
	case binned.Is(in.Path):
		return l.mapFile(s)
	}
	src, err := l.open(s.Name, in.Path, l.features())
	if err != nil {
		return nil, err
	}
	defer src.Close()
	s.noteColumns(src)
	name := s.called()
	s, err = read(ctx, s, src.source(), start)
	if err != nil && arrays.Is(in.Path) && !strings.Contains(err.Error(), name) {
		return nil, fmt.Errorf("%s: %w", name, err) // arrays have no name of their own
	}
	if err == nil && isFirst {
		err = l.checkIDs(ctx, s, src)
	}
	return s, err
}

// open opens data of a set that is read several times.
func (l *Loader) open(set, path string, features *dataset.Features) (*File, error) {
	f, err := Open(path, Options{Layout: l.opts.Layout, Features: features, Pairs: true,
		Docs: slices.Contains(l.opts.Docs, set), Categorical: l.params.Categorical, begin: l.texts,
		Workers: l.opts.Workers, Progress: l.opts.Progress, Peers: l.opts.Peers,
		amongOthers: l.several || l.tables || l.opts.InitialModel != nil})
	switch {
	case err != nil:
		return nil, err
	case f.Table:
		l.tables = true
	case l.letor == "":
		l.letor = path
	}
	return f, nil
}

// findBins reads the set that determines the bins. start is the time at which it was opened.
func (l *Loader) findBins(ctx context.Context, s *Set, src dataset.Source, start time.Time) (*Set, error) {
	src, err := l.ask(ctx, src)
	if err != nil {
		return nil, err
	}
	sample, err := histogram.Read(ctx, src, l.params)
	if err != nil {
		return nil, err
	}
	read := time.Now()
	if s.Bins, err = sample.Bin(ctx, src); err != nil {
		return nil, err
	}
	s.Reading, s.Binning = read.Sub(start), time.Since(read)
	s.Meta = numbered(sample.Meta, src, sample.Mapper)
	for _, text := range sample.Remarks {
		s.remark(Remark{IsWarning: true}, "%s: %s", s.called(), text)
	}
	l.params.Categorical = sample.Mapper.CategoricalFeatures()
	l.mapper, l.columns = sample.Mapper, columnsOf(s.Meta)
	if err := l.match(s, src); err != nil {
		return nil, err
	}
	return l.complete(ctx, s, src)
}

// fileOf returns the file that a source reads; nil if it is none.
func fileOf(src dataset.Source) *File {
	if wide, ok := src.(*widened.Source); ok {
		src = wide.Source
	}
	f, _ := src.(*File)
	return f
}

// numbered returns the description of training data with the numbering of LETOR text that has feature 0.
func numbered(meta *dataset.Meta, src dataset.Source, m *histogram.Mapper) *dataset.Meta {
	f := fileOf(src)
	if f == nil || f.Table || f.Numbering == dataset.FromOne || len(m.Features) == 0 ||
		m.Features[0].Constant() {
		return meta
	}
	own := *meta // a source may keep it
	own.Numbering = dataset.FromZero
	return &own
}

// bin reads a set that gets the bins of the first one.
func (l *Loader) bin(ctx context.Context, s *Set, src dataset.Source, start time.Time) (_ *Set, err error) {
	src = l.widen(src)
	if s.Bins, s.Meta, err = l.mapper.Bin(ctx, src); err != nil {
		return nil, err
	}
	s.Binning = time.Since(start)
	switch more := l.more(s, src); {
	case more > 0:
		s.remark(Remark{IsWarning: true, OfFile: true},
			"%s: has %s more than the training data; %s ignored", s.called(), wording.Count(more, "feature"),
			wording.Agree(more, "it is", "they are"))
	case more < 0 && (s.Path == "" || arrays.Is(s.Path)):
		s.remark(Remark{IsWarning: true},
			"%s: has %s fewer than the training data; %s as zero", s.called(), wording.Count(-more, "feature"),
			wording.Agree(-more, "it counts", "they count"))
	}
	return l.complete(ctx, s, src)
}

// compareInitialScores adds a remark if only one of the training data and another set has initial scores.
func (l *Loader) compareInitialScores(s *Set) {
	has := s.Meta.InitialScores != nil
	switch {
	case s.Name == TrainingSet || l.initial == nil:
		l.initial = &has
	case *l.initial && !has:
		s.remark(Remark{IsWarning: true},
			"%s has no initial scores, and the training data has: its metrics are those "+
				"of the trees alone; give both or neither", s.called())
	case !*l.initial && has:
		s.remark(Remark{IsWarning: true},
			"%s has initial scores, and the training data has none: its metrics are not "+
				"those of the trees alone; give both or neither", s.called())
	}
}

// complete adds the remarks on a set and the scores at which it begins, and passes it to
// LoadOptions.Loaded. src is nil for data without values.
func (l *Loader) complete(ctx context.Context, s *Set, src dataset.Source) (*Set, error) {
	s.describe(l.params.Missing)
	if s.NotFeatures = s.Meta.Absent; len(l.columns.Features) > 0 {
		s.NotFeatures = l.columns.Absent // others lack only columns that training does not use
	}
	l.compareInitialScores(s)
	if s.Name != TrainingSet && !s.Meta.Part.Group().Any(s.Meta.AnyPairs()) {
		s.remark(Remark{IsWarning: true}, "%s: in none of the queries do the grades of documents differ, so that "+
			"ranking metrics are the same for every model; check the labels", s.called())
	}
	for _, more := range s.Meta.More {
		labeled, err := s.Meta.WithLabels(more.Name)
		if err == nil && !s.Meta.Part.Group().Any(labeled.AnyPairs()) {
			s.remark(Remark{IsWarning: true}, "%s: in none of the queries does the label %s of documents differ: "+
				"it teaches no order, and ranking metrics of it are the same for every model; check the label",
				s.called(), more.Name)
		}
	}
	if src != nil {
		if err := l.begin(ctx, s, src); err != nil {
			return nil, err
		}
	}
	if l.opts.Loaded != nil {
		l.opts.Loaded(s)
	}
	return s, nil
}

// features returns the features that other sets must have: those that can split, and the features of the
// model that training continues from. It returns nil before the first set.
func (l *Loader) features() *dataset.Features {
	if l.mapper == nil {
		return nil
	}
	used := []int{}
	for f := range l.mapper.Features {
		if _, ofModel := slices.BinarySearch(l.used, f); ofModel || !l.mapper.Features[f].Constant() {
			used = append(used, f)
		}
	}
	if c := l.columns.Context; c != nil {
		used = c.Sources(used)
	}
	return &dataset.Features{Names: l.columns.Features[:rawFeatures(l.columns)], Label: l.columns.LabelColumn,
		OfTraining: true, Used: used, Dictionaries: l.columns.Dictionaries, Numbering: l.columns.Numbering,
		NoZero: len(l.mapper.Features) > 0 && l.mapper.Features[0].Constant()}
}

// columnsOf returns the description of the columns in m without the rows, so that these can be released.
func columnsOf(m *dataset.Meta) *dataset.Meta {
	return &dataset.Meta{Features: m.Features, Context: m.Context, Dictionaries: m.Dictionaries,
		LabelColumn: m.LabelColumn, Absent: m.Absent, Numbering: m.Numbering}
}
