package byfeature

import (
	"strconv"
	"strings"
)

// ParseRange reads the number of a feature, as "7", or a range of them, as "7-9". ok is false for anything
// else.
func ParseRange(text string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	a, err := strconv.ParseUint(from, 10, 31)
	if err != nil {
		return 0, 0, false
	}
	b, err := strconv.ParseUint(to, 10, 31)
	return int(a), int(b), err == nil && a <= b
}
