package metric

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/nearest"
)

// DefaultPersistence is that of "rbp" without a number: Moffat and Zobel's for
// common readers of web search.
const DefaultPersistence = 0.8

// kinds are the metrics that [Parse] knows, with the other names that tools have
// for them.
var kinds = [...]struct {
	name    string
	aliases []string
	make    func(c Convention, k int) Metric
}{
	{"ndcg", nil, NDCG},
	{"dcg", nil, DCG},
	{"meanndcg", nil, func(c Convention, _ int) Metric { return MeanNDCG(c) }},
	{"map", []string{"ap"}, MAP},
	{"mrr", []string{"rr", "recip_rank"}, MRR},
	{"p", []string{"precision", "pre"}, Precision},
	{"recall", nil, Recall},
	{"err", nil, ERR},
	{"rbp", nil, func(c Convention, k int) Metric { return RBP(c, DefaultPersistence, k) }},
}

// Names returns the names that [Parse] takes, without aliases.
func Names() []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.name)
	}
	return names
}

// Parse returns the metric that spec names under the convention c: a name, and
// a cut-off after "@" unless all ranks are meant ("ndcg@10", "map"). The
// persistence of rbp may follow a colon ("rbp:0.95@20"). The error for an unknown
// name suggests the nearest one.
func Parse(spec string, c Convention) (Metric, error) {
	name, cutoff, hasCutoff := strings.Cut(strings.ToLower(strings.TrimSpace(spec)), "@")
	k := 0
	if hasCutoff {
		var err error
		if k, err = strconv.Atoi(cutoff); err != nil || k < 1 {
			return nil, fmt.Errorf("metric: cut-off %q of %q: want a whole number above 0, such as %s@10", cutoff, spec, name)
		}
	}
	name, parameter, hasParameter := strings.Cut(name, ":")
	switch {
	case hasParameter && name == "rbp":
		return parseRBP(spec, parameter, c, k)
	case hasParameter:
		return nil, fmt.Errorf("metric: %q: only rbp has a number after a colon, as in rbp:0.95", spec)
	case name == "meanndcg" && hasCutoff:
		return nil, fmt.Errorf("metric: %q: meanndcg is the mean over all cut-offs and takes none", spec)
	}
	return parseKind(spec, name, c, k)
}

func parseRBP(spec, parameter string, c Convention, k int) (Metric, error) {
	persistence, err := strconv.ParseFloat(parameter, 64)
	if err != nil || !(persistence >= 0 && persistence < 1) {
		return nil, fmt.Errorf("metric: persistence %q of %q: want a number from 0 to below 1, as in rbp:0.95", parameter, spec)
	}
	return RBP(c, persistence, k), nil
}

func parseKind(spec, name string, c Convention, k int) (Metric, error) {
	for _, kind := range kinds {
		for _, alias := range append([]string{kind.name}, kind.aliases...) {
			if alias == name {
				return kind.make(c, k), nil
			}
		}
	}
	return nil, fmt.Errorf("metric: no metric %q; did you mean %q? There are %s",
		spec, at(nearest.Name(name, Names()), k), strings.Join(Names(), ", "))
}
