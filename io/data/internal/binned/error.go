package binned

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/gone"
)

// What can be wrong with a file. Errors of this package are an [*Error] that wraps one of these, or
// an error of the operating system.
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

// Error is an error in a file of binned data.
type Error struct {
	Path   string
	Detail string // where and what; may be empty
	Err    error
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Path, e.Detail, e.Err)
}

// Unwrap returns the kind of fault.
func (e *Error) Unwrap() error { return e.Err }

// fault returns an error that has no path yet.
func fault(kind error, format string, args ...any) error {
	return &Error{Detail: fmt.Sprintf(format, args...), Err: kind}
}
