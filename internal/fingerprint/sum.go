package fingerprint

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Sum is the fingerprint of numbered things, such as the rows of a matrix: the sum of a hash of each. Each
// part of the things has a part of the sum, and parts are added up in any order. It detects accidental
// differences, not ones that are made to have the same sum.
type Sum [2]uint64

// Add adds a sum of other things.
func (s *Sum) Add(other Sum) {
	s[0] += other[0]
	s[1] += other[1]
}

func (s Sum) String() string { return fmt.Sprintf("%016x%016x", s[0], s[1]) }

// add adds a thing by its hash.
func (s *Sum) add(h uint64) {
	s[0] += h
	s[1] += mix(h ^ second)
}

// Float64s adds values; the first one has the given number.
func (s *Sum) Float64s(first int, values []float64) {
	for i, v := range values {
		s.add(mix(begin(first+i) ^ math.Float64bits(v)))
	}
}

// SumOf returns the sum of n things, which the workers of a pool add in blocks of the given size.
func SumOf(pool *par.Pool, n, block int, add func(s *Sum, from, to int)) (all Sum) {
	workers := make([]Sum, pool.Workers())
	pool.Blocks(n, block, func(worker, from, to int) {
		var s Sum
		add(&s, from, to)
		workers[worker].Add(s)
	})
	for _, s := range workers {
		all.Add(s)
	}
	return all
}

// Int adds an integer with a number.
func (s *Sum) Int(number, value int) { s.add(mix(begin(number) ^ uint64(value))) }

// Text adds a text with a number.
func (s *Sum) Text(number int, text string) { s.Bytes(number, []byte(text)) }

// Bytes adds bytes with a number.
func (s *Sum) Bytes(number int, b []byte) {
	h := mix(begin(number) ^ uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		h = mix(h ^ uint64(c))
	}
	s.add(h)
}

// Number returns the hash of a number.
func Number(n uint64) uint64 { return mix(n ^ second) }

// begin returns the beginning of the hash of a thing.
func begin(number int) uint64 { return mix(uint64(number)*golden + second) }

const (
	golden = 0x9e3779b97f4a7c15
	second = 0x6a09e667f3bcc909
)

// mix is the finalizer of SplitMix64, as in package random, with an addition before it.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
