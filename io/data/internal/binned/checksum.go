package binned

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/lambdamart/lambdamart/internal/outofcore"
	"github.com/lambdamart/lambdamart/internal/par"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBlock is the number of bytes in a block. Each block of a section has its own checksum.
const sumBlock = 1 << 20

// checksum computes the checksum of a section.
type checksum func(section []byte) uint32

// sumWith returns a checksum that sums blocks in parallel, by the workers of pool. read reads the section.
func sumWith(pool *par.Pool, read outofcore.Reader) checksum {
	return func(section []byte) uint32 {
		blocks := make([]byte, 4*((len(section)+sumBlock-1)/sumBlock))
		pool.Blocks(len(section), sumBlock, func(_, from, to int) {
			sum := uint32(0)
			read.Each(section[from:to], 1, func(piece []byte) { sum = crc32.Update(sum, castagnoli, piece) })
			binary.LittleEndian.PutUint32(blocks[from/sumBlock*4:], sum)
		})
		return crc32.Checksum(blocks, castagnoli)
	}
}
