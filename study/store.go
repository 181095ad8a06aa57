package study

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// Store keeps the finished jobs of a study, in one file of JSON per job, written whole or not at all, so that
// the same study can continue after an interruption. File names include a hash of everything that a job
// depends on, so studies with other parameters or data can share a folder.
//
// A file with a changed byte is not used, since a study that continued from a wrong result would be wrong
// without any sign of it. A warning says so, and its job is done again.
type Store struct {
	Folder   string        // made if it does not exist
	Program  string        // name and version of the program; results of another one are not used
	Interval time.Duration // between checkpoints of jobs that have them; 0: only when the context is canceled
}

// storeFormat is the version of the files. It changes whenever their meaning does.
const (
	storeFormat = 4
	storeSince  = "2026-11-27"
)

// jobFile is the form of the names of files with results.
var jobFile = regexp.MustCompile(`\.[0-9a-f]{16}\.json$`)

// storedResult is the content of a file.
type storedResult struct {
	Format  int             `json:"format"`
	Program string          `json:"program"` // Store.Program
	Key     string          `json:"key"`     // of the job
	SHA256  string          `json:"sha256"`  // of the text of Result
	Result  json.RawMessage `json:"result"`
}

// results are the results of one study in a store. A nil *results has none and keeps nothing.
type results struct {
	*Store
	study string       // hash of what all jobs depend on
	log   *slog.Logger // receives what is to be said about results that cannot be used
}

// open makes the folder and returns the results of a study. identify writes everything that all jobs of the
// study depend on. A nil store has nil results. A folder with results of another version is an error, since
// the study would run from the beginning without any sign of it.
func (s *Store) open(log *slog.Logger, identify func(w io.Writer)) (*results, error) {
	if s == nil {
		return nil, nil
	}
	if err := os.MkdirAll(s.Folder, 0o777); err != nil {
		return nil, err
	}
	programs, err := s.programs()
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", s.Program)
	identify(hash)
	if len(programs) > 0 && !slices.Contains(programs, s.Program) {
		log.Info(fmt.Sprintf("%s has %d results of another build of the program, which could differ: they are "+
			"not used, and their runs are done again", s.Folder, len(programs)))
	}
	return &results{s, fmt.Sprintf("%x", hash.Sum(nil)), log}, nil
}

// programs returns the programs that wrote the results in the folder.
func (s *Store) programs() (all []string, err error) {
	err = filepath.WalkDir(s.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !jobFile.MatchString(path) {
			return err
		}
		program, err := programOf(path)
		all = append(all, program)
		return err
	})
	return all, err
}

// programOf returns the program that wrote a file with a result. A result of another version is an error.
// Every version begins its files with their format.
func programOf(path string) (program string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	format := storeFormat
	n, _ := fmt.Fscanf(file, `{"format":%d,"program":%q,`, &format, &program)
	if n > 0 && format != storeFormat {
		return "", fmt.Errorf("%s: not a result of this study: format %d: another version of the program wrote it "+
			"(this one has format %d, since %s); give another output, or remove the folder, and the study runs again",
			path, format, storeFormat, storeSince)
	}
	return program, nil
}

// jobEntry is the place of one job in a store. A nil *jobEntry is empty and keeps nothing.
type jobEntry struct {
	path string // without its ending
	key  string
	from *results
}

// job returns the place of a job. name is its file name, which may include folders; facts are everything that
// the job depends on in addition to what the whole study depends on.
func (r *results) job(name string, facts ...any) *jobEntry {
	if r == nil {
		return nil
	}
	key := checksum(fmt.Appendf(nil, "%s %#v", r.study, facts))
	return &jobEntry{filepath.Join(r.Folder, name+"."+key[:16]), key, r}
}

func (e *jobEntry) file() string { return e.path + ".json" }

// load reads the result of the job into the variable that result points to, and reports whether there is one.
// complete reports whether that variable can be the result of a finished job. A file without such a result is
// a warning.
func (e *jobEntry) load(result any, complete func() bool) bool {
	if e == nil {
		return false
	}
	text, err := os.ReadFile(e.file())
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = e.decode(text, result)
	}
	if err == nil && !complete() {
		err = errors.New("it is not complete")
	}
	if err != nil {
		e.from.log.Warn(fmt.Sprintf("%s: not a result of this study: %v: it is done again", e.file(), err))
	}
	return err == nil
}

// decode decodes the content of the job's file.
func (e *jobEntry) decode(text []byte, result any) error {
	var f storedResult
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	switch {
	case f.Format != storeFormat || f.Key != e.key:
		return errors.New("it is of another study")
	case f.SHA256 != checksum(f.Result):
		return errors.New("it is damaged: its checksum does not fit")
	}
	return json.Unmarshal(f.Result, result)
}

// save writes the result of the job atomically, and removes its checkpoints.
func (e *jobEntry) save(result any) error {
	if e == nil {
		return nil
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o777); err != nil {
		return err
	}
	err = stream.WriteFile(e.file(), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(storedResult{storeFormat, e.from.Program, e.key, checksum(text), text})
	})
	if err != nil {
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

// checksum returns a SHA-256 in hexadecimal.
func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// nullable is a list of numbers that may be NaN, which is null in JSON.
type nullable []float64

// LogValue implements [slog.LogValuer]: lines for people have no lists of thousands of numbers.
func (v nullable) LogValue() slog.Value { return slog.StringValue(wording.Count(len(v), "value")) }

// MarshalJSON implements [json.Marshaler].
func (v nullable) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(v))
	for i := range v {
		if !math.IsNaN(v[i]) {
			list[i] = &v[i]
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *nullable) UnmarshalJSON(text []byte) error {
	var list []metric.Value
	err := json.Unmarshal(text, &list)
	*v = make(nullable, len(list))
	for i := range list {
		(*v)[i] = float64(list[i])
	}
	return err
}
