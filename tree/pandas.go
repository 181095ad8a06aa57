package tree

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// pandasLists returns the lists of PandasCategorical by feature, as they are written: an entry is a text or
// a number of the data frame. It returns nil if there are no dictionaries.
func (e *Ensemble) pandasLists() map[int]json.RawMessage {
	var lists []json.RawMessage
	features := slices.Sorted(maps.Keys(e.Dictionaries))
	known := json.Unmarshal([]byte(e.PandasCategorical), &lists) == nil && len(lists) == len(features)
	all := make(map[int]json.RawMessage, len(features))
	for i, f := range features {
		if known {
			all[f] = lists[i]
			continue
		}
		all[f] = json.RawMessage(encodeList(e.Dictionaries[f]))
	}
	return all
}

// pandasLine returns the text that follows "pandas_categorical:" for lists by feature.
func pandasLine(lists map[int]json.RawMessage) string {
	inOrder := make([]json.RawMessage, 0, len(lists))
	for _, f := range slices.Sorted(maps.Keys(lists)) {
		inOrder = append(inOrder, lists[f])
	}
	return encodeList(inOrder)
}

// encodeList returns a list in one line of JSON.
func encodeList[T any](list []T) string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(list); err != nil {
		panic(err) // texts, and what has been read as JSON, can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Pandas returns the text that follows "pandas_categorical:" in a model file: PandasCategorical, or the
// dictionaries if that is empty.
func (e *Ensemble) Pandas() string {
	if e.PandasCategorical != "" || len(e.Dictionaries) == 0 {
		return e.PandasCategorical
	}
	return pandasLine(e.pandasLists())
}
