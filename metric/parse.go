package metric

import (
	"fmt"
	"strconv"
	"strings"
)

// kinds are the metrics that [Parse] knows.
var kinds = [...]struct {
	name string
	make func(c Convention, k int) Metric
}{
	{"ndcg", NDCG},
	{"dcg", DCG},
}

// Parse returns the metric that spec names under the convention c: a name, and
// a cut-off after "@" unless all ranks are meant ("ndcg@10", "dcg"). The error
// for an unknown name suggests the nearest one.
func Parse(spec string, c Convention) (Metric, error) {
	name, cutoff, hasCutoff := strings.Cut(strings.ToLower(strings.TrimSpace(spec)), "@")
	k := 0
	if hasCutoff {
		var err error
		if k, err = strconv.Atoi(cutoff); err != nil || k < 1 {
			return nil, fmt.Errorf("metric: cut-off %q of %q: want a whole number above 0, such as %s@10", cutoff, spec, name)
		}
	}
	var names []string
	for _, kind := range kinds {
		if kind.name == name {
			return kind.make(c, k), nil
		}
		names = append(names, kind.name)
	}
	return nil, fmt.Errorf("metric: no metric %q; did you mean %q? There are %s",
		spec, at(nearest(name, names), k), strings.Join(names, ", "))
}
