package exact

import "math"

// Ln returns the natural logarithm of x, within 5 ulp. Its special values are as for [Log2].
func Ln(x float64) float64 { return float64(Log2(x) * math.Ln2) }
