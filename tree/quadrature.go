package tree

import "math"

// quadrature returns the places and weights, ascending by place, by which n values of a polynomial of
// degree 2n-1 or less give its integral from 0 to 1 exactly (Gauss and Legendre). The places are the
// zeros of the Legendre polynomial of degree n, found by Newton's method.
func quadrature(n int) (places, weights []float64) {
	places, weights = make([]float64, n), make([]float64, n)
	for i := range (n + 1) / 2 {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 100 {
			value, derivative := legendre(n, x)
			slope = derivative
			step := value / derivative
			x -= step
			if math.Abs(step) < 1e-15 {
				break
			}
		}
		_, slope = legendre(n, x)
		weight := 1 / (float64((1-float64(x*x))*slope) * slope) // 2/(…) on [-1, 1], and half of it on [0, 1]
		places[i], places[n-1-i] = float64((1-x)*0.5), float64((1+x)*0.5)
		weights[i], weights[n-1-i] = weight, weight
	}
	return places, weights
}

// legendre returns the value at x, and the slope there, of the Legendre polynomial of degree n ≥ 1.
func legendre(n int, x float64) (value, slope float64) {
	before, value := 1.0, x
	for k := 2; k <= n; k++ {
		next := (float64(float64(2*k-1)*x*value) - float64(float64(k-1)*before)) / float64(k)
		before, value = value, next
	}
	return value, float64(n) * (float64(x*value) - before) / (float64(x*x) - 1)
}
