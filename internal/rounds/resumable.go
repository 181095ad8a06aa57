package rounds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Resumable is a [Learner] whose state between two rounds can be stored, for [training.Checkpoints].
type Resumable interface {
	// Facts returns everything except the data that the state depends on: parameters by their names. A
	// checkpoint is used only if all of them are equal; [ParameterFacts] makes them from a table.
	Facts() []Fact

	// State returns the state as JSON: everything that later rounds depend on and that cannot be computed from
	// the data and the facts. It is called between rounds.
	State() ([]byte, error)

	// Restore brings a new learner into the state that State returned after a round. The checksum of the file
	// has been verified, but a forged file can have any JSON as its state.
	Restore(state []byte, round int) error

	// Breaks reports whether Round may return in the middle of a round when ctx is canceled. If so, the
	// state is stored in memory after each round.
	Breaks() bool
}

// Fact is something that the state of a training run depends on.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// digestPrefix is the prefix of values that are hashes: a message says that they
// differ, but does not show them.
const digestPrefix = "fingerprint:"

// ParameterFacts returns the parameters of a table on which models depend.
func ParameterFacts(table param.Table) []Fact {
	var facts []Fact
	for _, row := range table {
		if !row.SameModel {
			facts = append(facts, Fact{row.Name, row.Value.String()})
		}
	}
	return facts
}

// dataFacts returns the facts that identify all data of a training run.
func dataFacts[V Values](train training.Data[V], valid []training.Data[V], workers int) []Fact {
	facts := factsOf(&train, "training data: ", workers)
	for i := range valid {
		facts = append(facts, factsOf(&valid[i], "validation set "+valid[i].Name+": ", workers)...)
	}
	return facts
}

// moreLabels is the name of the fact about further labels. It dates from when there was one, and remains
// because hashes in models include it.
const moreLabels = "second labels"

// digestOf returns the digest of names; empty if there are none.
func digestOf(names []string) string {
	if names == nil {
		return ""
	}
	return digest(names)
}

// factsOf returns the facts that identify the data, each with the given prefix. The facts do not
// depend on how many peers have parts of the data.
func factsOf[V Values](d *training.Data[V], prefix string, workers int) []Fact {
	m := d.Meta
	sums := sumsOf(m)
	first, _ := m.Part.First()
	numbers, whole, sum := d.Values.Fingerprint(first, workers)
	sums = append(sums, sum)
	queries := addUp(m.Part, sums, len(m.Queries))
	facts := []Fact{
		{"rows", fmt.Sprint(m.AllRows())},
		{"queries", fmt.Sprint(queries)},
		{"features", fmt.Sprint(m.NumFeatures())},
		{"lengths of queries", digestPrefix + sums[0].String()},
		{"labels", digestPrefix + sums[1].String()},
		{"weights", digestPrefix + sums[2].String()},
		{"initial scores", digestPrefix + sums[3].String()},
		{moreLabels, digestPrefix + sums[4].String() + digestOf(m.LabelNames())},
		{"positions", digestPrefix + sums[5].String() + digest(m.PositionNames)},
		{"document ids", digestPrefix + sums[6].String()},
		{"feature names", digestPrefix + digest(m.Features)},
		{"column of the label", fmt.Sprint(m.LabelColumn)},
		{"numbers of the features that vary", digestPrefix + numbers},
		{"values", digestPrefix + whole + sums[8].String()},
	}
	if m.Pairs != nil { // only then: hashes in models include the facts
		facts = append(facts, Fact{"pairs", digestPrefix + sums[7].String()})
	}
	for i := range facts {
		facts[i].Name = prefix + facts[i].Name
	}
	return facts
}

// sumsOf returns the sums of all but the values: by the lengths of queries, labels, weights, initial scores,
// further labels, positions, document ids and pairs.
func sumsOf(m *dataset.Meta) []fingerprint.Sum {
	first, query := m.Part.First()
	sums := make([]fingerprint.Sum, 8)
	for i, q := range m.Queries {
		sums[0].Int(query+i, q.Len)
	}
	for i, values := range [][]float64{m.Labels, m.Weights, m.InitialScores} {
		sums[1+i].Float64s(first, values)
	}
	for i, l := range m.More {
		sums[4].Float64s(first+i*m.AllRows(), l.Values)
	}
	for row, p := range m.Positions {
		sums[5].Int(first+row, int(p))
	}
	for row, text := range m.Docs {
		sums[6].Text(first+row, text)
	}
	for _, p := range m.Pairs {
		sums[7].Text(query+p.Query, fmt.Sprint(p.Better, p.Worse, p.Weight))
	}
	return sums
}

// addUp adds sums up over all peers, and returns the sum of n.
func addUp(part *dataset.Part, sums []fingerprint.Sum, n int) int {
	words := []int64{int64(n)}
	for _, s := range sums {
		words = append(words, int64(s[0]), int64(s[1]))
	}
	part.Group().Sum(words)
	for i := range sums {
		sums[i] = fingerprint.Sum{uint64(words[2*i+1]), uint64(words[2*i+2])}
	}
	return int(words[0])
}

// digest returns the fingerprint of texts that all peers have.
func digest(texts []string) string {
	return fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) {
		for _, s := range texts {
			h.Text(s)
		}
	})
}

// differences returns how the facts of this run differ from the facts of a checkpoint, in words. A set of
// data that only one of them has is named once.
func differences(now, before []Fact) []string {
	old := map[string]string{}
	for _, f := range before {
		old[f.Name] = f.Value
	}
	var all []string
	for _, f := range now {
		value, known := old[f.Name]
		delete(old, f.Name)
		switch {
		case !known:
			all = append(all, subject(f)+" was not there")
		case value == f.Value:
		case strings.HasPrefix(value, digestPrefix):
			all = append(all, f.Name+" differ")
		default:
			all = append(all, fmt.Sprintf("%s is %s, and was %s", f.Name, cmp.Or(f.Value, `""`), cmp.Or(value, `""`)))
		}
	}
	for _, f := range before {
		if _, left := old[f.Name]; left {
			all = append(all, subject(f)+" is not there any more")
		}
	}
	return slices.Compact(all)
}

// subject returns what a fact is about: a parameter, or a set of data.
func subject(f Fact) string {
	name, _, _ := strings.Cut(f.Name, ": ")
	return name
}
