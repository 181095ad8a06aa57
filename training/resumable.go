package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/param"
)

// Resumable is a [Learner] whose state between two rounds can be stored, for [Checkpoints]. Its
// [Values] have fingerprints ([Fingerprinted]).
type Resumable interface {
	// Facts returns what the state depends on other than the data: parameters by their names. A
	// checkpoint is used only if all of them are equal; [ParameterFacts] makes them from a table.
	Facts() []Fact

	// State appends the state to b: all that later rounds depend on and that does not follow from
	// the data and the facts. It is called between rounds.
	State(b []byte) ([]byte, error)

	// Restore brings a new learner into the state that State returned after a round. The state's
	// bytes are those that were stored, unless they were made to look so.
	Restore(state []byte, round int) error

	// Breaks reports whether Round may return when it is done in part, because ctx is cancelled. The
	// state is then stored in memory after each round.
	Breaks() bool
}

// Fingerprinted are [Values] that can be compared with those of another run.
type Fingerprinted interface {
	// Fingerprint returns a text that only equal values have. It may use so many workers; the text
	// does not depend on them.
	Fingerprint(workers int) string
}

// Fact is something that the state of a training depends on.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// digestPrefix begins values that say nothing to people.
const digestPrefix = "sha256:"

// ParameterFacts returns the parameters of a table except num_threads, on which no model depends.
func ParameterFacts(table param.Table) []Fact {
	var facts []Fact
	for _, row := range table {
		if row.Name != "num_threads" {
			facts = append(facts, Fact{row.Name, row.Value.String()})
		}
	}
	return facts
}

// dataFacts returns what identifies all data of a training.
func dataFacts[V Values](train Data[V], valid []Data[V], workers int) ([]Fact, error) {
	facts, err := train.facts("training data", workers)
	for i := range valid {
		more, e := valid[i].facts("validation set "+valid[i].Name, workers)
		facts, err = append(facts, more...), errors.Join(err, e)
	}
	return facts, err
}

// facts returns what identifies the data, each with the given word before it.
func (d *Data[V]) facts(word string, workers int) ([]Fact, error) {
	values, ok := any(d.Values).(Fingerprinted)
	if !ok {
		return nil, fmt.Errorf("%w: %T has no fingerprint", ErrNotResumable, d.Values)
	}
	m := d.Meta
	facts := []Fact{
		{"rows", fmt.Sprint(m.NumRows())},
		{"queries", fmt.Sprint(len(m.Queries))},
		{"features", fmt.Sprint(m.NumFeatures())},
		{"lengths of queries", digest(func(h *fingerprint.Hash) { addLengths(h, m) })},
		{"labels", digest(func(h *fingerprint.Hash) { h.Float64s(m.Labels) })},
		{"weights", digest(func(h *fingerprint.Hash) { h.Float64s(m.Weights) })},
		{"initial scores", digest(func(h *fingerprint.Hash) { h.Float64s(m.InitialScores) })},
		{"second labels", digest(func(h *fingerprint.Hash) { h.Float64s(m.SecondLabels) })},
		{"positions", digest(func(h *fingerprint.Hash) { addPositions(h, m) })},
		{"document ids", digest(func(h *fingerprint.Hash) { addTexts(h, m.Docs) })},
		{"feature names", digest(func(h *fingerprint.Hash) { addTexts(h, m.Features) })},
		{"column of the label", fmt.Sprint(m.LabelColumn)},
		{"values", digestPrefix + values.Fingerprint(workers)},
	}
	for i := range facts {
		facts[i].Name = word + ": " + facts[i].Name
	}
	return facts, nil
}

// digest returns the fingerprint of what add adds.
func digest(add func(h *fingerprint.Hash)) string {
	return digestPrefix + fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) { add(h) })
}

func addLengths(h *fingerprint.Hash, m *dataset.Meta) {
	for _, q := range m.Queries {
		h.Int(q.Len)
	}
}

func addPositions(h *fingerprint.Hash, m *dataset.Meta) {
	for _, p := range m.Positions {
		h.Int(int(p))
	}
	addTexts(h, m.PositionNames)
}

func addTexts(h *fingerprint.Hash, texts []string) {
	for _, s := range texts {
		h.Text(s)
	}
}

// differences says how the facts of this training differ from those of a checkpoint. A set of data that
// only one of them has is named once.
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
			all = append(all, fmt.Sprintf("%s is %s, and was %s", f.Name, quoteEmpty(f.Value), quoteEmpty(value)))
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

func quoteEmpty(value string) string {
	if value == "" {
		return `""`
	}
	return value
}
