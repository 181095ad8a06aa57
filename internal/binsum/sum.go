package binsum

// Sum is the gradient and the Hessian of a row, or their sums over the rows of a bin or a leaf, as integers
// on the scales of the iteration.
type Sum struct {
	Gradient, Hessian int64
}

// Add returns s + t.
func (s Sum) Add(t Sum) Sum { return Sum{s.Gradient + t.Gradient, s.Hessian + t.Hessian} }

// Sub returns s - t.
func (s Sum) Sub(t Sum) Sum { return Sum{s.Gradient - t.Gradient, s.Hessian - t.Hessian} }

// If gradients and Hessians are small enough, one integer holds both. Adding a row to a bin then takes one
// load, one addition and one store:
//
//	bit 63                   32 31                    0
//	   │ gradient, signed      │ Hessian, not negative │
//
// Sums and differences of packed sums are packed sums as long as every Hessian stays below 2^32 and the
// magnitude of every gradient below 2^31.

// Limits of the sum over all rows of the magnitudes of gradients, and of the Hessians, in units and before
// rounding. Rounding changes a row by at most half a unit, and there are fewer than 2^31 rows, so the
// rounded sums fit packed sums.
const (
	MaxPackedGradient = 1 << 30
	MaxPackedHessian  = 1 << 31
)

// Pack returns s as one integer.
func (s Sum) Pack() int64 { return s.Gradient<<32 + s.Hessian }

// Unpack is the inverse of [Sum.Pack].
func Unpack(packed int64) Sum { return Sum{packed >> 32, packed & (1<<32 - 1)} }
