package widened

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/querycontext"
)

// Of returns the columns of query context of a model, such as a [tree.Ensemble]; nil if it has none.
func Of(model any) *querycontext.Columns {
	if m, ok := model.(interface{ QueryContext() *querycontext.Columns }); ok {
		return m.QueryContext()
	}
	return nil
}

// Features are the features of a model, query context included.
type Features struct {
	Total   int   // values of a row
	used    []int // numbers of the features that matter, ascending
	columns *querycontext.Columns
}

// FeaturesOf returns the features of a model.
func FeaturesOf(m interface {
	NumFeatures() int
	UsedFeatures() []int
}) Features {
	return Features{m.NumFeatures(), m.UsedFeatures(), Of(m)}
}

// Source returns src with the query context that the model uses, as [New] does; src itself if there is none.
func (f Features) Source(src dataset.Source) dataset.Source {
	if f.columns == nil {
		return src
	}
	return New(src, f.columns, f.used)
}

// Raw returns the number of features that are not query context, and the numbers of those that the model
// depends on, ascending.
func (f Features) Raw() (total int, used []int) {
	if f.columns == nil {
		return f.Total, f.used
	}
	return f.columns.Raw, f.columns.Sources(f.used)
}

// Largest returns the largest number of the features of a row of [Features.Source], which are ascending, as
// the data has it: query context does not count. It is 0 if there is none.
func (f Features) Largest(features []int32) int32 {
	if c := f.columns; c != nil {
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
