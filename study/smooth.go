package study

import "math"

// smoothWindow is the part of a number of iterations over which a curve is averaged, to both sides.
const smoothWindow = 8

// smooth returns the iteration, from 1, for which the mean of a curve over the iterations from 7/8 to 9/8 of
// it is largest, and that mean; a later iteration is chosen only if it is better by more than least. The
// peaks of a curve on few queries are noise, which would favour trainings with rough curves: large learning
// rates. Without a curve it returns 0 and NaN.
func smooth(curve []float64, least float64) (best int, value float64) {
	value = math.NaN()
	sums := make([]float64, len(curve)+1)
	for i, v := range curve {
		sums[i+1] = sums[i] + v
	}
	for round := 1; round <= len(curve); round++ {
		from, to := round-1-round/smoothWindow, min(round+round/smoothWindow, len(curve))
		mean := math.Round((sums[to]-sums[from])/float64(to-from)*0x1p40) * 0x1p-40 // equal curves are equal
		if best == 0 || mean > value+least {
			best, value = round, mean
		}
	}
	return best, value
}
