package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/training"
)

// Store keeps the finished jobs of a study, in one file per job, so that the same study can continue after an
// interruption. File names include a hash of everything that a job depends on, so studies with other
// parameters or data can share a folder.
//
// A file is a JSON object: the version of this format, the key of the job, the SHA-256 of the result's text
// without white space, and the result. A file with another key or a changed byte is an error, because a study
// that continued from a wrong result would be wrong without any sign of it.
type Store struct {
	Folder   string        // made if it does not exist
	Program  string        // name and version of the program; results of another one are not used
	Interval time.Duration // between checkpoints of jobs that have them; 0: only when the context is canceled
}

// storeFormat is the version of the files. It changes whenever their meaning does.
const (
	storeFormat = 2
	storeSince  = "2026-11-26"
)

// jobFile is the form of the names of files with results.
var jobFile = regexp.MustCompile(`\.[0-9a-f]{16}\.json$`)

// The reasons why a file does not have a usable result.
var (
	ErrFormat = fmt.Errorf("another version of the program wrote it (this one has format %d, since %s)",
		storeFormat, storeSince)
	ErrKey     = errors.New("it is of another study")
	ErrDamaged = errors.New("it is damaged: its checksum does not fit")
	ErrPartial = errors.New("it is not complete")
)

// storeError is the error for a file without a usable result.
type storeError struct {
	Path string
	Err  error
}

func (e *storeError) Error() string {
	instead := "remove it, and that run is done again"
	if errors.Is(e.Err, ErrFormat) {
		instead = "give another output, or remove the folder, and the study runs again"
	}
	return fmt.Sprintf("%s: not a result of this study: %v; %s", e.Path, e.Err, instead)
}

// Unwrap returns the reason.
func (e *storeError) Unwrap() error { return e.Err }

// results are the results of one study in a store. A nil *results has none and keeps nothing.
type results struct {
	*Store
	study string // hash of what all jobs depend on
}

// open makes the folder and returns the results of a study. identify writes everything that all jobs of the
// study depend on. A nil store has nil results. A folder with results of another version is an error, since
// the study would run from the beginning without any sign of it.
func (s *Store) open(identify func(w io.Writer)) (*results, error) {
	if s == nil {
		return nil, nil
	}
	if err := os.MkdirAll(s.Folder, 0o777); err != nil {
		return nil, err
	}
	if err := s.checkFormats(); err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", s.Program)
	identify(hash)
	return &results{s, fmt.Sprintf("%x", hash.Sum(nil))}, nil
}

// checkFormats returns a [*storeError] if a file of the folder has a result of another version.
func (s *Store) checkFormats() error {
	return filepath.WalkDir(s.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !jobFile.MatchString(path) {
			return err
		}
		format, err := formatOf(path)
		if err == nil && format > 0 && format != storeFormat {
			err = &storeError{path, fmt.Errorf("format %d: %w", format, ErrFormat)}
		}
		return err
	})
}

// formatOf returns the format of a file with a result, which begins with it; 0 for another file.
func formatOf(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	format := 0
	_, err = fmt.Fscanf(file, `{"format":%d,`, &format)
	if err != nil {
		return 0, nil
	}
	return format, nil
}

// jobEntry is the place of one job in a store. A nil *jobEntry is empty and keeps nothing.
type jobEntry struct {
	path string // without its ending
	key  string
	from *Store
}

// job returns the place of a job. name is its file name, which may include folders; facts are everything that
// the job depends on in addition to what the whole study depends on.
func (r *results) job(name string, facts ...any) *jobEntry {
	if r == nil {
		return nil
	}
	key := checksum(fmt.Appendf(nil, "%s %#v", r.study, facts))
	return &jobEntry{filepath.Join(r.Folder, name+"."+key[:16]), key, r.Store}
}

// load reads the result of the job into the variable that result points to, and reports whether there is one.
// complete reports whether that variable can be the result of a finished job. An error about the file is a
// [*storeError].
func (e *jobEntry) load(result any, complete func() bool) (bool, error) {
	if e == nil {
		return false, nil
	}
	err := readResult(e.path+".json", e.key, result)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !complete() {
		err = ErrPartial
	}
	if err != nil {
		return false, &storeError{e.path + ".json", err}
	}
	return true, nil
}

// save writes the result of the job atomically, and removes its checkpoints.
func (e *jobEntry) save(result any) error {
	if e == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o777); err != nil {
		return err
	}
	if err := writeResult(e.path+".json", e.key, result); err != nil {
		return err
	}
	return e.checkpoints().Remove()
}

// checkpoints returns the checkpoints of the job's run, or nil if nothing is kept.
func (e *jobEntry) checkpoints() *training.Checkpoints {
	if e == nil {
		return nil
	}
	return &training.Checkpoints{Path: e.path + ".checkpoint", Interval: e.from.Interval,
		Resume: training.IfPresent,
		Event:  func(training.CheckpointEvent) {}} // a checkpoint that cannot be written or read only costs time
}

// storedResult is the content of a file.
type storedResult struct {
	Format int             `json:"format"`
	Key    string          `json:"key"`
	SHA256 string          `json:"sha256"`
	Result json.RawMessage `json:"result"`
}

func writeResult(path, key string, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return stream.WriteFile(path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(storedResult{storeFormat, key, checksum(text), text})
	})
}

func readResult(path, key string, result any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return decodeResult(text, key, result)
}

func decodeResult(text []byte, key string, result any) error {
	var f storedResult
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	switch {
	case f.Format != storeFormat:
		return fmt.Errorf("format %d: %w", f.Format, ErrFormat)
	case f.Key != key:
		return ErrKey
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, f.Result); err != nil || checksum(compact.Bytes()) != f.SHA256 {
		return ErrDamaged
	}
	return json.Unmarshal(f.Result, result)
}

// checksum returns a SHA-256 in hexadecimal.
func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
