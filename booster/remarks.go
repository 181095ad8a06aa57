package booster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/objective"
)

// Remarks returns what a user should know about a training run on d, one sentence per entry: warnings of data
// that is not used, and notes on how the rest is used. own means that the objective is the caller's.
func (p *Params) Remarks(d Data, own bool) (warnings, notes []string) {
	add := func(list *[]string, text string) {
		if text != "" {
			*list = append(*list, text)
		}
	}
	add(&warnings, labelsRemark(p, d.Meta, own))
	add(&warnings, pairsRemark(p, d.Meta, own))
	add(&warnings, noiseRemark(p, d.Meta, own))
	add(&warnings, interactionsRemark(p, d))
	add(&warnings, byNodeRemark(p, d))
	add(&notes, p.ActiveRemark(d.Meta.AllRows()))
	if text, ignored := positionsRemark(p, d.Meta, own); ignored {
		add(&warnings, text)
	} else {
		add(&notes, text)
	}
	return warnings, notes
}

// labelsRemark returns a remark if training reads only some of several labels. own means that the objective
// is the caller's.
func labelsRemark(p *Params, m *dataset.Meta, own bool) string {
	if own && m.More != nil {
		return "only the first of the labels is trained on: an objective of your own does not get the others"
	}
	read := map[string]bool{}
	for _, o := range p.objectives() {
		for _, label := range objective.Labels(o) {
			read[label] = true
		}
	}
	var unread []string
	for _, l := range m.More {
		if !read[l.Name] {
			unread = append(unread, l.Name)
		}
	}
	if unread == nil {
		return ""
	}
	return fmt.Sprintf("labels that are not trained on: %s; objective=lambdarank:1,lambdarank@%s:0.2 reads them",
		strings.Join(unread, ", "), unread[0])
}

// noiseRemark returns a remark if no query has documents of two grades, and rank_xendcg, which draws random
// targets, trains on them all the same. own means that the objective is the caller's.
func noiseRemark(p *Params, m *dataset.Meta, own bool) string {
	if own || m.More != nil || m.Part.Group().Size() > 1 ||
		!slices.Contains(p.objectives(), "rank_xendcg") || m.AnyPairs() {
		return ""
	}
	return "no query has documents of two different grades, so that rank_xendcg learns nothing but its random " +
		"draws; check the labels and the query ids"
}

// pairsRemark returns a remark if the pairs of an iteration take long. own means that the objective is the
// caller's.
func pairsRemark(p *Params, m *dataset.Meta, own bool) string {
	usesPairs := func(o string) bool { return objective.Uses(o, "lambdarank_truncation_level") }
	if own || !slices.ContainsFunc(p.objectives(), usesPairs) {
		return ""
	}
	load := pairwise.LoadOf(m, func(labels []float64) float64 {
		return p.NumPairs(len(labels))
	})
	advice := "set lambdarank_pair_method=mean, which draws pairs"
	switch name := p.PairLimit(); name {
	case "":
	case "lambdarank_truncation_level":
		advice = fmt.Sprintf("lower %s, which is %d", name, p.LambdarankTruncationLevel)
	default:
		advice = fmt.Sprintf("lower %s, which is %d", name, p.LambdarankNumPairPerSample)
	}
	return load.Remark("an iteration", advice)
}
