package param

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// nearest returns the name or alias that is most like the given one, or "" if none is like it: more
// than a third of the letters would have to change. A name is preferred to an alias even if it
// takes one more change.
func (t Table) nearest(name string) string {
	name = canonical(name)
	best, least := "", math.MaxInt
	consider := func(candidate string, handicap int) {
		if d := wording.Distance(name, candidate); d <= max(1, len(name)/3) && d+handicap < least {
			best, least = candidate, d+handicap
		}
	}
	for i := range t {
		consider(t[i].Name, 0)
		for _, alias := range t[i].Aliases {
			consider(alias, 1)
		}
	}
	return best
}
