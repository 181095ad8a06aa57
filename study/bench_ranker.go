package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

// RankerSpec describes a ranker to compare, as an entry of the user's list.
type RankerSpec struct {
	Name     string // distinct
	Kind     string
	Settings []param.Setting
	Variants []RankerVariant // may be empty
}

// RankerVariant is one of the parameter sets from which validation chooses.
type RankerVariant struct {
	Name     string // distinct in its ranker
	Settings []param.Setting
}

// benchRanker is one of the rankers to compare: a set of parameters, or several variants from which
// validation chooses.
type benchRanker struct {
	Name     string
	Kind     string
	variants []variant
}

// variant is one set of parameters.
type variant struct {
	name string   // empty if the ranker has only one
	set  []string // parameters that were given, "name=value"
	make func() rankerLearner
}

// The kinds of boosted trees. The other kinds are the losses of package nnbaseline.
const (
	KindLambdaMART = "lambdamart"
	KindAuto       = "lambdamart-auto" // parameters that are not set are chosen by [ApplyPreset]
)

// Kinds returns the kinds of rankers.
func Kinds() []string { return append([]string{KindLambdaMART, KindAuto}, nnbaseline.Rankers()...) }

// newLearner returns a learner of one of [Kinds], with the defaults of an experiment.
func newLearner(kind string) rankerLearner {
	switch kind {
	case KindLambdaMART:
		return newTrees()
	case KindAuto:
		t := newTrees()
		t.auto = true
		return t
	}
	return newNetwork(kind)
}

// decidedParams maps each parameter that an experiment sets itself to an explanation.
var decidedParams = map[string]string{
	"seed":                       "seeds=n trains with the seeds 1 to n",
	"num_threads":                "it is the same for all rankers: give it beside them",
	"metric":                     "it is the same for all rankers: give it beside them",
	"eval_at":                    "it is the same for all rankers: give it beside them",
	"label_gain":                 "it is the same for all rankers: give it beside them",
	"metric_convention":          "it is the same for all rankers: give it beside them",
	"stop_metric":                "metric= decides",
	"stop_set":                   "the validation queries decide",
	"metric_freq":                "every iteration is judged on the validation queries",
	"is_provide_training_metric": "training queries are not judged",
}

// newRankers returns the rankers described by a list. [BenchOptions] documents which settings they get.
func newRankers(entries []RankerSpec, general, override []param.Setting) ([]benchRanker, error) {
	if len(entries) == 0 {
		return nil, fmt.Errorf("rankers= names none; there are %s", strings.Join(Kinds(), ", "))
	}
	used := map[string]bool{}
	var rankers []benchRanker
	for _, e := range entries {
		if slices.ContainsFunc(rankers, func(r benchRanker) bool { return r.Name == e.Name }) {
			return nil, fmt.Errorf("ranker %s comes twice", e.Name)
		}
		r, err := newRanker(e, general, override, used)
		if err != nil {
			return nil, err
		}
		rankers = append(rankers, r)
	}
	for _, s := range append(slices.Clone(general), override...) {
		if !used[s.Name] {
			return nil, fmt.Errorf("%v: none of the rankers has this parameter", s)
		}
	}
	return rankers, nil
}

func newRanker(e RankerSpec, general, override []param.Setting, used map[string]bool) (benchRanker,
	error) {
	r := benchRanker{Name: e.Name, Kind: e.Kind}
	if !slices.Contains(Kinds(), e.Kind) {
		return r, fmt.Errorf("ranker %q: unknown; there are %s", e.Kind, strings.Join(Kinds(), ", "))
	}
	table := newLearner(e.Kind).table()
	known := func(list []param.Setting) (mine []param.Setting) {
		for _, s := range list {
			if table.Find(s.Name) != nil {
				used[s.Name] = true
				mine = append(mine, s)
			}
		}
		return mine
	}
	general, override = known(general), known(override)
	variants := e.Variants
	if len(variants) == 0 {
		variants = []RankerVariant{{}}
	}
	for _, v := range variants {
		for _, s := range slices.Concat(general, e.Settings, v.Settings, override) {
			if p := table.Find(s.Name); p != nil && decidedParams[p.Name] != "" {
				return r, fmt.Errorf("%v: the experiment decides this: %s", s, decidedParams[p.Name])
			}
		}
		made, err := newVariant(e.Kind, v.Name, general, e.Settings, v.Settings, override)
		if err != nil {
			return r, err
		}
		r.variants = append(r.variants, made)
	}
	return r, nil
}

// newVariant returns a variant with the given settings, and checks them. Later layers replace earlier ones.
func newVariant(kind, name string, layers ...[]param.Setting) (variant, error) {
	effective, err := newLearner(kind).table().Apply(layers...)
	if err != nil {
		return variant{}, err
	}
	v := variant{name: name}
	for _, s := range effective {
		v.set = append(v.set, s.Name+"="+s.Value)
	}
	v.make = func() rankerLearner {
		l := newLearner(kind)
		if _, err := l.table().Apply(effective); err != nil {
			panic("experiment: checked settings are refused: " + err.Error())
		}
		if t, ok := l.(*treeLearner); ok {
			for _, s := range effective {
				t.given = append(t.given, s.Name)
			}
		}
		return l
	}
	return v, v.make().validate()
}
