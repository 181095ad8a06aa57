package main

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/io/data/format"
)

// ranking is what a system made of judged documents.
type ranking struct {
	system string
	// lists makes a list for each query and counts what is unusual.
	lists func(ctx context.Context, sink group.Sink, odd *oddities) error
}

// oddities count what needs a rule to be judged.
type oddities struct {
	Rows            int   `json:"documents"`
	MissingScores   int   `json:"missing_scores"`
	NaNScores       int   `json:"nan_scores"`
	MissingTargets  int   `json:"missing_targets"`
	NaNTargets      int   `json:"nan_targets"`
	Unjudged        int   `json:"unjudged_documents"`
	QueriesNotRun   int   `json:"queries_absent_from_run"`
	QueriesNotKnown int   `json:"queries_absent_from_qrels"`
	Sorted          bool  `json:"sorted"`
	StoredBytes     int64 `json:"temporary_bytes"`
}

// tell says what was found and which rule was applied.
func (d *oddities) tell(system string, absent string, messages *console) {
	warn := func(n int, what, rule string) {
		if n > 0 {
			messages.emit(warningEvent{Message: fmt.Sprintf("%s: %s %s: %s", system, thousands(n), what, rule)})
		}
	}
	const unranked = "they are judged but not ranked: they count in the ideal ranking and take no rank"
	warn(d.MissingScores, "documents have no score", unranked)
	warn(d.NaNScores, "scores are NaN", unranked)
	warn(d.MissingTargets, "documents have no target", "it counts as 0")
	warn(d.NaNTargets, "targets are NaN", "they count as 0")
	if absent == absentZero {
		warn(d.QueriesNotRun, "queries of the qrels are not in the run", "their rankings have no documents")
	} else {
		warn(d.QueriesNotRun, "queries of the qrels are not in the run", "they are left out")
	}
	warn(d.QueriesNotKnown, "queries of the run are not in the qrels", "they are left out")
	if d.Unjudged > 0 {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: %s ranked documents are not in the qrels: their relevance counts as 0", system, thousands(d.Unjudged))})
	}
	if d.Sorted {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: the rows of a query do not follow each other: they were sorted, with %s MB in a temporary file", system, thousands(d.StoredBytes/1e6))})
	}
}

// grouped makes the lists of rows, and notes how.
func (o *options) grouped(ctx context.Context, src group.Source, sink group.Sink, odd *oddities) error {
	stats, err := group.Queries(ctx, src, group.Options{Memory: int64(o.judging.sortMemory) << 20}, sink)
	odd.Rows, odd.Sorted, odd.StoredBytes = stats.Rows, stats.Sorted, stats.Stored
	return err
}

// isTable tells whether data= is a table.
func (o *options) isTable() bool {
	if o.layout.Format.IsAuto() {
		return o.data != "" && o.data != "-" && format.IsTablePath(o.data)
	}
	return o.layout.Format.IsTable()
}

// hasDocuments tells whether the input names documents.
func (o *options) hasDocuments() bool { return o.judging.qrels != "" || !o.isTable() }
