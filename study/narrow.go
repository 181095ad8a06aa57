package study

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/histogram"
)

// narrowParts returns parts in which features are constant, so that no tree uses them, unless keep returns
// true for their numbers. Everything else is as in the given parts, which stay as they are; the bins are not
// made again.
func narrowParts(parts []Part, keep func(feature int) bool) []Part {
	mappers, matrices := map[*histogram.Mapper]*histogram.Mapper{}, map[*histogram.Matrix]*histogram.Matrix{}
	narrow := func(d booster.Data) booster.Data {
		mapper := mappers[d.Values.Mapper]
		if mapper == nil {
			mapper = d.Values.Mapper.Narrow(keep)
			mappers[d.Values.Mapper] = mapper
		}
		matrix := matrices[d.Values]
		if matrix == nil {
			matrix = d.Values.Narrow(mapper)
			matrices[d.Values] = matrix
		}
		d.Values = matrix
		return d
	}
	narrowed := make([]Part, len(parts))
	for i, p := range parts {
		p.whole = narrow(p.whole)
		if p.Other != nil {
			other := narrow(*p.Other)
			p.Other = &other
		}
		narrowed[i] = p
	}
	return narrowed
}
