package wording

import "math"

// Term is a name, with aliases that mean the same.
type Term struct {
	Name    string
	Aliases []string
}

// Similar returns the name or alias that is most like the given one, or "" if none is like it: more
// than a third of the letters would have to change. A name is preferred to an alias even if it
// takes one more change.
func Similar(name string, terms []Term) string {
	best, least := "", math.MaxInt
	consider := func(candidate string, handicap int) {
		if d := Distance(name, candidate); d <= max(1, len(name)/3) && d+handicap < least {
			best, least = candidate, d+handicap
		}
	}
	for _, t := range terms {
		consider(t.Name, 0)
		for _, alias := range t.Aliases {
			consider(alias, 1)
		}
	}
	return best
}
