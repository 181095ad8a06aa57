package binned

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Is reports whether the file at path is binned data, by its first bytes: ours, of whatever version and
// condition, or LightGBM's or a folder of shards, which Open refuses by name. Standard input, pipes and files
// that cannot be read are not.
func Is(path string) bool {
	head := stream.Beginning(path, len(lightGBM))
	return isShards(path) || strings.HasPrefix(head, magicStart) || head == lightGBM
}

// isShards reports whether path is a folder of shards, which several processes wrote until 2026-11-26: a
// binned file of each, and a list of them.
func isShards(path string) bool {
	_, err := os.Stat(filepath.Join(path, "shards.json"))
	return path != "-" && err == nil
}

// Options control how a file is opened. The zero value is for training data.
type Options struct {
	// Mapper, if not nil, must be equal to the one that binned the file, since all data of a training run
	// has the same bins. It becomes the mapper of the set's matrix.
	Mapper *histogram.Mapper

	// Workers is the number of goroutines that verify; 0 means GOMAXPROCS.
	Workers int
}

// File is an open file.
type File struct {
	Set // read-only

	path    string
	workers int
	mapping
}

// Checksum returns the checksum of the first bytes, which have the checksums of all others.
func (f *File) Checksum() uint32 { return binary.LittleEndian.Uint32(f.data[checksumAt:]) }

// Open maps a file and verifies it. Close it after use. Errors name the file.
//
// Nothing may write the file while the set is in use: see [Guard].
func Open(path string, opts Options) (*File, error) {
	if isShards(path) {
		return nil, named(path, ErrShards)
	}
	m, err := load(path)
	if err != nil {
		return nil, named(path, err)
	}
	f := &File{path: path, workers: opts.Workers, mapping: m}
	if err := f.decode(opts); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// decode reads the set. It fails like Open if the file is truncated at the same time.
func (f *File) decode(opts Options) error {
	pool := par.New(f.workers)
	defer pool.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return catchFault(func() error {
		set, err := decode(f.data, pool)
		if err == nil && opts.Mapper != nil {
			err = set.adopt(opts.Mapper)
		}
		if err != nil {
			return named(f.path, err)
		}
		f.Set = *set
		return nil
	}, f)
}

// Close releases the memory of the set, which must not be used afterwards.
func (f *File) Close() error { return f.close() }

// adopt makes m the mapper of the matrix. It is an error if m has other bins.
func (s *Set) adopt(m *histogram.Mapper) error {
	if d := difference(m, s.Bins.Mapper); d != "" {
		return fault(ErrOtherBins, "%s", d)
	}
	s.Bins.Mapper = m
	return nil
}

// named returns the error with the path.
func named(path string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// mapping is a file whose bytes are in memory.
type mapping struct {
	data   []byte
	opened state    // when it was opened
	file   *os.File // nil where files are read instead of mapped
}

// state is the properties of a file that change when the file is written.
type state struct {
	size    int64
	written time.Time
}

func stateOf(info fs.FileInfo) state { return state{info.Size(), info.ModTime()} }

// What can be wrong with a file. Errors of this package wrap one of these, or an error of the operating
// system.
var (
	// ErrForeign means that the file is not binned data.
	ErrForeign = errors.New("not binned data of lambdamart; make it with lambdamart bin")
	// ErrByteOrder means that the numbers were written with the most significant byte first.
	ErrByteOrder = errors.New("its numbers are big-endian; the format is little-endian: make it again with " +
		"lambdamart bin")
	// ErrVersion means that the file was written by another version of this package.
	ErrVersion = errors.New("its format has another version; make it again with this version's lambdamart bin")
	// ErrShards means that the path is a folder of shards, which earlier versions read.
	ErrShards = errors.New(gone.Why(gone.File, gone.Shards))
	// ErrCut means that the end of the file is missing.
	ErrCut = errors.New("the file is cut off; copy or make it again")
	// ErrDamaged means that bytes have changed since the file was written.
	ErrDamaged = errors.New("the file is damaged; copy or make it again")
	// ErrInvalid means that the checksums are right, but the content contradicts itself.
	ErrInvalid = errors.New("the file was written wrongly; make it again with lambdamart bin")
	// ErrChanged means that the file changed, or was cut off, while it was in use. It may also be that
	// the system can no longer read it.
	ErrChanged = errors.New("the file changed while it was in use; run again, and write nothing to the file " +
		"meanwhile")
	// ErrOtherBins means that the data was not binned by the mapper of Options.
	ErrOtherBins = errors.New("it has other bins; bin both with the same lambdamart bin (valid=), or with " +
		"reference=")
)

// fault returns an error of a kind that says where and what is wrong.
func fault(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), kind)
}
