// Package featurelog reads feature sets, and the features that the learning-to-rank plug-ins of Elasticsearch
// and OpenSearch log: those of documents in responses to a search with the ext "ltr_log".
//
// A log is JSON lines. A line is a response with the id of its query added:
//
//	{"qid": "7", "hits": {"hits": [{"_id": "d1", "fields": {"_ltrlog": [{"main": [
//	    {"name": "title", "value": 9.5}, {"name": "body"}]}]}}]}}
//
// or {"qid": "7", "response": {…}} around a response as it is. "query_id" is accepted for "qid", and
// numbers for texts. A feature whose query did not match has no value; it is missing. Responses of
// a query on several lines are joined. The shape is that of the plug-in's documentation ("Logging feature
// scores") and of its LoggingFetchSubPhase.
package featurelog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The errors of logs and feature sets. They are returned with a place.
var (
	ErrNoQuery = errors.New(`the line has no id of its query; write it beside the response: ` +
		`{"qid": "7", "response": {…}}`)
	ErrNoHits = errors.New("the line is not a response of a search: it has no hits")
	ErrNoLog  = errors.New("a document has no logged features (_ltrlog); search with the ext ltr_log, as the " +
		"plug-in describes it")
	ErrLogs    = errors.New("a document has several logs; choose one by its name")
	ErrFeature = errors.New("the feature is not in the feature set")
	ErrTwice   = errors.New("it is there a second time in its query")
	ErrSet     = errors.New("it is not a feature set: JSON with a list of features that have names")
)

// Log has the logged features of documents.
type Log struct {
	Features []string        // names, in the order of Values
	Queries  []Query         // in the order of their first lines
	Absent   []string        // features of the feature set that no document has, not even without a value
	number   map[string]int  // of each feature
	logged   map[string]bool // features that a document has
	place    map[string]int
	seen     map[string]map[string]bool
}

// Query is a query with its documents, in the order of the log.
type Query struct {
	ID   string
	Docs []Document
}

// Document is a document with a value for each feature, NaN where it has none.
type Document struct {
	ID     string
	Values []float64
}

// Options control how a log is read.
type Options struct {
	// Features are the names in the wanted order; another name in the log is an error. Without them the
	// features are those of the log, in the order in which they appear.
	Features []string

	// Name is the name of the log to read, the key in _ltrlog. It is needed only if documents have several
	// logs.
	Name string

	// MissingAsZero replaces a missing value by 0, as the plug-in does with missing_as_zero.
	MissingAsZero bool
}

// line is a line of the log.
type line struct {
	QID      id `json:"qid"`
	QueryID  id `json:"query_id"`
	Hits     *hits
	Response *struct{ Hits *hits }
}

type hits struct{ Hits []hit }

type hit struct {
	ID     string `json:"_id"`
	Fields struct {
		Logs []map[string][]entry `json:"_ltrlog"`
	}
}

// entry is a feature with its value.
type entry struct {
	Name  string
	Value *float64
}

// id is a text, or a number converted to text.
type id string

// UnmarshalJSON accepts texts and numbers.
func (i *id) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(i))
	}
	var n json.Number
	err := json.Unmarshal(b, &n)
	*i = id(n)
	return err
}

// Read reads a log. path is for errors.
func Read(r io.Reader, path string, o Options) (*Log, error) {
	l := &Log{Features: slices.Clone(o.Features), number: map[string]int{}, logged: map[string]bool{},
		place: map[string]int{}, seen: map[string]map[string]bool{}}
	for f, name := range slices.Backward(l.Features) { // the first of equal names wins
		l.number[name] = f
	}
	in := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			if err := l.add(text, o); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, number, err)
			}
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	l.complete(o)
	return l, nil
}

// add adds the documents of a line.
func (l *Log) add(text []byte, o Options) error {
	var in line
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	query, found := string(in.QID), in.Hits
	if query == "" {
		query = string(in.QueryID)
	}
	if in.Response != nil {
		found = in.Response.Hits
	}
	switch {
	case query == "":
		return ErrNoQuery
	case found == nil:
		return ErrNoHits
	}
	at, known := l.place[query]
	if !known {
		at = len(l.Queries)
		l.place[query], l.seen[query] = at, map[string]bool{}
		l.Queries = append(l.Queries, Query{ID: query})
	}
	for _, h := range found.Hits {
		values, err := l.values(h, o)
		if err != nil {
			return fmt.Errorf("document %.60q: %w", h.ID, err)
		}
		if l.seen[query][h.ID] {
			return fmt.Errorf("document %.60q: %w", h.ID, ErrTwice)
		}
		l.seen[query][h.ID] = true
		l.Queries[at].Docs = append(l.Queries[at].Docs, Document{h.ID, values})
	}
	return nil
}

// values returns the values of a document for the features known so far.
func (l *Log) values(h hit, o Options) ([]float64, error) {
	entries, err := logOf(h, o.Name)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(l.Features), max(len(l.Features), len(entries)))
	for i := range values {
		values[i] = math.NaN()
	}
	given := make(map[string]bool, len(entries))
	for _, e := range entries {
		if given[e.Name] {
			return nil, fmt.Errorf("feature %.60q: %w", e.Name, ErrTwice)
		}
		given[e.Name], l.logged[e.Name] = true, true
		f, known := l.number[e.Name]
		if !known && o.Features != nil {
			return nil, fmt.Errorf("feature %.60q: %w", e.Name, ErrFeature)
		} else if !known {
			f = len(l.Features)
			l.number[e.Name] = f
			l.Features, values = append(l.Features, e.Name), append(values, math.NaN())
		}
		if e.Value != nil {
			values[f] = *e.Value
		}
	}
	return values, nil
}

// logOf returns the entries of a document's log.
func logOf(h hit, name string) ([]entry, error) {
	var all [][]entry
	var names []string
	for _, logs := range h.Fields.Logs {
		for key, entries := range logs {
			if name == "" || key == name {
				all, names = append(all, entries), append(names, key)
			}
		}
	}
	switch {
	case len(all) == 0 && name != "":
		return nil, fmt.Errorf("%w, or not one named %q", ErrNoLog, name)
	case len(all) == 0:
		return nil, ErrNoLog
	case len(all) > 1:
		slices.Sort(names)
		return nil, fmt.Errorf("%w: %s", ErrLogs, strings.Join(names, ", "))
	}
	return all[0], nil
}

// complete gives every document a value for every feature, and lists the features that no document has.
func (l *Log) complete(o Options) {
	l.Absent = slices.DeleteFunc(slices.Clone(l.Features), func(name string) bool { return l.logged[name] })
	for q := range l.Queries {
		for d := range l.Queries[q].Docs {
			values := &l.Queries[q].Docs[d].Values
			for len(*values) < len(l.Features) {
				*values = append(*values, math.NaN())
			}
			for i, v := range *values {
				if o.MissingAsZero && math.IsNaN(v) {
					(*values)[i] = 0
				}
			}
		}
	}
}

// Documents returns the logged documents of a query.
func (l *Log) Documents(query string) map[string]bool { return l.seen[query] }

// ReadSet reads the names of a feature set, in its order. The JSON may be as sent to the plug-in, as returned
// by the plug-in or its index, or Solr's list of features. path is for errors.
func ReadSet(r io.Reader, path string) ([]string, error) {
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
	return nil, ErrSet
}

func namesOf(list []any) ([]string, error) {
	var names []string
	seen := make(map[string]bool, len(list))
	for i, one := range list {
		feature, _ := one.(map[string]any)
		name, _ := feature["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("%w; number %d has none", ErrSet, i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("feature %.60q: %w", name, ErrTwice)
		}
		names, seen[name] = append(names, name), true
	}
	if len(names) == 0 {
		return nil, ErrSet
	}
	return names, nil
}
