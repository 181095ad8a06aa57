package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// A checkpoint is a preface of 32 bytes, a header in JSON, the state of the learner, and the SHA-256
// of all bytes before it. Numbers are little-endian; h and s are the lengths of header and state.
//
//	offset  bytes
//	0       8      magic
//	8       4      version
//	12      4      0
//	16      8      h
//	24      8      s
//	32      h      header: the number of the round, the best round and its value, facts (each parameter; rows,
//	               queries and fingerprints of each set), and for each round its time and values of metrics
//	32+h    s      state: all that later rounds depend on and that cannot be computed from the data
//	32+h+s  32     SHA-256
//
// A slice in the state is its length in 8 bytes and then its elements. The state of trees has a fingerprint
// of the scores (a slice of bytes), the number of the next draw (8 bytes), the largest lambda of the first
// iteration (float64), the leaf values of the first tree before the objective's initial score (a slice of
// float64), for dart the weights of the trees and the scores of all sets (slices of float64), the biases of
// positions (a slice of float64), the number of trees (8 bytes), and for each tree the slices of its features
// (4 bytes each), thresholds (float64), decisions (1), gains (float64), left and right children (4), values
// and weights of inner nodes (float64), their counts (8), values and weights of leaves (float64), their
// counts (8), categories (4, 4), and then the learning rate (float64). Scores are not stored: each row gets
// the values of its leaves again, in the order of the trees, and the fingerprint verifies them. The state of
// networks has the steps done (8 bytes), weights, running values, Adam's means of gradients and of squares
// (slices of float32), the two powers of its constants (float64), the state of the schedule (8, 8, float64),
// and the weights and running values of the epoch that is kept. Random draws need no state: they are hashes
// of the seed and the number of the iteration.
const (
	checkpointMagic   = "\x8bLMC\r\n\x1a\n"
	checkpointVersion = 4 // increase it when the format changes, or the model that training gives
	checkpointSince   = "2026-11-26"
	prefaceSize       = len(checkpointMagic) + 4 + 4 + 8 + 8
)

// snapshot is the content of a checkpoint.
type snapshot struct {
	header checkpointHeader
	state  []byte
}

// checkpointHeader is the header of a checkpoint.
type checkpointHeader struct {
	Round     int        `json:"round"`
	Best      int        `json:"best_round"`
	BestValue exactFloat `json:"best_value"`
	Facts     []Fact     `json:"facts"`
	Judged    []judged   `json:"evaluated"`
	Rounds    []record   `json:"rounds"`
}

// judged is a metric on a set, with the fields of its results that are the same after all rounds.
type judged struct {
	Set      string `json:"set"`
	Metric   string `json:"metric"`
	Rules    string `json:"rules"`
	Queries  int    `json:"queries"`
	Empty    int    `json:"empty"`
	Single   int    `json:"single"`
	LeftOut  int    `json:"left_out"`
	Weighted bool   `json:"weighted"`

	Weight exactFloat `json:"weight"`
}

// record is a round that was done.
type record struct {
	Seconds      exactFloat   `json:"seconds"`
	Means        []exactFloat `json:"means,omitempty"` // of each judged
	Tied         []int        `json:"tied,omitempty"`  // of each judged
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
	header, err := json.Marshal(&s.header)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, prefaceSize+len(header)+len(s.state)+sha256.Size)
	b = append(b, checkpointMagic...)
	b = binary.LittleEndian.AppendUint32(b, checkpointVersion)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(header)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.state)))
	b = append(append(b, header...), s.state...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// decodeSnapshot returns the checkpoint with these bytes. The error wraps [ErrCheckpointDamaged] or
// [ErrCheckpointVersion].
func decodeSnapshot(b []byte) (*snapshot, error) {
	if len(b) < prefaceSize+sha256.Size || string(b[:len(checkpointMagic)]) != checkpointMagic {
		return nil, fmt.Errorf("%w: it does not begin as one, or it is cut off", ErrCheckpointDamaged)
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if version := binary.LittleEndian.Uint32(b[len(checkpointMagic):]); version != checkpointVersion {
		return nil, fmt.Errorf("format %d: %w", version, ErrCheckpointVersion)
	}
	if actual := sha256.Sum256(body); !bytes.Equal(actual[:], sum) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrCheckpointDamaged)
	}
	lengths := b[len(checkpointMagic)+8:]
	header, state := binary.LittleEndian.Uint64(lengths), binary.LittleEndian.Uint64(lengths[8:])
	rest := body[prefaceSize:]
	if header > uint64(len(rest)) || state != uint64(len(rest))-header {
		return nil, fmt.Errorf("%w: its lengths do not add up", ErrCheckpointDamaged)
	}
	s := &snapshot{state: rest[header:]}
	if err := json.Unmarshal(rest[:header], &s.header); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpointDamaged, err)
	}
	return s, s.header.check()
}

// check returns an error for a header that no run could have written.
func (h *checkpointHeader) check() error {
	if h.Round < 1 || len(h.Rounds) != h.Round || h.Best < 0 || h.Best > h.Round {
		return fmt.Errorf("%w: round %d, best %d, %d rounds", ErrCheckpointDamaged, h.Round, h.Best, len(h.Rounds))
	}
	for _, r := range h.Rounds {
		if n := len(r.Means); n != len(r.Tied) || n != 0 && n != len(h.Judged) {
			return fmt.Errorf("%w: %d values of %d metrics", ErrCheckpointDamaged, n, len(h.Judged))
		}
	}
	return nil
}

// write makes a checkpoint the newest. At every moment one of the files is a complete checkpoint of
// this run, once there is one:
//
//	write  path.next
//	rename path      ─► path.previous    for the first one of a training run, remove both instead
//	rename path.next ─► path
func (c *Checkpoints) write(b []byte, first bool) error {
	err := stream.WriteFile(c.Path+nextEnding, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	if first { // files that exist are of another run
		for _, ending := range []string{previousEnding, ""} {
			if err := os.Remove(c.Path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	} else if err := os.Rename(c.Path, c.Path+previousEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(c.Path+nextEnding, c.Path); err != nil {
		return err
	}
	if folder, err := os.Open(filepath.Dir(c.Path)); err == nil { // makes the names durable if possible
		_ = folder.Sync()
		folder.Close()
	}
	return nil
}

// read returns the newest checkpoint that is not damaged, and its file. The error wraps
// [ErrNoCheckpoint] if there is none, [ErrCheckpointDamaged] if all are damaged, and [ErrCheckpointVersion] if
// the newest one that is not damaged is of another version.
func (c *Checkpoints) read() (*snapshot, CheckpointEvent, error) {
	files := c.Files()
	if len(files) == 0 {
		return nil, CheckpointEvent{}, fmt.Errorf("%s: %w", c.Path, ErrNoCheckpoint)
	}
	var all []error
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, CheckpointEvent{}, err
		}
		s, err := decodeSnapshot(b)
		if err == nil {
			return s, CheckpointEvent{Kind: Resumed, Path: path, Round: s.header.Round, Bytes: len(b)}, nil
		}
		err = fmt.Errorf("%s: %w", path, err)
		all = append(all, err)
		if errors.Is(err, ErrCheckpointVersion) {
			return nil, CheckpointEvent{}, err
		}
		if c.Event == nil {
			break
		}
		c.Event(CheckpointEvent{Kind: Damaged, Path: path, Bytes: len(b), Err: err})
	}
	return nil, CheckpointEvent{}, fmt.Errorf("no checkpoint can be used: %w; remove the files to start from "+
		"the beginning", errors.Join(all...))
}
