//go:build !amd64 || purego

package exact

import "github.com/lambdamart/lambdamart/internal/random"

func expsInVectors([]float64) int { return 0 }

func nonzeroInVectors(_ []int32, _, _ []float64, _, _ Scale, _ random.Key) int { return -1 }

func (Scale) magnitudesInVectors([]float64) (int64, bool) { return 0, false }
