package nnbaseline

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/random"
)

// dropout leaves out hidden units at random, each with the same probability and independently of the
// others, and scales up the others so that the expectation stays the same. (Srivastava et al.,
// Dropout, JMLR 15, 2014, in the form that scales in training.)
//
// Four units share a hash of 64 bits: a unit is left out if its 16 bits are below the threshold.
type dropout struct {
	threshold uint32  // the probability in units of 2^-16
	scale     float32 // 1 / (1 - probability)
	seed      uint64
}

func newDropout(probability float64, seed uint64) dropout {
	threshold := math.Round(float64(probability * 0x1p16))
	return dropout{uint32(threshold), float32(0x1p16 / (0x1p16 - threshold)), seed}
}

// drops reports whether any unit may be left out.
func (d *dropout) drops() bool { return d.threshold > 0 }

// maxLayers is larger than the number of layers of any network.
const maxLayers = 1 << 8

// key returns the key of a layer's draws in a step.
func (d *dropout) key(step, layer int) random.Key {
	return random.New(d.seed, random.Dropout, step*maxLayers+layer)
}

// apply leaves out units of one row of the data. dst holds the outputs of a layer for that row.
func (d *dropout) apply(dst []float32, key random.Key, row int) {
	index := row * maxUnits // no two units of the data share a draw
	scaleBits := math.Float32bits(d.scale)
	for ; len(dst) >= 4; dst = dst[4:] {
		hash, four := key.Uint64(index), (*[4]float32)(dst)
		four[0] *= d.factor(hash, scaleBits)
		four[1] *= d.factor(hash>>16, scaleBits)
		four[2] *= d.factor(hash>>32, scaleBits)
		four[3] *= d.factor(hash>>48, scaleBits)
		index++
	}
	hash := key.Uint64(index)
	for j := range dst {
		dst[j] *= d.factor(hash>>(16*j), scaleBits)
	}
}

// factor returns 0 if the low 16 bits of hash are below the threshold, and the scale otherwise,
// without a branch.
func (d *dropout) factor(hash uint64, scaleBits uint32) float32 {
	drop := uint32(int32(uint32(uint16(hash))-d.threshold) >> 31) // all ones, or zero
	return math.Float32frombits(scaleBits &^ drop)
}
