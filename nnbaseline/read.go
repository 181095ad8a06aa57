package nnbaseline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/tree"
)

// ReadModel reads a model up to the end of r. Errors wrap [ErrForeign], [ErrVersion], [ErrCut], [ErrDamaged]
// or [ErrInvalid], or come from r. It allocates at most a few times as many bytes as r holds, even if the
// header claims a larger size.
func ReadModel(r io.Reader) (*Model, error) {
	headerBytes, values, err := readPreface(r)
	if err != nil {
		return nil, err
	}
	body, err := readBody(r, headerBytes, values)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(body[:headerBytes])
	if err != nil {
		return nil, err
	}
	n, err := h.network(decodeFloats(body[headerBytes:]))
	if err != nil {
		return nil, err
	}
	m := newModel(h.Ranker, h.Parameters, inputs{h.Features, h.NaN}, n)
	if text, is := h.Parameters[provenance.Calibration]; is {
		if m.calibration, err = tree.ParseCalibration(text); err != nil {
			return nil, fault(ErrInvalid, "%s: %v", provenance.Calibration, err)
		}
	}
	return m, nil
}

// readPreface reads and checks the bytes before the header.
func readPreface(r io.Reader) (headerBytes, values int, err error) {
	b, err := readUpTo(r, prefaceSize)
	if err != nil {
		return 0, 0, err
	}
	switch head := string(b[:min(len(b), len(magic))]); {
	case head != magic[:len(head)] || len(head) == 0:
		return 0, 0, fault(ErrForeign, "")
	case len(b) < prefaceSize:
		return 0, 0, fault(ErrCut, "%d bytes, less than the first %d", len(b), prefaceSize)
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return 0, 0, fault(ErrVersion, "version %d; this is for version %d", v, version)
	}
	if crc32.Checksum(b[:prefaceSize-4], castagnoli) != binary.LittleEndian.Uint32(b[prefaceSize-4:]) {
		return 0, 0, fault(ErrDamaged, "the checksum of the first %d bytes is wrong", prefaceSize)
	}
	length, count := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint64(b[16:])
	if length > maxHeader || count > math.MaxInt/8 {
		return 0, 0, fault(ErrInvalid, "a header of %d bytes and %d values", length, count)
	}
	return int(length), int(count), nil
}

// readBody reads header and values, and compares their checksum.
func readBody(r io.Reader, headerBytes, values int) ([]byte, error) {
	want := headerBytes + 4*values
	b, err := readUpTo(r, want+4+1) // one byte more, to find out whether the file ends here
	switch {
	case err != nil:
		return nil, err
	case len(b) < want+4:
		return nil, fault(ErrCut, "%d of %d bytes", prefaceSize+len(b), prefaceSize+want+4)
	case len(b) > want+4:
		return nil, fault(ErrDamaged, "there is more after byte %d, where it should end", prefaceSize+want+4)
	case crc32.Checksum(b[:want], castagnoli) != binary.LittleEndian.Uint32(b[want:]):
		return nil, fault(ErrDamaged, "the checksum is wrong")
	}
	return b[:want], nil
}

// readUpTo reads n bytes, or fewer if r ends earlier. Its memory grows with the bytes that r has, not
// with n.
func readUpTo(r io.Reader, n int) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.Copy(&b, io.LimitReader(r, int64(n)))
	return b.Bytes(), err
}

// parseHeader reads the JSON. Unknown members are an error, because a format with other members has
// another version number.
func parseHeader(text []byte) (*header, error) {
	h := new(header)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(h); err != nil {
		return nil, fault(ErrInvalid, "header: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fault(ErrInvalid, "header: more than one object")
	}
	return h, h.check()
}
