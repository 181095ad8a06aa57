package metric

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Parse returns the metric that spec names under the convention c. A spec is the name or an alias
// of one of [Kinds], in upper or lower case; then, for a kind that takes a number, perhaps a colon
// and the number ("rbp:0.95"); then, unless all ranks count, "@" and the cut-off ("ndcg@10",
// "rbp:0.95@20"). The error for an unknown name suggests the nearest one.
func Parse(spec string, c Convention) (Metric, error) {
	return parse(Kinds(), spec, c)
}

// parse is Parse for the names of a register.
func parse(kinds []Kind, spec string, c Convention) (Metric, error) {
	name, cutoff, hasCutoff := strings.Cut(strings.ToLower(strings.TrimSpace(spec)), "@")
	k := 0
	if hasCutoff {
		var err error
		if k, err = strconv.Atoi(cutoff); err != nil || k < 1 {
			return nil, fmt.Errorf("metric: cut-off %q of %q: want a whole number above 0, such as %s@10", cutoff, spec, name)
		}
	}
	name, text, hasNumber := strings.Cut(name, ":")
	kind, known := find(kinds, name)
	if hasNumber && kind.Number == nil {
		return nil, errNoNumber(kinds, spec)
	}
	if !known {
		return nil, errUnknown(kinds, spec, name, k)
	}
	if err := kind.checkCutoff(spec, hasCutoff); err != nil {
		return nil, err
	}
	number, err := kind.parseNumber(spec, text, hasNumber)
	if err != nil {
		return nil, err
	}
	return kind.make(c, k, number), nil
}

// DefaultCutoffs returns the cut-offs that ndcg, dcg, p and recall are taken at where none are given,
// which are LightGBM's.
func DefaultCutoffs() []int { return []int{1, 2, 3, 4, 5} }

// AtCutoffs returns the specs of a metric at each of the cut-offs: "ndcg" at 1 and 5 is "ndcg@1"
// and "ndcg@5", and at 0, where all ranks count, "ndcg". Without cut-offs, it is taken at
// [DefaultCutoffs] if it is a metric of the top ranks ([Kind]), and else with all ranks. A spec that
// has a cut-off already, or whose metric takes none, stays as it is and alone.
func AtCutoffs(spec string, cutoffs []int) []string {
	kind, _ := find(Kinds(), strings.ToLower(strings.TrimSpace(spec)))
	if strings.Contains(spec, "@") || kind.Cutoff == CutoffMeaningless {
		return []string{spec}
	}
	if len(cutoffs) == 0 {
		if !kind.Top {
			return []string{spec}
		}
		cutoffs = DefaultCutoffs()
	}
	var specs []string
	for _, k := range cutoffs {
		specs = append(specs, at(spec, k))
	}
	return specs
}

// checkCutoff returns an error for a spec whose cut-off the kind does not take, or that lacks it.
func (k *Kind) checkCutoff(spec string, given bool) error {
	switch {
	case given && k.Cutoff == CutoffMeaningless:
		return fmt.Errorf("metric: %q: %s is %s and takes none", spec, k.Name, k.Help)
	case !given && k.Cutoff == CutoffRequired:
		return fmt.Errorf("metric: %q: %s needs a cut-off, such as %s@10", spec, k.Name, spec)
	}
	return nil
}

// parseNumber reads the number after the colon.
func (k *Kind) parseNumber(spec, text string, given bool) (float64, error) {
	switch {
	case k.Number == nil:
		return 0, nil
	case !given:
		return k.Number.Default, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !k.Number.Allows(number) {
		return 0, fmt.Errorf("metric: %s %q of %q: want a number %s, as in %s",
			k.Number.Name, text, spec, k.Number.Range, k.numberExample())
	}
	return number, nil
}

func (k *Kind) numberExample() string { return k.Name + ":" + k.Number.Example }

// errNoNumber is the error for a number that the metric does not take.
func errNoNumber(kinds []Kind, spec string) error {
	var names, examples []string
	for _, kind := range kinds {
		if kind.Number != nil {
			names, examples = append(names, kind.Name), append(examples, kind.numberExample())
		}
	}
	verb := "have"
	if len(names) == 1 {
		verb = "has"
	}
	return fmt.Errorf("metric: %q: only %s %s a number after a colon, as in %s",
		spec, strings.Join(names, ", "), verb, strings.Join(examples, ", "))
}

// errUnknown is the error for a name that no kind has.
func errUnknown(kinds []Kind, spec, name string, k int) error {
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Name)
	}
	return fmt.Errorf("metric: no metric %q; did you mean %q? There are %s",
		spec, at(wording.Nearest(name, names), k), strings.Join(names, ", "))
}
