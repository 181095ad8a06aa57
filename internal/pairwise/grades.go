package pairwise

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Grades sums the derivatives of the logistic loss over all pairs of documents of different grades, all pairs
// of the same weight, in a time that grows with the number of documents and not with that of pairs.
//
// With x = σ·score, a document's derivatives are sums of ρ(x_j - x_i) and of its derivative over all
// documents j of lower and of higher grades, where ρ(z) = 1/(1+e^-z). ρ is smooth, so these sums are
// computed on a grid: each document is spread over the next points by the weights of Lagrange's
// interpolation, each grade's sums are computed at the points from those of all other grades, and each
// document interpolates the sums of its grade. The error is below 1e-8 of the number of pairs of a document.
//
// Its memory is reused from query to query.
type Grades struct {
	mass            []float64 // documents, by grade and point
	low, high, both []float64 // documents of lower, of higher and of all other grades, by point
	rho             []float64 // ρ of differences of points, by the difference from -(points-1) on
	lambda, hessian []float64 // sums, by grade and point
}

const (
	gridStep   = 0.125
	gridPoints = 8 // of an interpolation; the first of them is gridBefore points before the document
	gridBefore = gridPoints/2 - 1
)

// CanAdd reports whether the sums of n documents of some grades are faster than those of 32 pairs for each
// document. spread is the difference of the largest and the smallest x.
func (g *Grades) CanAdd(n, grades int, spread float64) bool {
	points := spread/gridStep + gridPoints + 1
	return float64(points*points)*float64(grades) <= 64*float64(n)
}

// Add writes the sums, by document, and returns the sum of ρ over all pairs. The scores and grades are by
// document; grades are numbered from 0, and CanAdd must be true. Hessians are divided by σ² and lambdas by
// σ.
func (g *Grades) Add(
	lambda, hessian, scores []float64, grade []int32, grades int, sigma float64,
) (sum float64) {
	least := slices.Min(scores)
	points := int(float64(sigma*(slices.Max(scores)-least))/gridStep) + gridPoints + 1
	g.spread(scores, grade, grades, points, least, sigma)
	g.rho = reuse.Slice(g.rho, 2*points-1)
	for i := range g.rho {
		g.rho[i] = 1 / (1 + exact.Exp(-float64(float64(i-points+1)*gridStep)))
	}
	clear(g.low)
	for k := range grades {
		own := g.mass[k*points:][:points]
		for p, m := range own {
			g.high[p] = g.both[p] - m - g.low[p]
		}
		sum += g.sums(g.lambda[k*points:], g.hessian[k*points:], own)
		for p, m := range own {
			g.low[p] += m
		}
	}
	for i, score := range scores {
		first, weights := place(float64(sigma * (score - least)))
		first += int(grade[i]) * points
		lambda[i], hessian[i] = dot(&weights, g.lambda[first:]), max(0, dot(&weights, g.hessian[first:]))
	}
	return sum
}

// spread sets the mass of each grade, and in both that of all.
func (g *Grades) spread(scores []float64, grade []int32, grades, points int, least, sigma float64) {
	for _, field := range []*[]float64{&g.mass, &g.lambda, &g.hessian} {
		*field = reuse.Slice(*field, grades*points)
	}
	for _, field := range []*[]float64{&g.low, &g.high, &g.both} {
		*field = reuse.Slice(*field, points)
	}
	clear(g.mass)
	clear(g.both)
	for i, score := range scores {
		first, weights := place(float64(sigma * (score - least)))
		of := g.mass[int(grade[i])*points+first:][:gridPoints]
		for k, w := range weights {
			of[k] += w
			g.both[first+k] += w
		}
	}
}

// sums computes the sums of a grade at all points, and returns the sum of ρ over its pairs with higher
// grades.
func (g *Grades) sums(lambdas, hessians, own []float64) (sum float64) {
	points := len(own)
	for p := range own {
		lambda, hessian, right := 0.0, 0.0, 0.0
		ahead := g.rho[:p+points] // of this point, before others: ρ(x_p - x_q) is at p-q+points-1
		for q := range own {
			rho := ahead[p-q+points-1]
			right += float64(g.high[q] * rho)
			lambda -= float64(g.low[q] * (1 - rho))
			hessian += float64(float64((g.low[q]+g.high[q])*rho) * (1 - rho))
		}
		lambdas[p], hessians[p] = lambda+right, hessian
		sum += float64(own[p] * right)
	}
	return sum
}

// place returns the first point of the interpolation at x >= 0, and the weights of its points: with u the
// distance from the first point in steps, that of point k is the product of (u-j)/(k-j) over all other points
// j.
func place(x float64) (first int, weights [gridPoints]float64) {
	first = int(x / gridStep)
	u := float64(x/gridStep) - float64(first) + gridBefore
	before := 1.0
	for k := range weights {
		weights[k] = float64(before * inverse[k])
		before = float64(before * (u - float64(k)))
	}
	after := 1.0
	for k := gridPoints - 1; k >= 0; k-- {
		weights[k] = float64(weights[k] * after)
		after = float64(after * (u - float64(k)))
	}
	return first, weights
}

// inverse is 1 / the product of k-j over all points j other than k.
var inverse = func() (all [gridPoints]float64) {
	for k := range all {
		product := 1.0
		for j := range all {
			if j != k {
				product *= float64(k - j)
			}
		}
		all[k] = 1 / product
	}
	return all
}()

// dot returns the sum of the weights times the values.
func dot(weights *[gridPoints]float64, values []float64) (sum float64) {
	for k, v := range values[:gridPoints] {
		sum += float64(weights[k] * v)
	}
	return sum
}
