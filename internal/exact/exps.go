package exact

// Exps replaces each number by its exponential, as [Exp] computes it.
func Exps(x []float64) {
	for len(x) > 0 {
		x = x[expsInVectors(x):]
		n := min(len(x), lanes)
		for i, v := range x[:n] {
			x[i] = Exp(v)
		}
		x = x[n:]
	}
}
