package tuning

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/io/stream"
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
	Key      string        `json:"key"`
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
	text, err := os.ReadFile(k.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var kept keptTrial
	if err := json.Unmarshal(text, &kept); err != nil || kept.Key != key || len(kept.Curve) == 0 && kept.Err == "" || kept.Best > len(kept.Curve) {
		return false, fmt.Errorf("%s: not a trial of this search; remove it, and the trial is trained again", k.path(key))
	}
	switch {
	case kept.Err != "":
		t.Err, t.Seconds = errors.New(kept.Err), kept.Seconds
		return true, nil
	case step == Steps && (kept.PerQuery == nil || k.average && kept.Spreads == nil), !kept.Ended && len(kept.Curve) < target:
		return false, nil
	}
	t.take(&kept, target, step)
	return true, nil
}

// take sets the trial as it was after a step.
func (t *Trial) take(kept *keptTrial, target, step int) {
	t.Curve = kept.Curve[:min(target, len(kept.Curve))]
	t.Rounds, t.Seconds = len(t.Curve), kept.Seconds
	t.choose()
	if step == Steps {
		t.PerQuery, t.spreads = kept.PerQuery, kept.Spreads
		for _, scores := range kept.Scores {
			t.scores = append(t.scores, scores)
		}
	}
}

// save keeps what a trial has done.
func (k *keeper) save(t *Trial, ended, few bool) error {
	if k == nil {
		return nil
	}
	kept := keptTrial{Key: k.key(t, few), Curve: t.Curve, Ended: ended, Best: t.Best, Value: t.Value, PerQuery: t.PerQuery, Seconds: t.Seconds, Spreads: t.spreads}
	for _, scores := range t.scores {
		kept.Scores = append(kept.Scores, scores)
	}
	if t.Err != nil {
		kept = keptTrial{Key: kept.Key, PerQuery: t.PerQuery, Err: t.Err.Error(), Seconds: t.Seconds}
	}
	return stream.WriteFile(k.path(kept.Key), func(w io.Writer) error { return json.NewEncoder(w).Encode(kept) })
}
