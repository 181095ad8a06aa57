// Package rows reads ranking data from text formats whose lines are rows, in parallel and in bounded memory.
// A format defines its lines ([Lines]) and parses a row ([Parser]). Everything else is the same
// for all formats: cutting files into blocks at line ends, handing blocks to workers, joining the results in
// the order of the data, companion files, and errors with line and column.
//
// The text is cut into blocks of about a quarter of a mebibyte, which workers parse at the same
// time. Results do not depend on the number of workers or the size of blocks, and an error is the
// first one in the data.
//
// This is how text becomes rows:
//
//	file ─► blocks of lines ─► Parser: rows ─► Work ─► Joiner, in order ─┬─► Meta
//	                                                                     └─► Emit
//
// A plain file has a table of its blocks, by which workers read at any place (blocktable.go); all other
// input is read in one sequence.
package rows

import (
	"cmp"
	"context"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Options control how text is read.
type Options struct {
	Workers   int                     // goroutines that parse; 0 means GOMAXPROCS
	BlockSize int                     // bytes; 0 means a quarter of a mebibyte
	Progress  func(read, total int64) // stored bytes; may be nil

	Weights bool // rows have weights
	Places  bool // rows have places
	Docs    bool // document ids are wanted

	// Meta is what is known before rows are read: names of features (nil means "Column_n" up to the largest
	// number found) and of the label, dictionaries, numbering, the column of the label, absent features.
	Meta       dataset.Meta
	More       []string // names of the further labels that rows have
	LabelFiles []string // names of further labels that companions have

	QueryPrefix string   // what precedes an id in messages
	QueryField  string   // name of the column that has it
	LabelField  string   // name of the column of labels
	Remarks     []string // what was noticed about the columns, which errors about queries repeat
	NoQueries   error    // for data with neither ids nor a .query file; tells the user what to do
	NoLines     bool     // rows are not lines: messages count rows

	// which part of the data of several peers this is, without the numbers of queries; nil if it is all
	Part  *dataset.Part
	seen  bool      // query ids were compared with those of other peers
	first *queryRun // of the data of all peers, if this is a part of it
}

// Input is a file of the data. The bytes that are skipped at its beginning are not rows: a byte order mark, a
// line with the names of columns.
type Input struct {
	In    *stream.Input
	Skip  int64       // bytes
	Lines int         // among them
	table *blockTable // of a seekable file, made when first needed, without the rows of other peers
}

// Data is what ranking data of all forms has, besides its rows.
type Data struct {
	Path       string
	Inputs     []*stream.Input
	Opts       Options
	Companions *Companions
}

// NewData returns the data at path, which is in the given inputs, with defaults for options that are not set.
func NewData(path string, inputs []*stream.Input, opts Options) Data {
	opts.Workers, opts.BlockSize = par.Threads(opts.Workers), cmp.Or(max(0, opts.BlockSize), defaultBlockSize)
	if opts.Progress == nil {
		opts.Progress = func(int64, int64) {}
	}
	return Data{path, inputs, opts, CompanionsOf(path, opts.LabelFiles...)}
}

// Close releases the files.
func (d *Data) Close() error { return stream.CloseAll(d.Inputs) }

// Workers returns the number of goroutines that parse.
func (d *Data) Workers() int { return d.Opts.Workers }

// HasWeights reports whether rows have weights.
func (d *Data) HasWeights() bool { return d.Opts.Weights || d.Companions.Exists(".weight") }

// Part returns the part of the data of all peers that this is; nil if it is all.
func (d *Data) Part() *dataset.Part { return d.Opts.Part }

// File is ranking data in one or more files. Its methods may not be called at the same time.
type File struct {
	Data
	parts     []*Input
	lines     Lines
	newParser func() Parser
}

var _ dataset.Source = (*File)(nil)

// NewFile returns the data at path, which is in the given inputs. It closes them when it is closed.
func NewFile(path string, inputs []Input, lines Lines, newParser func() Parser, opts Options) *File {
	f := &File{Data: NewData(path, nil, opts), lines: lines, newParser: newParser}
	for _, in := range inputs {
		f.Inputs, f.parts = append(f.Inputs, in.In), append(f.parts, &in)
	}
	return f
}

// NumRows returns the number of rows if the files are plain: counting line ends is a small part of
// the work of reading them. Compressed files give false.
func (f *File) NumRows(ctx context.Context) (rows int, known bool, err error) {
	for _, p := range f.parts {
		if !p.In.Seekable() {
			return 0, false, nil
		}
		if err := f.findBlocks(ctx, p); err != nil {
			return 0, false, err
		}
		rows += p.table.rows
	}
	return rows, true, nil
}

// findBlocks makes the table of a part's blocks, once.
func (f *File) findBlocks(ctx context.Context, p *Input) (err error) {
	if p.table == nil {
		p.table, err = makeTable(ctx, p, f.lines, f.Opts.BlockSize, f.Opts.Workers, f.Opts.Progress)
	}
	return err
}

// blocks begins to read a part from its start. anyPlace means that blocks may be read in any order. Of data
// that peers share, the tables have this peer's rows.
func (f *File) blocks(ctx context.Context, p *Input, anyPlace bool) (blocks, error) {
	if !anyPlace && f.Opts.Part == nil || !p.In.Seekable() {
		return newSequence(p, f.lines, f.Opts.BlockSize, f.Opts.Progress)
	}
	if err := f.findBlocks(ctx, p); err != nil {
		return nil, err
	}
	return &pass{table: p.table, progress: f.Opts.Progress}, nil
}

// SkipMark returns the input without its byte order mark.
func SkipMark(in *stream.Input) (Input, error) {
	head, err := in.Head(len(stream.Mark))
	if err != nil || string(head) != stream.Mark {
		return Input{In: in}, err
	}
	return Input{In: in, Skip: int64(len(stream.Mark))}, nil
}
