package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data/internal/binned"
	"github.com/lambdamart/lambdamart/io/data/internal/letor"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// ErrBinned means that data is binned where feature values are needed. [Load] accepts binned data.
var ErrBinned = errors.New("binned data, which no longer has feature values: give the data that it was " +
	"made from")

// Options control how a file is opened. The zero value is for training data whose layout
// is detected from its content.
type Options struct {
	Layout

	// Features are the features of the model, or of the training data, to which the columns of a table are
	// matched by name. nil makes all columns but the label features themselves.
	Features *dataset.Features

	// Categorical chooses the features of training data whose texts become categories, in the form of
	// histogram.BinParams. The first pass over the rows reads the file twice to find the texts.
	Categorical string

	NoLabels bool // the file is read to be scored: a table may lack labels, which are not read
	// Docs reads document ids, which take memory: LETOR text has them in comments, tables in Layout.Document.
	Docs bool

	// Pairs and InitialScores say that the caller reads pairs of documents and initial scores. Arrays with pairs
	// are refused otherwise, and of initial scores [OpenFor] warns.
	Pairs, InitialScores bool

	// Once promises that the file is read only once, so that standard input
	// and pipes need not be copied to a temporary file first.
	Once bool

	// Workers is the number of goroutines that read; 0 means GOMAXPROCS.
	Workers int

	// Progress, if not nil, is called from time to time with the number of stored bytes read in the current
	// pass over the file, and the total, or -1 if it is not known. All workers call it, concurrently and
	// perhaps slightly out of order; it should return quickly.
	Progress func(path string, read, total int64)

	// Peers, if not nil, share the data: the file is this peer's part of it ([File.Part]). The path and the
	// options are the same for all peers, which call Open and Blocks together.
	Peers dataset.Peers

	amongOthers bool                // other files have the same layout, and may be tables
	begin       map[string][]string // as in table.Options
}

// Companions returns the endings of the files beside the data at path that are read with it, such as
// ".weight". Those of further labels, such as ".label.cart", are among them if the files exist.
func Companions(path string) []string { return rows.Endings(path) }

// IsBinned reports whether the file or folder at path is binned data.
func IsBinned(path string) bool { return binned.Is(path) }

// IsTable reports whether the data at path is a table or arrays, according to the layout or, if that detects
// the format, as far as it can be known without reading the data.
func (l *Layout) IsTable(path string) bool {
	if form := table.Format(l.Format); !form.IsAuto() {
		return form.IsTable()
	}
	return path != "" && path != "-" && (table.IsTablePath(path) || arrays.Is(path))
}

// File is an open file of ranking data. Close it after use.
type File struct {
	dataset.File

	Table bool // the data is a table or arrays, whose columns are features, not LETOR text

	// Numbering is that of LETOR text. It is FromZero if one of the first rows has a feature 0.
	Numbering dataset.Numbering

	// Remarks are what was guessed about the columns of a table, one sentence each, which a user
	// should know.
	Remarks []string

	where  func(row int) *dataset.Error // nil for arrays
	table  *table.Data                  // nil for LETOR text
	absent []int
	doubts []string // warnings about which features these are, a sentence each
}

// source returns the source of rows: arrays themselves, whose columns can be read too, or the file.
func (f *File) source() dataset.Source {
	if columns, ok := f.File.(dataset.Columned); ok {
		return columns
	}
	return f
}

// Blocks implements [dataset.Source]. The remarks of the result include those of Noticed.
func (f *File) Blocks(ctx context.Context, pass dataset.Pass) (*dataset.Meta, error) {
	meta, err := f.File.Blocks(ctx, pass)
	if meta == nil {
		return nil, err
	}
	own := *meta // arrays keep it
	own.Where, own.Remarks = f.where, slices.Concat(meta.Remarks, f.doubts)
	return &own, err
}

// Noticed returns warnings, one sentence each: that features may be others than those of the model, because
// only their order or their numbers tell, and, after a pass over a table, about the texts of categories that
// the model does not have.
func (f *File) Noticed() []string {
	if f.table == nil {
		return f.doubts
	}
	return slices.Concat(f.table.Noticed, f.doubts)
}

var _ interface{ AbsentFeatures() []int } = (*File)(nil) // what package widened asks a source

// AbsentFeatures returns the numbers of features that the data cannot have, ascending: feature 0 of
// LETOR text whose features begin with 1, and the columns of a table that are
// queries or weights or are ignored.
func (f *File) AbsentFeatures() []int { return f.absent }

// Open opens the data at path: a file, a folder of parts of a table, arrays of another program, or standard
// input, "-". Binned data is refused with [ErrBinned]. Other errors about the content are a [*dataset.Error].
func Open(path string, o Options) (*File, error) {
	if err := o.Layout.check(); err != nil {
		return nil, err
	}
	if binned.Is(path) {
		return nil, fmt.Errorf("%s is %w", path, ErrBinned)
	}
	if o.Features != nil && o.Features.Numbering == dataset.FromOne {
		o.FeatureBase = 1
	}
	if arrays.Is(path) {
		rows, err := o.openArrays(path)
		if err != nil {
			return nil, err
		}
		return &File{File: rows, Table: true}, nil
	}
	f, err := o.openWhole(path)
	if err == nil {
		again := o
		again.Progress, again.begin = nil, nil
		f.where = func(row int) *dataset.Error { return again.placeIn(path, row) }
	}
	if err != nil || o.Peers.Size() == 1 {
		return f, err
	}
	whole := f.File.(interface { // text and tables
		Divide(ctx context.Context, g peers.Group) error
	})
	if err := whole.Divide(context.Background(), o.Peers); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// placeIn finds the place of a row by opening its file again: nothing is kept for it. What is neither a file
// nor a folder, such as a pipe, cannot be read again.
func (o *Options) placeIn(path string, row int) *dataset.Error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	f, err := o.openWhole(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return f.File.(interface{ Place(row int) *dataset.Error }).Place(row) // text and tables
}

// openArrays opens the arrays of another program, whose layout is known.
func (o *Options) openArrays(path string) (arrays.Set, error) {
	if o.Peers.Size() > 1 {
		return nil, fmt.Errorf("%s: arrays of another program are read by one process: give a file to several",
			path)
	}
	if columns := o.Layout.columns(); len(columns) > 0 {
		return nil, fmt.Errorf("%s=%s: how a file is read; the data is arrays", columns[0].parameter,
			columns[0].choice)
	}
	if err := o.refuseText(path); err != nil {
		return nil, err
	}
	rows, err := arrays.Open(path, arrays.Options{Workers: o.Workers, Docs: o.Docs,
		Infinite: o.Features != nil && o.Features.Infinite})
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.checkNames(rows.Names()), o.checkPairs(rows.Meta())); err != nil {
		rows.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// checkPairs returns an error if the data has pairs that the caller does not read.
func (o *Options) checkPairs(m *dataset.Meta) error {
	if m.Pairs == nil || o.Pairs {
		return nil
	}
	return errors.New("it has pairs of documents, which only training with objective=pairs and judging by " +
		"metric=pair_agreement read; give the data without pairs")
}

// checkNames returns an error if arrays have other columns than the model or the training data.
func (o *Options) checkNames(names []string) error {
	if o.Features == nil || names == nil || slices.Equal(names, o.Features.Names) {
		return nil
	}
	wanted := o.Features.Names
	return fmt.Errorf("its columns are not the features that are wanted, which are %s; put them in this order",
		strings.Join(wanted[:min(10, len(wanted))], ", "))
}

// openWhole opens all of the data at path.
func (o *Options) openWhole(path string) (*File, error) {
	inputs, err := table.OpenFiles(path, stream.Options{Once: o.Once && o.Peers.Size() == 1})
	if err != nil {
		return nil, err
	}
	f, err := o.open(path, inputs)
	if err != nil {
		stream.CloseAll(inputs)
		return nil, err
	}
	return f, nil
}

// open reads inputs in the form that their content has.
func (o *Options) open(path string, inputs []*stream.Input) (*File, error) {
	form, err := table.Format(o.Format).Of(path, inputs[0])
	if err != nil {
		return nil, err
	}
	if !form.IsTable() {
		return o.openText(path, inputs[0])
	}
	if err := o.refuseText(path); err != nil {
		return nil, err
	}
	t, err := table.New(path, inputs, o.table(path))
	if err != nil {
		return nil, err
	}
	f := &File{File: t, Table: true, table: t, absent: t.AbsentFeatures()}
	for _, text := range t.Remarks {
		f.Remarks = append(f.Remarks, path+": "+text)
	}
	if t.Doubt != "" {
		f.doubts = []string{path + ": " + t.Doubt}
	}
	return f, nil
}

// openText reads an input as LETOR text.
func (o *Options) openText(path string, in *stream.Input) (*File, error) {
	if err := o.refuseColumns(path); err != nil {
		return nil, err
	}
	if err := table.CheckForeign(in); err != nil {
		return nil, err
	}
	numbering, err := o.numbering(path, in)
	if err != nil {
		return nil, err
	}
	names, err := o.namesFor(path, numbering)
	if err != nil {
		return nil, err
	}
	labels := o.LabelNames()
	known := dataset.Meta{Features: names, LabelName: labels[0]}
	if o.FeatureBase == 1 {
		known.Numbering = dataset.FromOne
	}
	f, err := letor.New(path, in, o.Features != nil && o.Features.Infinite, rows.Options{Workers: o.Workers,
		Docs: o.Docs, LabelFiles: labels[1:], Meta: known, Progress: o.progress(path)})
	if err != nil {
		return nil, err
	}
	file := &File{File: f, Numbering: numbering}
	if numbering == dataset.Unnumbered {
		file.absent = []int{0}
	}
	if o.Features != nil && len(o.Features.Names) > 0 {
		file.doubt(path, o.Features, o.Names != "")
	}
	return file, nil
}

// headSize is the number of bytes at the beginning of LETOR text that are searched for feature 0.
const headSize = 1 << 16

// numbering returns how LETOR text numbers its features. All of it is searched for feature 0 if the first
// rows have none but a model uses that feature, or features get names, unless it can be read only once.
func (o *Options) numbering(path string, in *stream.Input) (dataset.Numbering, error) {
	if o.FeatureBase == 1 {
		return dataset.FromOne, nil
	}
	head, err := in.Head(headSize)
	if err != nil || letor.BeginsWithZero(head) {
		return dataset.FromZero, err
	}
	m := o.Features
	usesZero := m != nil && !m.OfTraining && len(m.Used) > 0 && m.Used[0] == 0
	if (usesZero || o.Names != "") && !o.Once {
		if found, err := letor.HasZero(in); found || err != nil {
			return dataset.FromZero, err
		}
	}
	if !usesZero || m.Numbering == dataset.FromZero || len(head) == 0 {
		return dataset.Unnumbered, nil
	}
	return dataset.Unnumbered, fmt.Errorf("%s: %w", path, ErrFeatureZero)
}

// doubt adds warnings about LETOR text whose features are perhaps not those of m: where either counts from 0,
// and where m has names, which the text lacks unless it is named.
func (f *File) doubt(path string, m *dataset.Features, named bool) {
	add := func(format string, args ...any) {
		f.doubts = append(f.doubts, path+": "+fmt.Sprintf(format, args...))
	}
	switch {
	case f.Numbering == dataset.FromZero && m.NoZero:
		add("has feature 0, which did not vary in the training data; if that counts features from 1, all of " +
			"them are shifted here, and 0 must become 1")
	case f.Numbering == dataset.Unnumbered && m.Numbering == dataset.FromZero:
		add("no row that was looked at has feature 0, which the training data has; if features are counted from " +
			"1 here, all of them are shifted, and 1 must become 0")
	case f.Numbering == dataset.FromOne && m.Numbering == dataset.Unnumbered && m.NoZero:
		add("feature_base=1 makes feature 1 column 0, which did not vary in the training data; if 1 was column 1 " +
			"there, leave feature_base out")
	}
	if !named && namedColumns(m) {
		first := 0
		if f.Numbering == dataset.FromOne {
			first = 1
		}
		add("%s", numbersRemark(first, m.Names))
	}
}

// numbersRemark is the warning about features without names, which are numbered from first.
func numbersRemark(first int, names []string) string {
	return fmt.Sprintf("has numbers for features where the model has names: those from %d on are taken as %s, "+
		"which nothing checks", first, wording.List(names, 12))
}

// namedColumns reports whether features have names that those of LETOR text do not have.
func namedColumns(m *dataset.Features) bool {
	return m.Numbering == dataset.Unnumbered && !byfeature.AreNumbers(m.Names) &&
		m.Names[0] != wording.ColumnNames(1)[0]
}

// table returns the options of a table.
func (o *Options) table(path string) table.Options {
	labels := o.LabelNames()
	label := o.Label
	if labels[0] != "" {
		label = named + labels[0]
	}
	return table.Options{
		Format:      table.Format(o.Format),
		Header:      o.Header,
		Label:       label,
		Query:       o.Query,
		Weight:      o.Weight,
		LabelName:   labels[0],
		More:        labels[1:],
		Place:       o.Position,
		Doc:         o.Document,
		Docs:        o.Docs,
		Ignore:      o.Ignore,
		Model:       o.Features,
		Categorical: o.Categorical,
		Begin:       o.begin,
		NoLabels:    o.NoLabels,
		Workers:     o.Workers,
		Progress:    o.progress(path),
	}
}

func (o *Options) progress(path string) func(read, total int64) {
	if o.Progress == nil {
		return nil
	}
	return func(read, total int64) { o.Progress(path, read, total) }
}

// Peers share data by whole queries. Each reads its own part of the files that all of them see, of about the
// same number of rows.

// Errors about data that peers share.
var (
	// ErrUndivided means that data of this form cannot be divided among ranks.
	ErrUndivided = rows.ErrUndivided
	// ErrUnequal means that peers do not see the same file.
	ErrUnequal = rows.ErrUnequal
)

// SameFile returns an error unless all peers see the same file at path, as far as
// its size and some pieces show.
func SameFile(path string, g dataset.Peers) error {
	if g.Size() == 1 {
		return nil
	}
	in, err := stream.Open(path, stream.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	return rows.SameInputs(in.Name(), []*stream.Input{in}, g)
}
