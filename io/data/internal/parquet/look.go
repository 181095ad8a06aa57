package parquet

import "encoding/binary"

// lookPacked is like look, for packed indexes of one run. If one of them is beyond the dictionary, it
// returns that index and false.
func lookPacked[T any](dst, dictionary []T, r *runs) (beyond uint32, known bool) {
	r.left -= int64(len(dst))
	for len(dst) > 0 && r.bit&7 != 0 { // until one begins with a byte
		if beyond, known = lookEach(dst[:1], dictionary, r); !known {
			return beyond, false
		}
		dst = dst[1:]
	}
	dst = dst[lookFours(dst, dictionary, r):]
	return lookEach(dst, dictionary, r)
}

// lookFours looks up indexes of up to 16 bits, the first of which starts at a byte: four per load. It returns
// how many values it wrote. It stops before an index beyond the dictionary.
func lookFours[T any](dst, dictionary []T, r *runs) (done int) {
	if r.width > 16 || len(dst) < 8 {
		return 0
	}
	data, width := r.data[r.bit>>3:], uint(r.width)
	mask, size := uint64(1)<<width-1, uint64(len(dictionary))
	bit := uint(0)
	for ; done+4 <= len(dst); done += 4 {
		v := binary.LittleEndian.Uint64(data[bit>>3:bit>>3+8]) >> (bit & 7)
		p0 := v & mask
		v >>= width
		p1 := v & mask
		v >>= width
		p2 := v & mask
		p3 := v >> width & mask
		if p0 >= size || p1 >= size || p2 >= size || p3 >= size {
			break
		}
		to := dst[done : done+4 : done+4]
		to[0], to[1], to[2], to[3] = dictionary[p0], dictionary[p1], dictionary[p2], dictionary[p3]
		bit += 4 * width
	}
	r.bit += int(bit)
	return done
}

// lookEach looks up indexes that begin at any bit, one per load. An index and the bits before it in its first
// byte have at most 39 bits.
func lookEach[T any](dst, dictionary []T, r *runs) (beyond uint32, known bool) {
	mask, bit, data := uint64(1)<<r.width-1, r.bit, r.data
	for i := range dst {
		at := bit >> 3
		place := binary.LittleEndian.Uint64(data[at:at+8]) >> (bit & 7) & mask
		if place >= uint64(len(dictionary)) {
			return uint32(place), false
		}
		dst[i] = dictionary[place]
		bit += r.width
	}
	r.bit = bit
	return 0, true
}
