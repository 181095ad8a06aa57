package featurelog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Subset reads a feature set as [ReadSet] does, and writes it with only the features for whose names keep
// returns true, in their order. Templates and everything else in it are unchanged. path is for errors.
func Subset(w io.Writer, r io.Reader, path string, keep func(name string) bool) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := ReadSet(bytes.NewReader(text), path); err != nil {
		return err
	}
	if text, err = subsetOf(text, keep); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(w)
	return err
}

// subsetOf returns the JSON of a set whose only list of features is reduced to those whose names are kept.
func subsetOf(text []byte, keep func(name string) bool) ([]byte, error) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil {
		return someOf(list, keep)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for _, key := range []string{"features", "featureset", "_source"} {
		inner, ok := fields[key]
		if !ok || bytes.Equal(inner, []byte("null")) {
			continue
		}
		var err error
		if fields[key], err = subsetOf(inner, keep); err != nil {
			return nil, err
		}
		return encode(fields)
	}
	return nil, ErrSet
}

// someOf returns the JSON of the features whose names are kept.
func someOf(list []json.RawMessage, keep func(name string) bool) ([]byte, error) {
	kept := []json.RawMessage{}
	for _, feature := range list {
		var fields map[string]any // a struct would also accept "Name" for "name"
		if err := json.Unmarshal(feature, &fields); err != nil {
			return nil, err
		}
		if name, _ := fields["name"].(string); keep(name) {
			kept = append(kept, feature)
		}
	}
	return encode(kept)
}

// encode returns the JSON of a value without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return text.Bytes(), err
}
