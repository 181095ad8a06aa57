package widened

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// Of returns the columns of query context of a model, such as a [tree.Ensemble]; nil if it has none.
func Of(model any) *querycontext.Columns {
	if m, ok := model.(interface{ QueryContext() *querycontext.Columns }); ok {
		return m.QueryContext()
	}
	return nil
}

// NumbersOf returns columns as numbers, as files of binned data have them: the number of raw features, and
// then the place of the kind in [querycontext.Kinds] and the feature of each
// column. There are none if c is nil.
func NumbersOf(c *querycontext.Columns) []int {
	if c == nil {
		return nil
	}
	numbers := []int{c.Raw}
	for _, column := range c.List {
		numbers = append(numbers, slices.Index(querycontext.Kinds(), column.Kind), column.Feature)
	}
	return numbers
}

// ColumnsOf returns the columns with the numbers that [NumbersOf] returns.
func ColumnsOf(numbers []uint64) (*querycontext.Columns, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	kinds := querycontext.Kinds()
	c := &querycontext.Columns{Raw: int(min(numbers[0], math.MaxInt32))}
	for numbers = numbers[1:]; len(numbers) >= 2; numbers = numbers[2:] {
		if numbers[0] >= uint64(len(kinds)) || numbers[1] > math.MaxInt32 {
			return nil, fmt.Errorf("query context: kind %d of feature %d", numbers[0], numbers[1])
		}
		c.List = append(c.List, querycontext.Column{Kind: kinds[numbers[0]], Feature: int(numbers[1])})
	}
	if len(numbers) > 0 {
		return nil, errors.New("query context: a kind without a feature")
	}
	return c, c.Check()
}

// FeaturesWithContext returns the numbers of the raw features that have query context, ascending.
func FeaturesWithContext(c *querycontext.Columns) []int {
	var columns []int
	for n := c.Raw; n < c.Len(); n++ {
		columns = append(columns, n)
	}
	return c.Sources(columns)
}

// Features are the features of a model, query context included.
type Features struct {
	Total int   // values of a row
	used  []int // numbers of the features that matter, ascending
	plan  *plan // of the query context that matters; nil if the model has none
}

// FeaturesOf returns the features of a model.
func FeaturesOf(m interface {
	NumFeatures() int
	UsedFeatures() []int
}) Features {
	f := Features{m.NumFeatures(), m.UsedFeatures(), nil}
	if c := Of(m); c != nil {
		f.plan = newPlan(c, f.used)
	}
	return f
}

// Source returns src with the query context that the model uses, as [New] does; src itself if there is none.
func (f Features) Source(src dataset.Source) dataset.Source {
	if f.plan == nil {
		return src
	}
	return &Source{Source: src, plan: f.plan}
}

// Raw returns the number of features that are not query context, and the numbers of those that the model
// depends on, ascending.
func (f Features) Raw() (total int, used []int) {
	if f.plan == nil {
		return f.Total, f.used
	}
	return f.plan.columns.Raw, f.plan.columns.Sources(f.used)
}

// Largest returns the largest feature number in a row of [Features.Source], as numbered without query
// context, or 0 if the row has no features. features are ascending.
func (f Features) Largest(features []int32) int32 {
	if f.plan != nil {
		c := f.plan.columns
		first, _ := slices.BinarySearch(features, int32(c.Raw))
		end, _ := slices.BinarySearch(features, int32(c.Len()))
		if end < len(features) {
			return features[len(features)-1] - int32(len(c.List))
		}
		features = features[:first]
	}
	if len(features) == 0 {
		return 0
	}
	return features[len(features)-1]
}
