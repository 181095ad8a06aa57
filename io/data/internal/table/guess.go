package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// queryNames are the names that columns of query ids usually have, in any case.
var queryNames = []string{"qid", "query_id", "query", "srch_id"}

// guessQuery finds the column of query ids by its name if none was chosen, because query ids as a feature
// would ruin the model. If a companion .query exists, it has the queries, and the column is ignored. The
// caller's choice, a column of the model, and a column that cannot hold ids are left alone.
func (o *Options) guessQuery(f *finder, c *columns, hasCompanion bool, holdsIDs func(column int) bool) {
	var found []int
	for column, name := range f.names {
		if isQueryName(name) && column != c.label && c.role[column] >= 0 && !uses(o.Model, name, c.role[column]) &&
			holdsIDs(column) {
			found = append(found, column)
		}
	}
	switch {
	case f.err != nil || len(found) == 0:
	case len(found) > 1:
		f.err = &dataset.Error{Path: f.path, Err: ErrManyQueries, Detail: fmt.Sprintf("%s and %s",
			f.names[found[0]], f.names[found[1]])}
	case hasCompanion:
		c.role[found[0]] = ignoredColumn
		c.remarks = append(c.remarks, fmt.Sprintf("column %q is taken as query ids because of its name, and "+
			"is not a feature; the queries are those of the .query file (group_column=%s makes the column a "+
			"feature)", f.names[found[0]], NoColumn))
	default:
		c.query, c.role[found[0]] = found[0], queryColumn
		c.remarks = append(c.remarks, fmt.Sprintf("column %q is taken as query ids because of its name, and "+
			"is not a feature (group_column= chooses another column)", f.names[found[0]]))
	}
	c.guessed = len(c.remarks) > 0
}

func isQueryName(name string) bool {
	return slices.ContainsFunc(queryNames, func(usual string) bool { return strings.EqualFold(name, usual) })
}

// uses reports whether the scores of a model depend on the feature with that name or, if the model has no
// names, with that number. A model that does not list these features has exactly those of its training data,
// for which the same guess was made by name.
func uses(m *dataset.Features, name string, number int) bool {
	switch {
	case m == nil:
		return false
	case placesOnly(m.Names):
		return m.Used == nil || slices.Contains(m.Used, number)
	}
	return slices.ContainsFunc(m.Used, func(f int) bool { return m.Names[f] == name })
}
