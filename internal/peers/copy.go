package peers

import "io"

// copyWords is the number of integers that a rank sends at a time: 1 MiB.
const copyWords = 1 << 17

// CopyToFirst writes the bytes of the other peers at rank 0: all of rank 1, then all of rank 2 and so on.
// size is the number of bytes that this rank reads from r; it is 0 on rank 0. Only rank 0 uses w. If any rank
// returns an error, the group must end.
func (g Group) CopyToFirst(w io.Writer, r io.Reader, size int64) error {
	if g.Size() == 1 {
		return nil
	}
	sizes := make([]int64, g.Size())
	g.AllGather(sizes, []int64{size})
	c := copying{group: g, counts: make([]int, g.Size()), words: make([]int64, copyWords),
		text: make([]byte, 8*copyWords)}
	for rank := 1; rank < g.Size(); rank++ {
		for left := sizes[rank]; left > 0; left -= 8 * copyWords {
			n := int(min(left, 8*copyWords))
			if err := c.send(rank, n, w, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// copying is the memory of CopyToFirst.
type copying struct {
	group  Group
	counts []int
	words  []int64
	text   []byte
}

// send writes the next n bytes of another rank at rank 0.
func (c *copying) send(rank, n int, w io.Writer, r io.Reader) error {
	words, text := c.words[:(n+7)/8], c.text[:n]
	clear(words)
	if c.group.Rank() == rank {
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		pack(words, text)
	}
	c.counts[0] = len(words)
	var received []int64
	if c.group.Rank() == 0 {
		received = make([]int64, len(words))
	}
	c.group.ReduceScatter(received, words, c.counts) // the sum of one rank's words and zeros
	if c.group.Rank() > 0 {
		return nil
	}
	unpack(text, received)
	_, err := w.Write(text)
	return err
}

// pack writes bytes to words, which must be zero.
func pack(words []int64, b []byte) {
	for i, c := range b {
		words[i/8] |= int64(c) << (8 * (i % 8))
	}
}

// unpack is the inverse of pack.
func unpack(b []byte, words []int64) {
	for i := range b {
		b[i] = byte(words[i/8] >> (8 * (i % 8)))
	}
}
