// Package kept writes what a run has done to files, and reads it when the same run continues.
//
// A file is a JSON object: the key of all that the result depends on, the SHA-256 of the result's text
// without white space, and the result. A result of other data or parameters, or with a changed byte, is an
// error, since what continues from it would be wrong and not show it.
package kept

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lambdamart/lambdamart/io/stream"
)

// What a file can have in place of the result of a key.
var (
	ErrKey     = errors.New("it is of another run")
	ErrDamaged = errors.New("it is damaged: its checksum does not fit")

	// ErrIncomplete is for callers: the checksum fits, and the result is none that a run writes.
	ErrIncomplete = errors.New("it is not complete")
)

// file is the content of a file.
type file struct {
	Key    string          `json:"key"`
	SHA256 string          `json:"sha256"`
	Result json.RawMessage `json:"result"`
}

// Write writes a result to a file, completely or not at all.
func Write(path, key string, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return stream.WriteFile(path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(file{key, checksum(text), text})
	})
}

// Read reads the result of a key into what result points to. The error wraps [io/fs.ErrNotExist], [ErrKey] or
// [ErrDamaged], or says what is not JSON.
func Read(path, key string, result any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return decode(text, key, result)
}

func decode(text []byte, key string, result any) error {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if f.Key != key {
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
