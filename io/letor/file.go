package letor

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Options say how a file is read. The zero value is for training.
type Options struct {
	// Workers is the number of goroutines that parse; 0 means GOMAXPROCS.
	Workers int

	// FeatureBase is the number of the file's feature that is column 0: 0 (column
	// n is feature n, as LightGBM has it) or 1 (column n-1 is feature n).
	FeatureBase int

	// KeepDocs asks for document ids, which take memory.
	KeepDocs bool

	// AllowNaN accepts NaN as a value.
	AllowNaN bool

	// Once promises that the file is read once only, by Stream or by Scan, so that
	// standard input and pipes need not be copied to a temporary file first.
	Once bool

	// Progress, if not nil, is called now and then with the stored bytes read in
	// this pass, and in total or -1 where that is not known. Calls come from all
	// workers, perhaps at once and so not quite in order; they should return quickly.
	Progress func(read, total int64)

	blockSize int // 0 means defaultBlockSize
}

// File is an open LETOR file. Its methods may not be called at the same time.
type File struct {
	path     string
	in       *stream.Input
	opts     Options
	prefixes []uint64

	// What the companion files say, read when first asked for.
	counts  func() (*counts, error)
	weights func() (*weights, error)

	table *table // of a seekable file, made when first needed
}

var _ dataset.Source = (*File)(nil)

// Open opens the file at path, or standard input if path is "-". gzip and zstd
// are told by their first bytes. Close it after use.
func Open(path string, opts Options) (*File, error) {
	if opts.Workers < 1 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.blockSize < 1 {
		opts.blockSize = defaultBlockSize
	}
	if opts.Progress == nil {
		opts.Progress = func(int64, int64) {}
	}
	if opts.FeatureBase != 0 && opts.FeatureBase != 1 {
		return nil, fmt.Errorf("letor: FeatureBase is %d; it is 0 or 1", opts.FeatureBase)
	}
	in, err := stream.Open(path, stream.Options{Once: opts.Once})
	if err != nil {
		return nil, err
	}
	return &File{
		path:     path,
		in:       in,
		opts:     opts,
		prefixes: packPrefixes(),
		counts:   sync.OnceValues(func() (*counts, error) { return readCounts(path) }),
		weights:  sync.OnceValues(func() (*weights, error) { return readWeights(path) }),
	}, nil
}

// Close releases the file.
func (f *File) Close() error { return f.in.Close() }

// Workers returns the number of goroutines that parse.
func (f *File) Workers() int { return f.opts.Workers }

// NumRows returns the number of rows if the file is plain: counting line ends
// is a small part of the work of reading them. Compressed files give false.
func (f *File) NumRows(ctx context.Context) (rows int, known bool, err error) {
	if !f.in.Seekable() {
		return 0, false, nil
	}
	if err := f.findBlocks(ctx); err != nil {
		return 0, false, err
	}
	return f.table.rows, true, nil
}

// findBlocks makes the table of blocks, once.
func (f *File) findBlocks(ctx context.Context) (err error) {
	if f.table == nil {
		f.table, err = makeTable(ctx, f.in, f.opts.blockSize, f.opts.Workers, f.opts.Progress)
	}
	return err
}

// blocks begins to read the file from its start. Call done at the end.
func (f *File) blocks(ctx context.Context) (_ blocks, done func(), err error) {
	if f.in.Seekable() {
		if err := f.findBlocks(ctx); err != nil {
			return nil, nil, err
		}
		return &pass{table: f.table, progress: f.opts.Progress}, func() {}, nil
	}
	s, err := newSequence(f.in, f.opts.blockSize, f.opts.Progress)
	if err != nil {
		return nil, nil, err
	}
	return s, s.close, nil
}
