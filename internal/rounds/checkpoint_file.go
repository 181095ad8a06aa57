package rounds

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/training"
)

// A checkpoint is a JSON object, {"format":7,"sha256":"…","content":{…}}, with these members:
//
//	format   its number grows when the format changes, or the model that training gives
//	sha256   of the bytes of content, in hexadecimal
//	content  the number of the round, the best round and its value, facts (each parameter; rows, queries and
//	         fingerprints of each set), for each round its time and values of metrics, and the state of the
//	         learner: all that later rounds depend on and that cannot be computed from the data
//
// The state of trees has the model in LightGBM's text format, a fingerprint of the scores, the number of the
// next draw, the largest lambda of the first iteration, the leaf values of the first tree before the
// objective's initial score, for dart the weights of the trees and the scores of all sets, the biases of
// positions, the multipliers of constraints, and what the share of active rows follows. Scores are not stored
// otherwise: each row gets the values of its leaves again, in the order of the trees, and the fingerprint
// verifies them. The state of networks has the steps done, weights and running values, also those of the
// epoch that is kept, Adam's means of gradients and of squares, the two powers of its constants, and the
// state of the schedule. Decimal numbers are the shortest that are read as the same float64; float32 values
// of networks are little-endian in base64. Random draws need no state: they are hashes of the seed and the
// number of the iteration.
const (
	checkpointFormat = 7
	checkpointSince  = "2026-11-29"
	// earlierMagic begins checkpoints of formats up to 4, which were binary. The format follows, in 4 bytes.
	earlierMagic = "\x8bLMC\r\n\x1a\n"
)

// checkpointFile is the content of a file.
type checkpointFile struct {
	Format  int             `json:"format"`
	SHA256  string          `json:"sha256"`
	Content json.RawMessage `json:"content"`
}

// snapshot is the content of a checkpoint.
type snapshot struct {
	checkpointHeader
	State json.RawMessage `json:"state"` // of the learner
}

// checkpointHeader is a checkpoint without the state of the learner.
type checkpointHeader struct {
	Round     int        `json:"round"`
	Best      int        `json:"best_round"`
	BestValue exactFloat `json:"best_value"`
	Facts     []Fact     `json:"facts"`
	Rounds    []record   `json:"rounds"`
}

// record is a round that was done.
type record struct {
	Seconds      exactFloat   `json:"seconds"`
	Means        []exactFloat `json:"means,omitempty"`   // of each metric on each set
	Tied         []int        `json:"tied,omitempty"`    // the same
	Weights      []exactFloat `json:"weights,omitempty"` // of the constraints
	Leaves       int          `json:"leaves,omitempty"`
	Loss         exactFloat   `json:"loss,omitempty"`
	LearningRate exactFloat   `json:"learning_rate,omitempty"`
	Documents    int          `json:"documents,omitempty"`
}

// exactFloat is a float64 that JSON holds exactly, with NaN and infinities as texts.
type exactFloat float64

// MarshalJSON returns the shortest text that is read as the same number.
func (f exactFloat) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(f), 'g', -1, 64)
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return json.Marshal(text)
	}
	return []byte(text), nil
}

// UnmarshalJSON reads what MarshalJSON returned.
func (f *exactFloat) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	*f = exactFloat(v)
	return err
}

// encode returns the bytes of a checkpoint.
func (s *snapshot) encode() ([]byte, error) {
	content, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"format":%d,"sha256":"%x","content":%s}`, checkpointFormat,
		sha256.Sum256(content), content), nil
}

// decodeSnapshot returns the checkpoint with these bytes. The error wraps
// [training.ErrCheckpointDamaged] or [training.ErrCheckpointVersion].
func decodeSnapshot(b []byte) (*snapshot, error) {
	if rest, ok := bytes.CutPrefix(b, []byte(earlierMagic)); ok && len(rest) >= 4 {
		return nil, &versionError{int(binary.LittleEndian.Uint32(rest))}
	}
	var file checkpointFile
	switch err := json.Unmarshal(b, &file); {
	case err != nil:
		return nil, fmt.Errorf("%w: it is not JSON, or it is cut off: %w", training.ErrCheckpointDamaged, err)
	case file.Format < 1:
		return nil, fmt.Errorf("%w: it names no format", training.ErrCheckpointDamaged)
	case file.Format != checkpointFormat:
		return nil, &versionError{file.Format}
	case fmt.Sprintf("%x", sha256.Sum256(file.Content)) != file.SHA256:
		return nil, fmt.Errorf("%w: its checksum is wrong", training.ErrCheckpointDamaged)
	}
	s := new(snapshot)
	if err := json.Unmarshal(file.Content, s); err != nil {
		return nil, fmt.Errorf("%w: %w", training.ErrCheckpointDamaged, err)
	}
	return s, s.check()
}

// versionError is the error for a checkpoint of another format.
type versionError struct{ format int }

func (e *versionError) Is(target error) bool { return target == training.ErrCheckpointVersion }

func (e *versionError) Error() string {
	return fmt.Sprintf("format %d: it has the form of another version (this one has format %d, since %s); "+
		"continue with the version of lambdamart that wrote it, or remove it to start from the beginning",
		e.format, checkpointFormat, checkpointSince)
}

// check returns an error for a header that no run could have written.
func (h *checkpointHeader) check() error {
	if h.Round < 1 || len(h.Rounds) != h.Round || h.Best < 0 || h.Best > h.Round {
		return fmt.Errorf("%w: round %d, best %d, %d rounds", training.ErrCheckpointDamaged, h.Round, h.Best,
			len(h.Rounds))
	}
	for _, r := range h.Rounds {
		if n := len(r.Means); n != len(r.Tied) || n < len(r.Weights) {
			return fmt.Errorf("%w: %d means, %d counts of ties and %d weights", training.ErrCheckpointDamaged, n,
				len(r.Tied), len(r.Weights))
		}
	}
	return nil
}
