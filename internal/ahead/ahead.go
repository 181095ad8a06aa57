// Package ahead has the disk read what a pass over bytes will come to.
//
// The bytes are those of a file that is larger than the memory that is left for them. The system's own reading ahead
// takes many megabytes, and drops the first of them, not yet used, where there is room for fewer.
package ahead

// Reader begins to read bytes of a mapped file, and does not wait for them. Nil does nothing.
type Reader func(bytes []byte)

// distance is the number of bytes between those that a pass reads and those that are begun to be read.
const distance = 2 << 20

// Pass is called by a pass over all bytes, from the first to the last, before it reads those in [from, to).
func (r Reader) Pass(bytes []byte, from, to int) {
	if r == nil {
		return
	}
	first := from + distance
	if from == 0 {
		first = 0
	}
	if end := min(to+distance, len(bytes)); first < end {
		r(bytes[first:end])
	}
}
