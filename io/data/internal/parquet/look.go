package parquet

import "encoding/binary"

// lookPacked is like look, for packed indexes of one run. If one of them is beyond the dictionary, it
// returns that index and false.
func lookPacked[T any](dst, dictionary []T, r *runs) (beyond uint32, known bool) {
	r.left -= int64(len(dst))
	for len(dst) > 0 && r.bit&7 != 0 { // until one begins with a byte
		if beyond, known = lookLast(dst[:1], dictionary, r); !known {
			return beyond, false
		}
		dst = dst[1:]
	}
	dst = dst[lookNumbers(dst, dictionary, r):]
	var done int
	at := r.bit >> 3
	switch w := r.width; {
	case w > 0 && w <= 16:
		done, beyond, known = lookFours(dst, dictionary, r.data[min(at, len(r.data)):], uint(w))
	case w > 16 && w < 30:
		done, beyond, known = lookPairs(dst, dictionary, r.data[min(at, len(r.data)):], uint(w))
	default:
		known = true
	}
	if !known {
		return beyond, false
	}
	r.bit += done * r.width
	return lookLast(dst[done:], dictionary, r)
}

// lookNumbers looks up indexes, the first of which starts at a byte, in assembly if this CPU and build have it
// and the values are numbers. It returns how many values it wrote. It stops before an index beyond the
// dictionary.
func lookNumbers[T any](dst, dictionary []T, r *runs) (done int) {
	const (
		round  = 8  // indexes
		loaded = 32 // bytes from the beginning of a round on
	)
	numbers, ok := any(dst).([]float64)
	data := r.data[min(r.bit>>3, len(r.data)):]
	if !ok || !hasLookEights || r.width == 0 || len(data) < loaded || len(dst) < round || len(dictionary) == 0 {
		return 0
	}
	rounds := min(len(dst)/round, (len(data)-loaded)/r.width+1)
	values := any(dictionary).([]float64)
	rounds = lookEights(&numbers[0], &values[0], len(values), &data[0], rounds, r.width)
	r.bit += rounds * round * r.width
	return rounds * round
}

// lookLast is like lookPacked, for indexes that begin at any bit.
func lookLast[T any](dst, dictionary []T, r *runs) (beyond uint32, known bool) {
	for i := range dst {
		place := r.last()
		if int64(place) >= int64(len(dictionary)) {
			return place, false
		}
		dst[i] = dictionary[place]
	}
	return 0, true
}

// lookFours looks up indexes of up to 16 bits, the first of which starts at a byte: four per load. It returns
// how many values it wrote, a multiple of 4.
func lookFours[T any](dst, dictionary []T, data []byte, width uint) (done int, beyond uint32, known bool) {
	width &= 63
	mask, size := uint64(1)<<width-1, uint64(len(dictionary))
	bit := uint(0)
	for ; done+4 <= len(dst) && int(bit>>3)+8 <= len(data); done += 4 {
		v := binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7)
		p0 := v & mask
		v >>= width
		p1 := v & mask
		v >>= width
		p2 := v & mask
		p3 := v >> width & mask
		if p0 >= size || p1 >= size || p2 >= size || p3 >= size {
			return done, uint32(max(p0, p1, p2, p3)), false
		}
		to := dst[done : done+4 : done+4]
		to[0], to[1], to[2], to[3] = dictionary[p0], dictionary[p1], dictionary[p2], dictionary[p3]
		bit += 4 * width
	}
	return done, 0, true
}

// lookPairs is like lookFours, for indexes of 17 to 29 bits: two per load.
func lookPairs[T any](dst, dictionary []T, data []byte, width uint) (done int, beyond uint32, known bool) {
	width &= 63
	mask, size := uint64(1)<<width-1, uint64(len(dictionary))
	bit := uint(0)
	for ; done+2 <= len(dst) && int(bit>>3)+8 <= len(data); done += 2 {
		v := binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7)
		p0, p1 := v&mask, v>>width&mask
		if p0 >= size || p1 >= size {
			return done, uint32(max(p0, p1)), false
		}
		to := dst[done : done+2 : done+2]
		to[0], to[1] = dictionary[p0], dictionary[p1]
		bit += 2 * width
	}
	return done, 0, true
}
