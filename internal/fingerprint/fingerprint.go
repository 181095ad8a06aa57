// Package fingerprint identifies large data by a short text, which is the same on all machines and for
// any number of workers. Two data have the same fingerprint only if they are equal.
package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Hash receives the content of one part of the data.
type Hash struct {
	sum    hash.Hash
	buffer []byte
}

// Bytes adds bytes, without their number.
func (h *Hash) Bytes(b []byte) { h.sum.Write(b) }

// Int adds an integer.
func (h *Hash) Int(n int) {
	h.buffer = binary.LittleEndian.AppendUint64(h.buffer[:0], uint64(n))
	h.sum.Write(h.buffer)
}

// Text adds a text and its length.
func (h *Hash) Text(s string) {
	h.Int(len(s))
	h.Bytes([]byte(s))
}

// chunk is the number of values that are converted at a time.
const chunk = 1 << 12

// Float64s adds the bits of numbers, without the number of them.
func (h *Hash) Float64s(values []float64) {
	for len(values) > 0 {
		n := min(chunk, len(values))
		h.buffer = h.buffer[:0]
		for _, v := range values[:n] {
			h.buffer = binary.LittleEndian.AppendUint64(h.buffer, math.Float64bits(v))
		}
		h.sum.Write(h.buffer)
		values = values[n:]
	}
}

// Float32s adds the bits of numbers, without the number of them.
func (h *Hash) Float32s(values []float32) {
	for len(values) > 0 {
		n := min(chunk, len(values))
		h.buffer = h.buffer[:0]
		for _, v := range values[:n] {
			h.buffer = binary.LittleEndian.AppendUint32(h.buffer, math.Float32bits(v))
		}
		h.sum.Write(h.buffer)
		values = values[n:]
	}
}

// Of returns the fingerprint of data in this many parts. Each is added by a call of part, by this many
// workers (one for each processor if below 1). It is the SHA-256 of the SHA-256s of the parts, cut to
// 32 hexadecimal digits.
func Of(parts, workers int, part func(h *Hash, number int)) string {
	sums := make([]byte, parts*sha256.Size)
	pool := par.New(workers)
	defer pool.Close()
	pool.Run(parts, func(_, number int) {
		h := &Hash{sum: sha256.New()}
		part(h, number)
		copy(sums[number*sha256.Size:], h.sum.Sum(nil))
	})
	all := sha256.Sum256(sums)
	return hex.EncodeToString(all[:16])
}
