package studies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The errors of feature sets. They are returned with a place.
var (
	errSet     = errors.New("it is not a feature set: JSON with a list of features that have names")
	errFeature = errors.New("it is there a second time in the feature set")
)

// readSet reads the names of a feature set, in its order. The JSON may be as sent to the plug-in, as returned
// by the plug-in or its index, or Solr's list of features. path is for errors.
func readSet(r io.Reader, path string) ([]string, error) {
	var v any
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	names, err := namesIn(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return names, nil
}

// namesIn returns the names of the only list of features within v.
func namesIn(v any) ([]string, error) {
	switch v := v.(type) {
	case []any:
		return namesOf(v)
	case map[string]any:
		if list, ok := v["features"].([]any); ok {
			return namesOf(list)
		}
		for _, key := range []string{"featureset", "_source"} {
			if inner, ok := v[key].(map[string]any); ok {
				return namesIn(inner)
			}
		}
	}
	return nil, errSet
}

func namesOf(list []any) ([]string, error) {
	var names []string
	seen := make(map[string]bool, len(list))
	for i, one := range list {
		feature, _ := one.(map[string]any)
		name, _ := feature["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("%w; number %d has none", errSet, i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("feature %.60q: %w", name, errFeature)
		}
		names, seen[name] = append(names, name), true
	}
	if len(names) == 0 {
		return nil, errSet
	}
	return names, nil
}

// writeSubset reads a feature set as readSet does, and writes it with only the features for whose names keep
// returns true, in their order. Templates and everything else in it are unchanged. path is for errors.
func writeSubset(w io.Writer, r io.Reader, path string, keep func(name string) bool) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := readSet(bytes.NewReader(text), path); err != nil {
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
	return nil, errSet
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
