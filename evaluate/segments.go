package evaluate

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// Segment is a part of the queries, such as those from phones, judged by one metric.
type Segment struct {
	Name       string
	Result     int // index of the result of the judgment
	Queries    int // that count
	Mean       float64
	Interval   metric.Interval // of Mean; NaN for fewer than two queries
	Difference float64         // Mean less the mean of all other queries; NaN if none counts
	Welch      metric.Test     // of Difference: [metric.Result.Divide]
	Holm       float64         // p of Welch, corrected for all segments and results; NaN as it
}

// Segments judges parts of the queries. of has the segment of each query, by its id. Segments come in the
// order of their names, for each result. The error names a query without a segment, or is that of
// [metric.Result.Sample].
func (j *Judgment) Segments(of map[string]string, o metric.TestOptions) ([]Segment, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	segments := make([]string, len(j.Queries)) // of each query
	for i, id := range j.Queries {
		var known bool
		if segments[i], known = of[id]; !known {
			return nil, fmt.Errorf("query %q has no segment; give each query one", id)
		}
	}
	names := slices.Compact(slices.Sorted(slices.Values(segments)))
	var all []Segment
	for result := range j.Results {
		for _, name := range names {
			s, err := j.segment(result, func(query int) bool { return segments[query] == name }, o)
			if err != nil {
				return nil, err
			}
			s.Name = name
			all = append(all, s)
		}
	}
	correctSegments(all, len(names))
	return all, nil
}

// segment judges the queries for which in reports true.
func (j *Judgment) segment(result int, in func(query int) bool, o metric.TestOptions) (Segment, error) {
	inside, outside, welch, err := j.Results[result].Divide(in)
	if err != nil {
		return Segment{}, err
	}
	s := Segment{Result: result, Queries: len(inside.Values), Mean: inside.Mean(), Interval: inside.Interval(o),
		Difference: inside.Mean() - outside.Mean(), Welch: welch}
	s.Holm = s.Welch.P
	return s, nil
}

// correctSegments corrects the p-values that there are for their number. all has the given number of segments
// for each result. Two segments are one comparison, seen from both sides.
func correctSegments(all []Segment, segments int) {
	sides := 1
	if segments == 2 {
		sides = 2
	}
	var places []int
	var p []float64
	for i := 0; i < len(all); i += sides {
		if !math.IsNaN(all[i].Welch.P) {
			places, p = append(places, i), append(p, all[i].Welch.P)
		}
	}
	for i, corrected := range holm(p) {
		for side := range sides {
			all[places[i]+side].Holm = corrected
		}
	}
}
