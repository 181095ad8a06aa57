package selection

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/kept"
	"github.com/lambdamart/lambdamart/training"
)

// Keep says where a selection keeps its steps, a file each, so that the same selection continues after an
// interruption. Names have a hash of all that a step depends on.
type Keep struct {
	Folder  string // made if it is not there
	Program string // name and version of the program; steps of another one are not taken over
}

// keeper keeps the steps of one selection. A nil keeper does nothing.
type keeper struct {
	*Keep
	data string // what identifies the data, the parts, the parameters and how importance is measured
}

// keptStep is a step in a file.
type keptStep struct {
	Best       int           `json:"best,omitempty"`
	Iterations int           `json:"iterations,omitempty"`
	PerQuery   digits.Values `json:"queries,omitempty"` // null for a query that does not count
	Importance []Importance  `json:"importance,omitempty"`
	Seconds    float64       `json:"seconds"`
	Err        string        `json:"error,omitempty"`
}

// begin makes the folder and returns the keeper of a selection; nil if nothing is to be kept.
func (k *Keep) begin(s *search) (*keeper, error) {
	if k == nil {
		return nil, nil
	}
	if err := os.MkdirAll(k.Folder, 0o777); err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %d %d %d %v\n", k.Program, training.ParameterFacts(s.params.Table()), s.o.Queries, s.o.Repeats, s.o.Seed, [...]any{s.tests.Level, s.tests.Resamples, s.tests.Seed})
	crossval.IdentifyParts(hash, s.data, s.parts, s.params.NumThreads)
	return &keeper{k, fmt.Sprintf("%x", hash.Sum(nil))}, nil
}

// key returns what identifies a step's training.
func (k *keeper) key(s *Step) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, k.data, s.Features)))[:16]
}

// path returns the file of a step.
func (k *keeper) path(key string) string { return filepath.Join(k.Folder, key+".json") }

// load takes over what an earlier selection has done of a step.
func (k *keeper) load(s *Step) error {
	if k == nil {
		return nil
	}
	key := k.key(s)
	var found keptStep
	err := kept.Read(k.path(key), key, &found)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && found.Err == "" && (found.Best < 1 || len(found.PerQuery) == 0) {
		err = kept.ErrIncomplete
	}
	if err != nil {
		return fmt.Errorf("%s: not a step of this selection: %w; remove it, and the step is trained again", k.path(key), err)
	}
	s.Kept, s.Best, s.Iterations, s.PerQuery, s.Seconds, s.Importance = true, found.Best, found.Iterations, found.PerQuery, found.Seconds, found.Importance
	if found.Err != "" {
		s.Err = errors.New(found.Err)
	}
	return nil
}

// save keeps a step.
func (k *keeper) save(s *Step) error {
	if k == nil {
		return nil
	}
	done := keptStep{Best: s.Best, Iterations: s.Iterations, PerQuery: s.PerQuery, Importance: s.Importance, Seconds: s.Seconds}
	if s.Err != nil {
		done.Err = s.Err.Error()
	}
	key := k.key(s)
	return kept.Write(k.path(key), key, done)
}
