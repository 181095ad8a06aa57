package exact

// Exps replaces each number by its exponential, as [Exp] computes it.
func Exps(x []float64) {
	for i, v := range x {
		x[i] = Exp(v)
	}
}
