package histogram

// Sum is the gradient and the Hessian of a row, or of the rows in a bin or a
// leaf, as integers on the scales of their iteration.
type Sum struct {
	Gradient, Hessian int64
}

// Add returns s + t.
func (s Sum) Add(t Sum) Sum { return Sum{s.Gradient + t.Gradient, s.Hessian + t.Hessian} }

// Sub returns s - t.
func (s Sum) Sub(t Sum) Sum { return Sum{s.Gradient - t.Gradient, s.Hessian - t.Hessian} }

// Where gradients and Hessians are small enough, both travel in one integer, so
// that a bin takes one load, one addition and one store: the Hessian, which is
// never negative, in the lower 32 bits, and the gradient above. Sums and
// differences of packed sums are packed sums as long as every Hessian stays
// below 2^32 and every gradient's magnitude below 2^31.

// Pack returns s as one integer.
func (s Sum) Pack() int64 { return s.Gradient<<32 + s.Hessian }

// Unpack is the inverse of [Sum.Pack].
func Unpack(packed int64) Sum { return Sum{packed >> 32, packed & (1<<32 - 1)} }
