package binned

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// Is reports whether the file at path is binned data, by its first bytes: ours, of whatever version
// and condition, or LightGBM's, which Open refuses by name. Standard input, pipes and files that
// cannot be read are not.
func Is(path string) bool {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(lightGBM))
	n, _ := io.ReadFull(f, head)
	return strings.HasPrefix(string(head[:n]), magicStart) || string(head[:n]) == lightGBM
}

// Options say how a file is opened. The zero value is for training data.
type Options struct {
	// Mapper, if not nil, must be equal to the one that binned the file, since the data of one
	// training has the same bins. It becomes the mapper of the set's matrix.
	Mapper *histogram.Mapper

	// Workers is the number of goroutines that verify; 0 means GOMAXPROCS.
	Workers int
}

// File is an open file.
type File struct {
	Set // read-only

	unmap func() error
}

// Open maps a file and verifies it. Close it after use. An error is an [*Error].
func Open(path string, opts Options) (*File, error) {
	data, unmap, err := load(path)
	if err != nil {
		return nil, named(path, err)
	}
	pool := par.New(opts.Workers)
	defer pool.Close()
	set, err := decode(data, pool)
	if err == nil && opts.Mapper != nil {
		err = set.adopt(opts.Mapper)
	}
	if err != nil {
		unmap()
		return nil, named(path, err)
	}
	return &File{Set: *set, unmap: unmap}, nil
}

// Close releases the memory of the bins: the set's matrix must not be used afterwards.
func (f *File) Close() error { return f.unmap() }

// adopt makes m the mapper of the matrix. It is an error if m has other bins.
func (s *Set) adopt(m *histogram.Mapper) error {
	if d := m.Difference(s.Bins.Mapper); d != "" {
		return fault(ErrOtherBins, "%s", d)
	}
	s.Bins.Mapper = m
	return nil
}

// named returns the error with the path.
func named(path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Path = path
		return e
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return &Error{Path: path, Err: err}
}
