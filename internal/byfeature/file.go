package byfeature

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile bounds the bytes of a file: enough for a tree of 10,000 leaves or for 50,000 bounds.
const maxFile = 1 << 20

// ReadFile returns the content of a small file, such as one of forced splits.
func ReadFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	return text, err
}

// ErrMore means that a text has more than one JSON value.
var ErrMore = errors.New("more than one JSON value")

// DecodeJSON decodes a text that is one JSON value without unknown keys.
func DecodeJSON(text []byte, dst any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(dst); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return ErrMore
	}
	return nil
}
