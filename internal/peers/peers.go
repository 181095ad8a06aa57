// Package peers lets several processes train or judge together, each on queries of its own.
//
// [Join] makes a [Group] of any transport, such as a program's own network code. The command lambdamart,
// built with the tag mpi, joins processes by MPI; test/aid has goroutines as peers. A group is passed in the
// options of package data. Code that adds up, compares or collects numbers does so by methods of the group:
// with the zero Group a process is alone, and each method returns what the process itself has, so the same
// code runs on one process and on several.
//
// Each peer has a rank, its number from 0. All peers run the same program, and call the same methods of the
// group in the same order, each with its own part: such a call is a collective, and returns when all peers
// have made it. Numbers that are added up are integers, so the order of the peers does not matter, and a
// model does not depend on their number.
//
// A peer must not base a decision on anything that only it knows, such as a clock, a signal or its own rows:
// the others would wait in another collective forever. It must first share that information by [Group.Any],
// [Group.SumOf] or another collective.
package peers

import (
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/internal/fingerprint"
)

// Transport exchanges integers between peers. One goroutine of each peer at a time calls its methods.
//
// A method does not return an error: if a peer fails, or the connection to it, the whole group ends. Slices
// belong to the caller. Lengths are the same on all peers, unless documented otherwise.
type Transport interface {
	// Rank returns the number of this peer, from 0.
	Rank() int
	// Size returns the number of peers.
	Size() int

	// Sum replaces each number by its sum over all peers.
	Sum(data []int64)
	// Max replaces each number by the largest one of all peers.
	Max(data []int64)

	// ReduceScatter adds src up over all peers, and gives each peer its part of the sums: rank 0 the first
	// counts[0] of them, rank 1 the next counts[1], and so on. src has as many numbers as counts add up to, dst
	// as many as this peer's part. counts are equal on all peers.
	ReduceScatter(dst, src []int64, counts []int)

	// AllGather gives all peers the numbers in src of each peer: dst has Size times as many numbers as src,
	// those of rank 0 first.
	AllGather(dst, src []int64)
}

// Group is a number of peers that work together. The zero Group is one process that works alone.
type Group struct{ t Transport }

// Join returns the group of the peers that a transport connects.
func Join(t Transport) Group { return Group{t} }

// Transport returns the transport of the group. That of a process that works alone does nothing.
func (g Group) Transport() Transport {
	if g.t == nil {
		return alone{}
	}
	return g.t
}

// Rank returns the number of this peer, from 0.
func (g Group) Rank() int { return g.Transport().Rank() }

// Size returns the number of peers.
func (g Group) Size() int { return g.Transport().Size() }

// Sum replaces each number by its sum over all peers.
func (g Group) Sum(data []int64) { g.Transport().Sum(data) }

// Max replaces each number by the largest one of all peers.
func (g Group) Max(data []int64) { g.Transport().Max(data) }

// ReduceScatter gives each peer its part of the sums of src over all peers, as [Transport] describes.
func (g Group) ReduceScatter(dst, src []int64, counts []int) {
	g.Transport().ReduceScatter(dst, src, counts)
}

// AllGather gives all peers the numbers in src of each peer, as [Transport] describes.
func (g Group) AllGather(dst, src []int64) { g.Transport().AllGather(dst, src) }

// alone is the transport of a process that works alone.
type alone struct{}

func (alone) Rank() int                               { return 0 }
func (alone) Size() int                               { return 1 }
func (alone) Sum([]int64)                             {}
func (alone) Max([]int64)                             {}
func (alone) ReduceScatter(dst, src []int64, _ []int) { copy(dst, src) }
func (alone) AllGather(dst, src []int64)              { copy(dst, src) }

// Any reports whether any peer passes true.
func (g Group) Any(yes bool) bool {
	if g.Size() == 1 {
		return yes
	}
	answer := []int64{0}
	if yes {
		answer[0] = 1
	}
	g.Max(answer)
	return answer[0] > 0
}

// SumOf returns the sum of the peers' numbers.
func (g Group) SumOf(n int) int {
	if g.Size() == 1 {
		return n
	}
	sum := []int64{int64(n)}
	g.Sum(sum)
	return int(sum[0])
}

// MaxOf returns the largest of the peers' numbers.
func (g Group) MaxOf(n int) int {
	if g.Size() == 1 {
		return n
	}
	largest := []int64{int64(n)}
	g.Max(largest)
	return int(largest[0])
}

// MaxFloats replaces each number by the largest one of all peers. None may be NaN.
func (g Group) MaxFloats(values []float64) {
	if g.Size() == 1 {
		return
	}
	keys := make([]int64, len(values))
	for i, v := range values {
		keys[i] = ordered(v)
	}
	g.Max(keys)
	for i, k := range keys {
		values[i] = fromOrdered(k)
	}
}

// ordered returns the bits of v as an integer that is larger for larger numbers.
func ordered(v float64) int64 {
	bits := int64(math.Float64bits(v))
	if bits < 0 {
		return math.MinInt64 - bits - 1
	}
	return bits
}

// fromOrdered is the inverse of ordered.
func fromOrdered(key int64) float64 {
	if key < 0 {
		key = math.MinInt64 - key - 1
	}
	return math.Float64frombits(uint64(key))
}

// Chain calls step on each rank, one after the other, from rank 0 on. step changes the numbers of state,
// which are passed from each rank to the next; afterwards all peers have the state of the last rank. A sum of
// floats is thus computed in the order of the data, whatever the number of peers. It takes Size collectives.
func (g Group) Chain(state []float64, step func()) {
	if g.Size() == 1 {
		step()
		return
	}
	words := make([]int64, len(state))
	for rank := range g.Size() {
		clear(words)
		if rank == g.Rank() {
			step()
			for i, v := range state {
				words[i] = int64(math.Float64bits(v))
			}
		}
		g.Sum(words)
		for i, w := range words {
			state[i] = math.Float64frombits(uint64(w))
		}
	}
}

// Gather returns the numbers of all peers, by rank. The peers may have different numbers of them.
func (g Group) Gather(values []int64) [][]int64 {
	if g.Size() == 1 {
		return [][]int64{values}
	}
	lengths := make([]int64, g.Size())
	g.AllGather(lengths, []int64{int64(len(values))})
	longest := 0
	for _, n := range lengths {
		longest = max(longest, int(n))
	}
	padded, received := make([]int64, longest), make([]int64, longest*g.Size())
	copy(padded, values)
	g.AllGather(received, padded)
	all := make([][]int64, g.Size())
	for rank, n := range lengths {
		all[rank] = received[rank*longest:][:n:n]
	}
	return all
}

// GatherTexts returns the texts of all peers, by rank. The peers may have different numbers of them.
func (g Group) GatherTexts(texts []string) [][]string {
	if g.Size() == 1 {
		return [][]string{texts}
	}
	lengths := make([]int64, len(texts))
	for i, text := range texts {
		lengths[i] = int64(len(text))
	}
	all := []byte(strings.Join(texts, ""))
	words := make([]int64, (len(all)+7)/8)
	pack(words, all)
	gathered := make([][]string, g.Size())
	lengthsOf, wordsOf := g.Gather(lengths), g.Gather(words)
	for rank := range gathered {
		b := make([]byte, 8*len(wordsOf[rank]))
		unpack(b, wordsOf[rank])
		for _, n := range lengthsOf[rank] {
			gathered[rank] = append(gathered[rank], string(b[:n]))
			b = b[n:]
		}
	}
	return gathered
}

// FromFirst returns the bytes of rank 0 on all peers. The bytes that other peers pass do not matter.
func (g Group) FromFirst(b []byte) []byte {
	if g.Size() == 1 {
		return b
	}
	if g.Rank() > 0 {
		b = nil
	}
	length := g.SumOf(len(b))
	words := make([]int64, (length+7)/8)
	pack(words, b)
	g.Sum(words)
	b = make([]byte, length)
	unpack(b, words)
	return b
}

// Same reports whether all peers pass the same values. All pass the same number of values.
func (g Group) Same(values []int64) bool {
	if g.Size() == 1 {
		return true
	}
	both := make([]int64, 0, 2*len(values))
	for _, v := range values {
		both = append(both, v, ^v) // ^v is largest where v is smallest
	}
	g.Max(both)
	for i := range values {
		if both[2*i] != ^both[2*i+1] {
			return false
		}
	}
	return true
}

// FindElsewhere finds one of the n queries of this peer whose rows are partly on another peer. It returns the
// number of the query, and whether there is one. It is a collective, and compares 64 bits of each id.
func (g Group) FindElsewhere(n int, id func(query int) string) (query int, found bool) {
	const most = 1 << 20 // number of ids that a peer sends at a time
	own := make(map[int64]int, n)
	hashes := make([]int64, n)
	for q := range n {
		var sum fingerprint.Sum
		sum.Text(0, id(q))
		hashes[q] = int64(sum[0])
		own[hashes[q]] = q
	}
	for range (g.MaxOf(n) + most - 1) / most {
		shown := hashes[:min(most, len(hashes))]
		hashes = hashes[len(shown):]
		for rank, others := range g.Gather(shown) {
			for _, hash := range others {
				if q, both := own[hash]; both && rank != g.Rank() {
					query, found = q, true
				}
			}
		}
	}
	return query, found
}
