//go:build !amd64 || purego

package exact

import "github.com/lambdamart/lambdamart/internal/random"

func kernels() []kernel { return []kernel{inGo} }

func (kernel) expsInVectors([]float64) int { return 0 }

func (kernel) log2sInVectors([]float64) int { return 0 }

func (kernel) magnitudesInVectors([]float64, Scale) (int64, bool) { return 0, false }

func (kernel) packInVectors([]int64, []float64, []float64, Scale, Scale) int { return 0 }

func (kernel) nonzeroInVectors(_ []int32, _, _ []float64, _, _ Scale, _ random.Key) int { return -1 }
