package rounds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// notTrainedOn are facts of data on which no model depends, or which model files contain anyway: the same
// data has the same hash in each form, although a table of it can have more columns, and so other numbers.
var notTrainedOn = []string{"document ids", "features", "feature names", "column of the label",
	"numbers of the features that vary"}

// Provenance returns the facts about a run that are stored in its model's file: the program's version, the
// numbers of rows, queries and features, a hash of all data that training uses, and the best round. They are
// the same for any layout of the values in memory and for any number of peers. All peers must call it.
func Provenance[V Values, M any](train training.Data[V], valid []training.Data[V], workers int,
	r *training.Result[M]) []param.Setting {
	facts := factsOf(&train, "", workers)
	all := []param.Setting{
		{Name: provenance.Version, Value: provenance.Release},
		{Name: provenance.Rows, Value: facts[0].Value},
		{Name: provenance.Queries, Value: facts[1].Value},
		{Name: provenance.Features, Value: facts[2].Value},
	}
	all = append(all, provenance.FactOfAbsent(train.Meta.Absent)...)
	all = append(all, provenance.FactOfNumbering(train.Meta.Numbering)...)
	all = append(all, param.Setting{Name: provenance.DataHash, Value: hashOf(facts)})
	var hashes []string
	for i := range valid {
		hashes = append(hashes, hashOf(factsOf(&valid[i], "", workers)))
	}
	if hashes != nil {
		all = append(all, param.Setting{Name: provenance.ValidHash, Value: strings.Join(hashes, ",")})
	}
	return append(all, bestFacts(r)...)
}

// bestFacts returns the best round and its value, of each member if r is an ensemble.
func bestFacts[M any](r *training.Result[M]) []param.Setting {
	results := []*training.Result[M]{r}
	if r.Members != nil {
		results = nil
	}
	for i := range r.Members {
		results = append(results, &r.Members[i].Result)
	}
	var rounds, values []string
	metric := ""
	for _, one := range results {
		rounds = append(rounds, strconv.Itoa(one.Best))
		values = append(values, strconv.FormatFloat(one.BestValue, 'g', -1, 64))
		metric, _, _ = strings.Cut(one.Watched, " on ")
	}
	if metric == "" {
		return nil
	}
	return []param.Setting{
		{Name: provenance.BestIteration, Value: strings.Join(rounds, ",")},
		{Name: provenance.BestScore, Value: strings.Join(values, ",")},
		{Name: provenance.BestMetric, Value: metric},
	}
}

// hashOf returns the hash of the facts of data on which models depend. Names are hashed with the colon that
// the hashes of earlier models have.
func hashOf(facts []Fact) string {
	var texts []string
	for _, f := range facts {
		if !slices.Contains(notTrainedOn, f.Name) {
			texts = append(texts, ": "+f.Name, f.Value)
		}
	}
	return digest(texts)
}
