package study

import (
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/param"
)

// point is a point of a space: a number from 0 to 1 for each dimension. A choice is an interval of that
// range.
type point []float64

// settings returns the parameters at a point.
func (s searchSpace) settings(x point) (list []param.Setting) {
	for i := range s {
		d := &s[i]
		list = append(list, param.Setting{Name: d.Name, Value: d.at(x[i], d.choice(x[i]))})
	}
	return list
}

// choice returns the index of the choice at u.
func (d *dimension) choice(u float64) int {
	return max(0, min(int(u*float64(len(d.Choices))), len(d.Choices)-1))
}

// Keys of the random draws for a bracket or for one of its points.
const (
	drawOrder  = iota // order of the strata of a dimension
	drawWithin        // place within a stratum
	drawParent
	drawChange // which dimensions change
	drawStep   // and the next two: size of a change
)

// spread returns n points, one in each n-th part of every dimension.
func (s searchSpace) spread(key random.Key, n int) []point {
	points := make([]point, n)
	for i := range points {
		points[i] = make(point, len(s))
	}
	for d := range s {
		order := permutation(key.Key(drawOrder).Key(d), n)
		within := key.Key(drawWithin).Key(d)
		for i := range points {
			points[i][d] = (float64(order[i]) + within.Float64(i)) / float64(n)
		}
	}
	return points
}

// permutation returns the numbers below n in an order that the key determines.
func permutation(key random.Key, n int) []int {
	order := make([]int, n)
	for i := range order { // Fisher and Yates
		j := int(key.Float64(i) * float64(i+1))
		order[i], order[j] = order[j], i
	}
	return order
}

// Frequency and size of the differences between a changed copy and its parent.
const (
	changedShare = 0.5 // share of the dimensions that change
	stepSize     = 0.2 // standard deviation of a change, before reflection at the ends of a range
)

// changed returns a copy of a point with some values changed, at least one.
func (s searchSpace) changed(parent point, key random.Key) point {
	x := append(point(nil), parent...)
	free := s.free()
	certain := free[min(int(key.Float64(0)*float64(len(free))), len(free)-1)]
	for _, d := range free {
		if d != certain && key.Key(drawChange).Float64(d) >= changedShare {
			continue
		}
		step := key.Key(drawStep).Key(d)
		if s[d].Choices != nil {
			x[d] = step.Float64(0)
			continue
		}
		normal := step.Float64(0) + step.Float64(1) + step.Float64(2) + step.Float64(3) - 2 // variance 4/12
		x[d] = reflected(x[d] + float64(float64(normal*math.Sqrt(3))*stepSize))
	}
	return x
}

// free returns the dimensions with several values.
func (s searchSpace) free() (list []int) {
	for d := range s {
		if !s[d].fixed() {
			list = append(list, d)
		}
	}
	return list
}

// reflected maps a number into the range from 0 to 1 by reflection at its ends.
func reflected(u float64) float64 {
	u = math.Abs(u)
	u = math.Mod(u, 2)
	if u > 1 {
		u = 2 - u
	}
	return u
}

// diagonal returns the point with u in every dimension.
func (s searchSpace) diagonal(u float64) point {
	x := make(point, len(s))
	for d := range x {
		x[d] = u
	}
	return x
}

// pointOf returns the point whose settings are nearest to the parameters p.
func (s searchSpace) pointOf(p *booster.Params) point {
	x, table := s.diagonal(0.5), p.Table()
	for i := range s {
		d := &s[i]
		value := table.Find(d.Name).Value.String()
		if d.Choices != nil {
			if choice := slices.Index(d.Choices, value); choice >= 0 {
				x[i] = (float64(choice) + 0.5) / float64(len(d.Choices))
			}
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			x[i] = d.place(v)
		}
	}
	return x
}

// place is the inverse of at for numbers, which it clamps to the range.
func (d *dimension) place(v float64) float64 {
	v = min(max(v, d.Low), d.High)
	if d.Log {
		return math.Log(v/d.Low) / math.Log(d.High/d.Low)
	}
	return (v - d.Low) / (d.High - d.Low)
}

// nearest returns the point that is nearest to p combined with the given settings.
func (s searchSpace) nearest(p *booster.Params, settings []param.Setting) point {
	q := *p
	if _, err := q.Table().Apply(settings); err != nil {
		return s.pointOf(p)
	}
	return s.pointOf(&q)
}
