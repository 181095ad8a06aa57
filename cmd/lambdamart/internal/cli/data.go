package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/study"
)

// ShowSet emits a description of a set of data and the remarks of its reader. Remarks about the file come
// first, and remarks about the values last.
func ShowSet(s *data.Set, messages *Console) {
	showRemarks(s, messages, true)
	messages.EndProgress()
	e := newDataEvent(s)
	messages.Emit(study.Event{Kind: "data", Level: 1, Text: e.String(), Fields: e})
	showRemarks(s, messages, false)
}

// Open opens a data file, and reports what was guessed about its columns. It sets o's progress function to
// the one of messages.
func Open(path string, o data.Options, messages *Console) (*data.File, error) {
	o.Progress = messages.Reading()
	f, err := data.Open(path, o)
	if err != nil {
		return nil, DataError(err)
	}
	messages.Note(f.Remarks...)
	return f, nil
}

// OpenFor is like Open, for a file whose rows will be scored by the model of another file.
func OpenFor(m lambdamart.Model, model, path string, o data.Options, messages *Console) (*data.File, error) {
	o.Progress = messages.Reading()
	f, err := data.OpenFor(m, path, o)
	if err != nil {
		return nil, OpenError(model, err)
	}
	messages.Note(f.Remarks...)
	return f, nil
}

// showRemarks emits the remarks on the file, or those on its values.
func showRemarks(s *data.Set, messages *Console, ofFile bool) {
	for _, r := range s.Remarks {
		switch {
		case r.OfFile != ofFile:
		case r.IsWarning:
			messages.Warn(r.Text)
		default:
			messages.Note(r.Text)
		}
	}
}

// DataEvent describes a set of data.
type DataEvent struct {
	Set                 string       `json:"set"`
	Path                string       `json:"path"`
	Rows                int          `json:"rows"`
	Queries             int          `json:"queries"`
	Features            int          `json:"features"`
	Documents           [3]int       `json:"documents_min_median_max"`
	Labels              []LabelCount `json:"labels"`
	QueriesWithoutPairs int          `json:"queries_without_pairs"`
	EmptyQueries        int          `json:"empty_queries"` // queries without rows, which are left out
	NaNs                int64        `json:"nan_values"`
	NaNFeatures         int          `json:"nan_features"` // number of features with NaN
	Seconds             metric.Value `json:"seconds"`

	// If peers share the data: all other fields are about the part of peer 0.
	Ranks     int `json:"ranks,omitempty"`
	RowsOf    int `json:"rows_of_all_ranks,omitempty"`
	QueriesOf int `json:"queries_of_all_ranks,omitempty"`

	counted string // the features as people count them; Features counts columns
}

// LabelCount is the number of rows with a label.
type LabelCount struct {
	Label metric.Value `json:"label"`
	Rows  int          `json:"rows"`
}

// newDataEvent describes a set. Missing values are counted only in sets that have bins.
func newDataEvent(set *data.Set) DataEvent {
	e := describe(set.Name, set.Path, set.Meta, set.Reading+set.Binning)
	e.counted = CountFeatures(set).String()
	if part := set.Meta.Part; part != nil {
		e.Ranks, e.RowsOf, e.QueriesOf = part.Peers.Size(), part.Rows, part.Queries
	}
	if set.Bins == nil {
		return e
	}
	for _, n := range set.Bins.NaNs {
		if n > 0 {
			e.NaNs, e.NaNFeatures = e.NaNs+n, e.NaNFeatures+1
		}
	}
	return e
}

func describe(name, path string, meta *dataset.Meta, took time.Duration) DataEvent {
	e := DataEvent{
		Set: name, Path: path, Rows: meta.NumRows(), Queries: len(meta.Queries), Features: meta.NumFeatures(),
		Labels: countLabels(meta.Labels), EmptyQueries: meta.EmptyQueries, Seconds: metric.Value(took.Seconds()),
	}
	docs := make([]int, len(meta.Queries))
	for i, q := range meta.Queries {
		docs[i] = q.Len
		if !meta.HasPairs(i) {
			e.QueriesWithoutPairs++
		}
	}
	if len(docs) > 0 {
		slices.Sort(docs)
		e.Documents = [3]int{docs[0], docs[(len(docs)-1)/2], docs[len(docs)-1]}
	}
	return e
}

// countLabels returns the different labels, ascending, with the number of rows of each.
func countLabels(labels []float64) (counts []LabelCount) {
	rows := map[float64]int{}
	for _, l := range labels {
		rows[l]++
	}
	for _, l := range slices.Sorted(maps.Keys(rows)) {
		counts = append(counts, LabelCount{metric.Value(l), rows[l]})
	}
	return counts
}

func (e DataEvent) String() string {
	text := fmt.Sprintf("%s: %s: %s rows in %s queries of %d to %d documents (median %d), %s; read "+
		"in %.1f s\n  labels: %s; queries without pairs: %s",
		e.Set, e.Path, wording.Thousands(e.Rows), wording.Thousands(e.Queries), e.Documents[0], e.Documents[2],
		e.Documents[1], e.counted,
		float64(e.Seconds), e.labels(), wording.Thousands(e.QueriesWithoutPairs))
	if e.Ranks > 0 {
		text = fmt.Sprintf("%s: %s: %s rows in %s queries on %d peers, of which peer 0 has these:\n", e.Set, e.Path,
			wording.Thousands(e.RowsOf), wording.Thousands(e.QueriesOf), e.Ranks) + text
	}
	if e.EmptyQueries > 0 {
		text += "; queries without rows, left out: " + wording.Thousands(e.EmptyQueries)
	}
	if e.NaNs > 0 {
		text += fmt.Sprintf("; missing (NaN): %s values, of %d features", wording.Thousands(e.NaNs), e.NaNFeatures)
	}
	return text
}

// mostLabels is the maximum number of labels that are listed.
const mostLabels = 10

func (e DataEvent) labels() string {
	var parts []string
	for i, l := range e.Labels {
		if i == mostLabels {
			parts = append(parts, fmt.Sprintf("and %d more values", len(e.Labels)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%v × %s", float64(l.Label), wording.Thousands(l.Rows)))
	}
	return strings.Join(parts, ", ")
}

// FeatureCount is the number of features as people count them: without columns of a table that are query ids
// or are ignored, and without column 0 of LETOR text that numbers features from 1.
type FeatureCount struct {
	N int

	numbered    bool // features have numbers in the file, from first to last
	first, last int
}

func (c FeatureCount) String() string {
	if !c.numbered {
		return fmt.Sprintf("%d features", c.N)
	}
	return fmt.Sprintf("%d features, numbered %d to %d", c.N, c.first, c.last)
}

// CountFeatures counts the features of a set.
func CountFeatures(set *data.Set) FeatureCount {
	m := set.Meta
	c := FeatureCount{N: m.NumFeatures() - len(set.NotFeatures)}
	if !m.Numbered || m.NumFeatures() == 0 {
		return c
	}
	// Numbers of features that are computed from a query (Context) are not in the file.
	c.numbered, c.last = m.Context == nil, m.NumFeatures()-1
	switch {
	case m.Numbering == dataset.FromOne:
		c.first, c.last = 1, c.last+1
	case m.Numbering == dataset.Unnumbered && (set.Bins == nil || set.Bins.Mapper.Features[0].Constant()):
		c.first, c.N = 1, c.N-1
	}
	return c
}
