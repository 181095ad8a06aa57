package binned

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/lambdamart/lambdamart/internal/par"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBlock is the number of bytes in a block. Each block of a section has its own checksum.
const sumBlock = 1 << 20

// checksum computes the checksum of a section.
type checksum func(section []byte) uint32

// sumWith returns a checksum that sums blocks in parallel, by the workers of pool.
func sumWith(pool *par.Pool) checksum {
	return func(section []byte) uint32 {
		blocks := make([]byte, 4*((len(section)+sumBlock-1)/sumBlock))
		pool.Blocks(len(section), sumBlock, func(_, from, to int) {
			binary.LittleEndian.PutUint32(blocks[from/sumBlock*4:], crc32.Checksum(section[from:to], castagnoli))
		})
		return crc32.Checksum(blocks, castagnoli)
	}
}
