package engine

// Missing is how an engine treats an absent value (NaN) at a numeric split.
type Missing int

// The rules.
const (
	// MissingSide: each split names the side. Every model can be represented.
	MissingSide Missing = iota
	// MissingZero: absent values count as 0.
	MissingZero
	// MissingRight: absent values go right at every split.
	MissingRight
	// MissingNever: there are no absent values, or their side does not matter. Every model can be
	// represented.
	MissingNever
)

func (m Missing) String() string {
	return [...]string{"absent values go to a side that each split names", "absent values count as 0",
		"absent values go right", "there are no absent values"}[m]
}

// Era is a range of versions of an engine with the same rule for missing values in one format. docs/models.md
// names the sources.
type Era struct {
	Last    Version // the last release of the era
	End     Version // the first version after the era
	Missing Missing
	Title   string // names the versions in messages, such as "OpenSearch LTR before 3.2"
}

// RuleOf returns the rule of engine v, given the eras of each engine in ascending order. The rule is newest
// for an engine that is in none of them.
func RuleOf(v Version, eras []Era, newest Missing) Missing {
	for _, era := range eras {
		if v.Name == era.End.Name && v.Before(era.End.Major, era.End.Minor, era.End.Patch) {
			return era.Missing
		}
	}
	return newest
}
