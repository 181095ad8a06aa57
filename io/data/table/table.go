package table

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Format is how a table is written.
type Format uint8

const (
	Auto    Format = iota // told by the first bytes and the name
	CSV                   // text with commas
	TSV                   // text with tabs
	Parquet               // Apache Parquet
)

// Columns names the columns that count.
type Columns struct{ Query, Target, Score string }

// DefaultColumns are "query", "target" and "score".
func DefaultColumns() Columns { return Columns{Query: "query", Target: "target", Score: "score"} }

// Options say how a table is read.
type Options struct {
	Columns Columns
	Format  Format
}

// batchRows is the number of rows that are handed out together.
const batchRows = 1 << 14

// Batch is consecutive rows of a table.
type Batch struct {
	Query         []string  // equal ids that follow each other share their memory
	Target, Score []float64 // NaN where missing

	MissingTargets, NaNTargets int
	MissingScores, NaNScores   int
}

// Table is an open table. Its methods may not be called at the same time.
type Table struct {
	parts []part
	opts  Options
}

// part is one file.
type part struct {
	in     *stream.Input
	format Format // not Auto
}

// Recognize tells whether a path looks like a table and not like text of another
// kind: it is a folder, begins as Parquet does, or its name, less .gz or .zst, ends
// in .csv, .tsv, .tab or .parquet.
func Recognize(path string) bool {
	switch extension(path) {
	case ".csv", ".tsv", ".tab", ".parquet":
		return true
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() || !info.Mode().IsRegular() {
		return err == nil && info.IsDir()
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isParquet(f)
}

func isParquet(in io.ReaderAt) bool {
	var mark [len(parquet.Mark)]byte
	n, _ := in.ReadAt(mark[:], 0)
	return string(mark[:n]) == parquet.Mark
}

// extension is the end of a name that tells its format.
func extension(path string) string {
	name := strings.ToLower(path)
	for _, compression := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, compression)
	}
	return filepath.Ext(name)
}

// Open opens the table at path. Close it after use.
func Open(path string, opts Options) (*Table, error) {
	paths, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	t := &Table{opts: opts}
	for _, path := range paths {
		in, err := stream.Open(path, stream.Options{})
		if err != nil {
			t.Close()
			return nil, err
		}
		t.parts = append(t.parts, part{in, formatOf(in, opts.Format)})
	}
	return t, nil
}

// partsOf returns the files of a table, in the order of their names.
func partsOf(path string) ([]string, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil // opening it tells what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := filepath.Join(path, e.Name())
		if e.IsDir() {
			return nil, &dataset.Error{Path: full, Err: ErrSubfolder}
		}
		paths = append(paths, full)
	}
	if len(paths) == 0 {
		return nil, &dataset.Error{Path: path, Err: ErrNoParts}
	}
	return paths, nil
}

// formatOf tells how a file is written: by its first bytes, its name, and else by
// what comes more often in its first line, tabs or commas.
func formatOf(in *stream.Input, wanted Format) Format {
	if wanted != Auto {
		return wanted
	}
	if in.Seekable() && isParquet(in) {
		return Parquet
	}
	switch extension(in.Name()) {
	case ".tsv", ".tab":
		return TSV
	case ".parquet":
		return Parquet
	case ".csv":
		return CSV
	}
	head, err := in.Head(1 << 16)
	if err != nil {
		return CSV // reading it tells what is wrong
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte{'\n'})
	if bytes.Count(line, []byte{'\t'}) > bytes.Count(line, []byte{','}) {
		return TSV
	}
	return CSV
}

// Close releases the files.
func (t *Table) Close() error {
	var first error
	for _, p := range t.parts {
		if err := p.in.Close(); first == nil {
			first = err
		}
	}
	return first
}

// rowReader reads one part. next fills a batch with up to batchRows rows, and
// returns io.EOF when there are none.
type rowReader interface {
	next(b *Batch) error
	close()
}

// Rows hands out all rows in their order. A batch is valid until emit returns;
// the texts in it may be kept. While emit works, the next batch is read. An error
// of emit ends the reading and is returned as it is.
func (t *Table) Rows(ctx context.Context, emit func(*Batch) error) error {
	for i := range t.parts {
		if err := t.readPart(ctx, &t.parts[i], emit); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) readPart(ctx context.Context, p *part, emit func(*Batch) error) error {
	r, err := t.open(p)
	if err != nil || r == nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	full, empty := make(chan *Batch, 1), make(chan *Batch, 2)
	empty <- new(Batch)
	empty <- new(Batch)
	var failure error // of the reader; valid once full is closed
	go func() {
		defer close(full)
		failure = readAhead(ctx, r, full, empty)
		r.close()
	}()
	defer func() {
		cancel()
		for range full { // the reader must have ended before the file is closed
		}
	}()
	for b := range full {
		if err := emit(b); err != nil {
			return err
		}
		empty <- b
	}
	return failure
}

// readAhead fills batches until the rows end.
func readAhead(ctx context.Context, r rowReader, full chan<- *Batch, empty <-chan *Batch) error {
	for {
		var b *Batch
		select {
		case b = <-empty:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := r.next(b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case full <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// open returns a reader of a part, nil if the part is an empty file of several.
func (t *Table) open(p *part) (rowReader, error) {
	switch p.format {
	case Parquet:
		return openParquet(p.in, t.opts.Columns)
	case TSV:
		return openText(p.in, t.opts.Columns, '\t', len(t.parts) > 1)
	}
	return openText(p.in, t.opts.Columns, ',', len(t.parts) > 1)
}

// find returns the place of each wanted column among names.
func find(path string, names []string, c Columns) (query, target, score int, err error) {
	place := func(wanted string) int {
		found := -1
		for i, name := range names {
			switch {
			case name != wanted || err != nil:
			case found >= 0:
				err = &dataset.Error{Path: path, Field: wanted, Err: ErrRepeated}
			default:
				found = i
			}
		}
		if found < 0 && err == nil {
			err = &dataset.Error{Path: path, Field: wanted, Err: fmt.Errorf("%w (there are %s)", ErrNoColumn, strings.Join(names, ", "))}
		}
		return found
	}
	return place(c.Query), place(c.Target), place(c.Score), err
}
