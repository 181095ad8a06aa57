package evaluate

import (
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Anomalies counts the gaps of a ranking for which a rule was needed. The package comment has the rules.
type Anomalies struct {
	// Documents counts rows or, for a run, its documents in queries that the qrels have. It includes the
	// other counts of documents.
	Documents       int  `json:"documents"`
	MissingScores   int  `json:"missing_scores"`            // documents without a score
	NaNScores       int  `json:"nan_scores"`                // documents whose score is NaN
	MissingTargets  int  `json:"missing_targets"`           // documents without a grade
	NaNTargets      int  `json:"nan_targets"`               // documents whose grade is NaN
	Unjudged        int  `json:"unjudged_documents"`        // ranked documents that the qrels lack
	AbsentFromRun   int  `json:"queries_absent_from_run"`   // queries of the qrels that the run lacks
	AbsentFromQrels int  `json:"queries_absent_from_qrels"` // queries of the run that the qrels lack
	Sorted          bool `json:"sorted"`                    // the rows of a query were not consecutive

	AbsentLeftOut bool `json:"-"` // queries that the run lacks were left out
	NoneRelevant  bool `json:"-"` // no query has a relevant document
}

// countScores counts the scores that are NaN.
func (a *Anomalies) countScores(scores []float64) { a.NaNScores += countNaN(scores) }

// Remarks returns sentences for the user. A warning is about an anomaly that is probably not intended, and
// names the rule that was applied. A note is about one that is normal in some rankings.
func (a *Anomalies) Remarks() (warnings, notes []string) {
	const unranked = "it is judged but not ranked: it counts in the ideal ranking and takes no rank"
	const unrankedAll = "they are judged but not ranked: they count in the ideal ranking and take no rank"
	absent, absentOne := "their rankings have no documents", "its ranking has no documents"
	if a.AbsentLeftOut {
		absent, absentOne = "they are left out", "it is left out"
	}
	for _, w := range []struct {
		count           int
		noun, one, many string
	}{
		{a.MissingScores, "document", "has no score: " + unranked, "have no score: " + unrankedAll},
		{a.NaNScores, "score", "is NaN: " + unranked, "are NaN: " + unrankedAll},
		{a.MissingTargets, "document", "has no target: it counts as 0", "have no target: it counts as 0"},
		{a.NaNTargets, "target", "is NaN: it counts as 0", "are NaN: they count as 0"},
		{a.AbsentFromRun, "query", "of the qrels is not in the run: " + absentOne,
			"of the qrels are not in the run: " + absent},
		{a.AbsentFromQrels, "query", "of the run is not in the qrels: it is left out",
			"of the run are not in the qrels: they are left out"},
	} {
		if w.count > 0 {
			warnings = append(warnings, wording.Count(w.count, w.noun)+" "+wording.Agree(w.count, w.one, w.many))
		}
	}
	if a.NoneRelevant {
		warnings = append(warnings, "no query has a relevant document, so that metrics say nothing about the "+
			"ranking: they are what the convention counts for such queries, or NaN; check the labels")
	}
	if a.Unjudged > 0 {
		notes = append(notes, wording.Count(a.Unjudged, "ranked document")+
			wording.Agree(a.Unjudged, " is not in the qrels: its relevance", " are not in the qrels: their relevance")+
			" counts as 0")
	}
	if a.Sorted {
		notes = append(notes, "the rows of a query do not follow each other: they were sorted")
	}
	return warnings, notes
}
