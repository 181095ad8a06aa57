package querycontext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/byfeature"
)

// String returns c as text, which [ParseColumns] reads: the number of raw features and then each kind
// with the numbers of its features, as in "137;rank=1-136;zscore=1-3,9;count". The text has no blanks
// and no colons, so that it can be the value of a parameter in a model file of LightGBM.
func (c *Columns) String() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(c.Raw))
	for i := 0; i < len(c.List); {
		end := c.sameKind(i)
		b.WriteString(";" + string(c.List[i].Kind))
		separator := "="
		for i < end && c.List[i].Kind != Count {
			next := c.ascending(i, end)
			b.WriteString(separator + strconv.Itoa(c.List[i].Feature))
			if next-i > 1 {
				b.WriteString("-" + strconv.Itoa(c.List[next-1].Feature))
			}
			i, separator = next, ","
		}
		i = end
	}
	return b.String()
}

// sameKind returns the end of the columns from i on that have the kind of column i. Each column of kind Count
// is handled alone.
func (c *Columns) sameKind(i int) int {
	end := i + 1
	for end < len(c.List) && c.List[end].Kind == c.List[i].Kind && c.List[i].Kind != Count {
		end++
	}
	return end
}

// ascending returns the end of the columns from i on, at most end, whose features are consecutive.
func (c *Columns) ascending(i, end int) int {
	next := i + 1
	for next < end && c.List[next].Feature == c.List[next-1].Feature+1 {
		next++
	}
	return next
}

// ParseColumns reads what [Columns.String] returns. total is the expected number of columns, which limits the
// memory used. Errors wrap [ErrColumns].
func ParseColumns(text string, total int) (*Columns, error) {
	parts := strings.Split(text, ";")
	raw, err := strconv.Atoi(parts[0])
	if err != nil || raw < 0 || raw > total {
		return nil, fmt.Errorf("%w: %q raw features, of %d columns", ErrColumns, clip(parts[0]), total)
	}
	c := &Columns{Raw: raw}
	for _, part := range parts[1:] {
		if err := c.parsePart(part, total); err != nil {
			return nil, err
		}
	}
	if c.Len() != total {
		return nil, fmt.Errorf("%w: %d columns, and there are %d", ErrColumns, c.Len(), total)
	}
	return c, c.Check()
}

// parsePart appends the columns of one kind, as in "rank=1-136".
func (c *Columns) parsePart(part string, total int) error {
	name, list, hasList := strings.Cut(part, "=")
	kind := Kind(name)
	if (kind == Count) == hasList {
		return fmt.Errorf("%w: %q", ErrColumns, clip(part))
	}
	if kind == Count {
		c.List = append(c.List, Column{Kind: Count})
		return nil
	}
	for _, item := range strings.Split(list, ",") {
		first, last, ok := byfeature.ParseRange(item)
		if !ok || last >= c.Raw || c.Len()+last-first >= total {
			return fmt.Errorf("%w: %q in %q", ErrColumns, clip(item), clip(part))
		}
		for f := first; f <= last; f++ {
			c.List = append(c.List, Column{kind, f})
		}
	}
	return nil
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
