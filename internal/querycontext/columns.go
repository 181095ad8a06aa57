package querycontext

import (
	"errors"
	"fmt"
	"slices"
)

// Column is a column of query context: one kind, computed from one raw feature.
type Column struct {
	Kind    Kind
	Feature int // number of the raw feature; 0 for Count, which does not depend on a feature
}

// name returns the name of the column, such as "rank(price)" and "count(query)". raw are the names of
// the raw features.
func (c Column) name(raw []string) string {
	if c.Kind == Count {
		return string(Count) + "(query)"
	}
	return fmt.Sprintf("%s(%s)", c.Kind, raw[c.Feature])
}

// Columns are the columns of rows with context: the raw features have the numbers below Raw, and
// List[i] is column Raw+i. They do not change once they are in use.
type Columns struct {
	Raw  int // number of raw features
	List []Column
}

// Len returns the number of all columns, raw features included.
func (c *Columns) Len() int { return c.Raw + len(c.List) }

// Names returns the names of all columns. raw are the names of the raw features, at least c.Raw of them.
func (c *Columns) Names(raw []string) []string {
	names := slices.Clone(raw[:c.Raw])
	for _, column := range c.List {
		names = append(names, column.name(raw))
	}
	return names
}

// ErrColumns is wrapped by errors about invalid [Columns].
var ErrColumns = errors.New("not columns of query context")

// Check returns an error that wraps [ErrColumns] unless c has at least one column, every column has a known
// kind and an existing raw feature, and no column occurs twice.
func (c *Columns) Check() error {
	if c.Raw < 0 || len(c.List) == 0 {
		return fmt.Errorf("%w: %d columns of %d features", ErrColumns, len(c.List), c.Raw)
	}
	seen := make(map[Column]bool, len(c.List))
	for _, column := range c.List {
		if err := column.Kind.Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrColumns, err)
		}
		isCount := column.Kind == Count
		if isCount && column.Feature != 0 || !isCount && (column.Feature < 0 || column.Feature >= c.Raw) {
			return fmt.Errorf("%w: %s of feature %d, of %d", ErrColumns, column.Kind, column.Feature, c.Raw)
		}
		if seen[column] {
			return fmt.Errorf("%w: %s of feature %d appears twice", ErrColumns, column.Kind, column.Feature)
		}
		seen[column] = true
	}
	return nil
}

// Equal reports whether c and other are the same columns. Both may be nil, which means that there is
// no context.
func (c *Columns) Equal(other *Columns) bool {
	if c == nil || other == nil {
		return c == other
	}
	return c.Raw == other.Raw && slices.Equal(c.List, other.List)
}

// Sources returns the numbers of the raw features, ascending, that are needed for the columns with the given
// numbers. The list is not nil if it is empty.
func (c *Columns) Sources(columns []int) []int {
	needed := []int{}
	for _, n := range columns {
		switch {
		case n < c.Raw:
			needed = append(needed, n)
		case c.List[n-c.Raw].Kind != Count:
			needed = append(needed, c.List[n-c.Raw].Feature)
		}
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}

// Narrowed returns the columns of rows that have only some columns of c, with the given numbers, ascending.
// The raw features of columns of query context must be among them.
func (c *Columns) Narrowed(columns []int) *Columns {
	raw, _ := slices.BinarySearch(columns, c.Raw)
	narrow := &Columns{Raw: raw}
	for _, n := range columns[raw:] {
		column := c.List[n-c.Raw]
		if column.Kind != Count {
			column.Feature, _ = slices.BinarySearch(columns, column.Feature)
		}
		narrow.List = append(narrow.List, column)
	}
	return narrow
}
