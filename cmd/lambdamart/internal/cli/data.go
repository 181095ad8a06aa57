package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
)

// ShowSet emits a description of a set of data and the remarks of its reader. Remarks about the file come
// first, and remarks about the values last.
func ShowSet(s *data.Set, messages *Console) {
	showRemarks(s, messages, true)
	messages.EndProgress()
	text, facts := describe(s)
	messages.Say("data", text, facts...)
	showRemarks(s, messages, false)
}

// Open opens a data file, and reports what was guessed about its columns. It sets o's progress function to
// the one of messages.
func Open(path string, o data.Options, messages *Console) (*data.File, error) {
	o.Progress = messages.Reading()
	f, err := data.Open(path, o)
	if err == nil {
		messages.Note(f.Remarks...)
	}
	return f, err
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

// describe describes a set for people and for programs. If peers share the data, only what is of all peers is
// about more than the part of peer 0. Missing values are counted only in sets that have bins.
func describe(set *data.Set) (text string, facts []any) {
	m, seconds := set.Meta, (set.Reading + set.Binning).Seconds()
	documents, withoutPairs := countQueries(m)
	labels, listed := countLabels(m.Labels)
	_, features := CountFeatures(set)
	text = fmt.Sprintf("%s: %s: %s in %s of %s to %s (median %s), %s; read in %.1f s\n"+
		"  labels: %s; queries without pairs: %s", set.Name, set.Path, wording.Count(m.NumRows(), "row"),
		wording.Count(len(m.Queries), "query"), wording.Thousands(documents[0]),
		wording.Count(documents[2], "document"), wording.Thousands(documents[1]), features, seconds,
		listed, wording.Thousands(withoutPairs))
	nans, nanFeatures := int64(0), 0 // number of values, and of features with any
	if set.Bins != nil {
		for _, n := range set.Bins.NaNs {
			if n > 0 {
				nans, nanFeatures = nans+n, nanFeatures+1
			}
		}
	}
	facts = []any{"set", set.Name, "path", set.Path, "rows", m.NumRows(), "queries", len(m.Queries),
		"features", m.NumFeatures(), "documents_min_median_max", documents, "labels", labels,
		"queries_without_pairs", withoutPairs, "empty_queries", m.EmptyQueries, "nan_values", nans,
		"nan_features", nanFeatures, "seconds", seconds}
	if all := m.Part; all != nil {
		peers := all.Peers.Size()
		text = fmt.Sprintf("%s: %s: %s in %s on %d peers, of which peer 0 has these:\n", set.Name,
			set.Path, wording.Count(all.Rows, "row"), wording.Count(all.Queries, "query"), peers) + text
		facts = append(facts, "ranks", peers, "rows_of_all_ranks", all.Rows, "queries_of_all_ranks", all.Queries)
	}
	if m.EmptyQueries > 0 {
		text += "; queries without rows, left out: " + wording.Thousands(m.EmptyQueries)
	}
	if nans > 0 {
		text += fmt.Sprintf("; missing (NaN): %s, of %s", wording.Count(nans, "value"),
			wording.Count(nanFeatures, "feature"))
	}
	return text, facts
}

// countQueries returns the fewest documents of a query, the median and the most, and the number of queries
// without pairs.
func countQueries(m *dataset.Meta) (documents [3]int, withoutPairs int) {
	docs := make([]int, len(m.Queries))
	for i, q := range m.Queries {
		docs[i] = q.Len
		if !m.HasPairs(i) {
			withoutPairs++
		}
	}
	slices.Sort(docs)
	if n := len(docs); n > 0 {
		documents = [3]int{docs[0], docs[(n-1)/2], docs[n-1]}
	}
	return documents, withoutPairs
}

// countLabels returns the different labels, ascending, with the number of rows of each, and the first of them
// as text.
func countLabels(labels []float64) (counts []report.Record, listed string) {
	const most = 10
	rows := map[float64]int{}
	for _, l := range labels {
		rows[l]++
	}
	var texts []string
	for _, l := range slices.Sorted(maps.Keys(rows)) {
		counts = append(counts, report.Record{"label", l, "rows", rows[l]})
		texts = append(texts, fmt.Sprintf("%v × %s", l, wording.Thousands(rows[l])))
	}
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], "and "+wording.Count(more, "more value"))
	}
	return counts, strings.Join(texts, ", ")
}

// CountFeatures counts the features of a set as people do, without columns of a table that are query ids or
// are ignored, and without column 0 of LETOR text that numbers features from 1, whatever tables beside it
// have there. The text has their numbers in the file, if they have any.
func CountFeatures(set *data.Set) (n int, text string) {
	m := set.Meta
	first, last := 0, m.NumFeatures()-1
	switch {
	case !m.Numbered || last < 0:
		n = m.NumFeatures() - len(set.NotFeatures)
		return n, wording.Count(n, "feature")
	case m.Numbering == dataset.FromOne:
		first, last = 1, last+1
	case m.Numbering == dataset.Unnumbered && (set.Bins == nil || set.Bins.Mapper.Features[0].Constant()):
		first = 1
	}
	n = last - first + 1
	if m.Context != nil { // features that are computed from a query are not in the file
		return n, wording.Count(n, "feature")
	}
	if n == 1 {
		return n, fmt.Sprintf("1 feature, number %d", first)
	}
	return n, fmt.Sprintf("%s, numbered %d to %d", wording.Count(n, "feature"), first, last)
}
