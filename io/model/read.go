package model

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of errors for all formats, for use with [errors.Is]. The packages of the formats have more specific
// kinds, and error types that contain the place.
var (
	// ErrFormat: the file violates its format.
	ErrFormat = document.ErrFormat
	// ErrUnsupported: a kind of model that cannot be read, or that a target or an engine cannot represent.
	ErrUnsupported = document.ErrUnsupported
)

// kindError is an error of a kind that its text does not mention.
type kindError struct{ err, kind error }

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.err, e.kind} }

// writtenError is the error for reading a format that is only written.
type writtenError struct {
	format Format
	run    string // how the program that loads the file scores test vectors
}

func (e *writtenError) Error() string {
	return fmt.Sprintf("%v is written and not read: give the model that it was exported from", e.format)
}

func (e *writtenError) Unwrap() error { return ErrUnsupported }

// ReadFile reads the model in the file at path, which may be compressed with gzip or zstd; "-" is standard
// input. Errors name the file, and otherwise come from [Read].
func ReadFile(path string) (e *tree.Ensemble, format Format, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		e, format, err = Read(r)
		return inFile(name, err)
	})
	return e, format, err
}

// inFile names the file of an error.
func inFile(name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// Read reads a model in any format, which it recognizes by the content. The ensemble is valid; see
// [tree.Ensemble.Validate]. Errors wrap [ErrUnknown], [ErrFormat] or [ErrUnsupported], or come from r.
func Read(r io.Reader) (*tree.Ensemble, Format, error) {
	data, err := io.ReadAll(stream.WithoutMark(r))
	if err != nil {
		return nil, "", fmt.Errorf("model: %w", err)
	}
	found := find(data)
	if found == nil {
		_, err := Detect(data)
		return nil, "", err
	}
	if found.read == nil {
		return nil, found.format, &writtenError{found.format, found.run}
	}
	e, err := found.read(data)
	return e, found.format, classified(err)
}

// isRead reports whether [Read] can read a format.
func isRead(format Format) bool {
	return slices.ContainsFunc(table, func(e entry) bool { return e.format == format && e.read != nil })
}

// classified turns an error about an invalid tree, which packages of formats return unchanged, into an
// ErrFormat, because the tree comes from the file.
func classified(err error) error {
	var invalid *tree.InvalidError
	if errors.As(err, &invalid) && !errors.Is(err, ErrFormat) {
		return &kindError{err, ErrFormat}
	}
	return err
}

// ErrUnknown: a file is not in a supported format.
var ErrUnknown = errors.New("not a model in a known format, which are " + phrases())

// phrases lists the formats that can be read.
func phrases() string {
	var list []string
	for i := range table {
		if p := table[i].phrase; p != "" {
			list = append(list, p)
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + ", and " + list[last]
}

// sign is how reliably a format recognizes a file. Some formats have a unique mark, but several are JSON
// objects that differ only in keys somewhere inside.
type sign int

const (
	byOpening sign = iota + 1 // the first character fits
	byKey                     // a key of the format occurs
	byMark                    // a mark that no other format has occurs
)

// HeadSize is the number of bytes at the beginning of a file that [Detect] needs to decide whether the file
// is a model.
const HeadSize = 512

// Detect returns the format of a file by its content. For an unknown format, the error wraps [ErrUnknown] and
// may suggest what the file is.
//
// The first [HeadSize] bytes are enough to decide whether there is an error, but not always to distinguish
// formats that are JSON objects.
func Detect(data []byte) (Format, error) {
	found := find(data)
	if found == nil {
		return "", unknown(string(document.TrimLeft(data)))
	}
	return found.format, nil
}

// find returns the entry that recognizes data most reliably, the first of several
// equal ones, or nil if none does.
func find(data []byte) *entry {
	var best *entry
	for i := range table {
		if e := &table[i]; (best == nil || e.sign > best.sign) && e.is(data) {
			best = e
		}
	}
	return best
}

// unknown returns the error for a file in no supported format.
func unknown(text string) error {
	if text == "" {
		return fmt.Errorf("it is empty: %w", ErrUnknown)
	}
	if strings.Contains(text[:min(len(text), HeadSize)], "\x00gbtree") { // before XGBoost 1.3 no mark was first
		text = "binf"
	}
	if _, root, isXML := strings.Cut(text, "?>"); isXML && strings.HasPrefix(text, "<?xml") {
		text = strings.TrimSpace(root)
	}
	for _, other := range []struct{ begin, hint string }{
		{"binf", "it looks like XGBoost's old binary format: save it as .json or .ubj"},
		{"<PMML", gone.Why(gone.File, gone.PMML)},
		{"<ranker", gone.Why(gone.File, gone.QuickRank)},
		{"CBM1", "it looks like a CatBoost model, which is not read"},
		{"booster[", "it looks like XGBoost's text dump: dump it with dump_format=\"json\""},
		{"\x80", "it looks like a Python pickle: save the model itself"},
		{"PK\x03\x04", "it looks like a zip archive"},
	} {
		if strings.HasPrefix(text, other.begin) {
			return fmt.Errorf("%s; %w", other.hint, ErrUnknown)
		}
	}
	return fmt.Errorf("it begins with %q: %w", document.Clip(text), ErrUnknown)
}
