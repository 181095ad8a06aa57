package tuning

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/kept"
	"github.com/lambdamart/lambdamart/training"
)

// Keep says where a search keeps its trials, a file each, so that the same search continues after an
// interruption. Names have a hash of all that a trial depends on.
type Keep struct {
	Folder  string // made if it is not there
	Program string // name and version of the program; trials of another one are not taken over
}

// keeper keeps the trials of one search. A nil keeper does nothing.
type keeper struct {
	*Keep
	data    string // what identifies the data and its parts
	average bool   // whether the scores of a trial that was trained to the end are needed
}

// keptTrial is a trial in a file.
type keptTrial struct {
	Curve    []float64     `json:"curve"`
	Ended    bool          `json:"ended"` // there are no more iterations
	Best     int           `json:"best,omitempty"`
	Value    float64       `json:"value,omitempty"`
	PerQuery digits.Values `json:"queries,omitempty"` // null for a query that does not count
	Seconds  float64       `json:"seconds"`

	Scores  []digits.Values `json:"scores,omitempty"` // by part, if a mean of models may need them
	Spreads []float64       `json:"spreads,omitempty"`

	Err string `json:"error,omitempty"`
}

// begin makes the folder and returns the keeper of a search; nil if nothing is to be kept.
func (k *Keep) begin(p *booster.Params, d booster.Data, parts []crossval.Part, average bool) (*keeper, error) {
	if k == nil {
		return nil, nil
	}
	if err := os.MkdirAll(k.Folder, 0o777); err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n", k.Program)
	crossval.IdentifyParts(hash, d, parts, p.NumThreads)
	return &keeper{k, fmt.Sprintf("%x", hash.Sum(nil)), average}, nil
}

// key returns what identifies a trial's training; few says that it is on a part of the queries.
func (k *keeper) key(t *Trial, few bool) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %v %q", k.data, few, training.ParameterFacts(t.params.Table()))
	return fmt.Sprintf("%x", hash.Sum(nil))[:16]
}

// path returns the file of a trial.
func (k *keeper) path(key string) string { return filepath.Join(k.Folder, key+".json") }

// load takes over what an earlier search has done of a step, and reports whether that is all of it.
func (k *keeper) load(t *Trial, target, step int, few bool) (bool, error) {
	if k == nil || t.training != nil {
		return false, nil
	}
	key := k.key(t, few)
	var found keptTrial
	err := kept.Read(k.path(key), key, &found)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && (len(found.Curve) == 0 && found.Err == "" || found.Best > len(found.Curve)) {
		err = kept.ErrIncomplete
	}
	if err != nil {
		return false, fmt.Errorf("%s: not a trial of this search: %w; remove it, and the trial is trained again", k.path(key), err)
	}
	switch {
	case found.Err != "":
		t.Err, t.Seconds = errors.New(found.Err), found.Seconds
		return true, nil
	case step == Steps && (found.PerQuery == nil || k.average && found.Spreads == nil), !found.Ended && len(found.Curve) < target:
		return false, nil
	}
	t.take(&found, target, step)
	return true, nil
}

// take sets the trial as it was after a step.
func (t *Trial) take(found *keptTrial, target, step int) {
	t.Curve = found.Curve[:min(target, len(found.Curve))]
	t.Rounds, t.Seconds = len(t.Curve), found.Seconds
	t.choose()
	if step == Steps {
		t.PerQuery, t.spreads = found.PerQuery, found.Spreads
		for _, scores := range found.Scores {
			t.scores = append(t.scores, scores)
		}
	}
}

// save keeps what a trial has done.
func (k *keeper) save(t *Trial, ended, few bool) error {
	if k == nil {
		return nil
	}
	done := keptTrial{Curve: t.Curve, Ended: ended, Best: t.Best, Value: t.Value, PerQuery: t.PerQuery, Seconds: t.Seconds, Spreads: t.spreads}
	for _, scores := range t.scores {
		done.Scores = append(done.Scores, scores)
	}
	if t.Err != nil {
		done = keptTrial{PerQuery: t.PerQuery, Err: t.Err.Error(), Seconds: t.Seconds}
	}
	key := k.key(t, few)
	return kept.Write(k.path(key), key, done)
}
