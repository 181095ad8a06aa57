package engine

// Missing is how an engine treats an absent value (NaN) at a numeric split.
type Missing int

// The rules.
const (
	// MissingSide: each split names the side. Every model can be represented.
	MissingSide Missing = iota
	// MissingZero: absent values count as 0.
	MissingZero
	// MissingNever: there are no absent values, or their side does not matter. Every model can be
	// represented.
	MissingNever
)

func (m Missing) String() string {
	return [...]string{"absent values go to a side that each split names", "absent values count as 0",
		"there are no absent values"}[m]
}
