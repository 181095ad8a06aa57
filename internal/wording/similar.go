package wording

import (
	"math"
	"strings"
)

// Term is a name, with aliases that mean the same.
type Term struct {
	Name    string
	Aliases []string
}

// Similar returns the name or alias that is most like the given one, or "" if none is like it: more
// than a third of the letters would have to change. A name is preferred to an alias even if it
// takes one more change. A name that has the given one as its first or last word takes one change.
func Similar(name string, terms []Term) string {
	best, least := "", math.MaxInt
	consider := func(candidate string, handicap int) {
		if d := changes(name, candidate); d <= max(1, len(name)/3) && d+handicap < least {
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

// changes returns the number of letters to change, or 1 if only words are missing before or after the name.
func changes(name, candidate string) int {
	if strings.HasPrefix(candidate, name+"_") || strings.HasSuffix(candidate, "_"+name) {
		return 1
	}
	return Distance(name, candidate)
}
