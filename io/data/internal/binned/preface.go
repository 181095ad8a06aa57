package binned

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const (
	magicStart = "\x8bLMB"
	magic      = magicStart + "\r\n\x1a\n"
	byteOrder  = 0x0a0b0c0d

	version           = 8 // which is written
	versionOldest     = 2 // that is read
	versionMore       = 4 // the first with positions and a second label, without its name
	versionCategories = 5 // the first with categorical features
	versionLabels     = 8 // the first with any number of further labels, and names

	prefaceSize = 256
	entriesAt   = 24
	entrySize   = 16
	checksumAt  = prefaceSize - 4
	alignment   = 64
)

// lightGBM is the beginning of LightGBM's binned data (its Dataset::binary_file_token).
const lightGBM = "______LightGBM_Binary_File_Token______\n"

// The sections, in the order of the file.
const (
	parameters = iota
	features
	upperBounds
	featureNames
	labels
	weights
	initialScores
	queryLengths
	queryIDs
	bins
	moreLabels
	positions
	positionNames
	dictionaries
	numSections

	numFirst = moreLabels   // sections of versions 2 and 3
	numMore  = dictionaries // sections of version 4
)

var sectionNames = [numSections]string{
	"parameters", "features", "upper bounds", "feature names", "labels", "weights", "initial scores",
	"query lengths", "query ids", "bins",
	"further labels", "positions", "position names",
	"dictionaries",
}

// sections are the contents of a file's sections.
type sections [numSections][]byte

// aligned returns the first place at or after n where a section may begin.
func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// sectionsOf returns the number of sections of a version.
func sectionsOf(version uint32) int {
	switch {
	case version < versionMore:
		return numFirst
	case version < versionCategories:
		return numMore
	}
	return numSections
}

// preface returns the first bytes of a file that has these sections.
func (s *sections) preface(sum checksum) []byte {
	b := make([]byte, prefaceSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], byteOrder)
	binary.LittleEndian.PutUint32(b[12:], version)
	end := prefaceSize
	for i, content := range s {
		end = aligned(end) + len(content)
		entry := b[entriesAt+i*entrySize:]
		binary.LittleEndian.PutUint64(entry, uint64(len(content)))
		binary.LittleEndian.PutUint32(entry[8:], sum(content))
	}
	binary.LittleEndian.PutUint64(b[16:], uint64(end))
	binary.LittleEndian.PutUint32(b[checksumAt:], crc32.Checksum(b[:checksumAt], castagnoli))
	return b
}

// divide checks the preface of a file and returns its sections, which are parts of data, and the
// checksums that they should have.
func divide(data []byte) (s sections, sums [numSections]uint32, err error) {
	if err := checkPreface(data); err != nil {
		return s, sums, err
	}
	end := prefaceSize
	for i := range sectionsOf(binary.LittleEndian.Uint32(data[12:])) {
		entry := data[entriesAt+i*entrySize:]
		length, begin := binary.LittleEndian.Uint64(entry), aligned(end)
		if begin > len(data) || length > uint64(len(data)-begin) {
			return s, sums, fault(ErrInvalid, "%s: %d bytes do not fit into the file", sectionNames[i], length)
		}
		if !isZero(data[end:begin]) {
			return s, sums, fault(ErrDamaged, "the gap before the %s is not empty", sectionNames[i])
		}
		end = begin + int(length)
		s[i], sums[i] = data[begin:end:end], binary.LittleEndian.Uint32(entry[8:])
	}
	if end != len(data) {
		return s, sums, fault(ErrInvalid, "sections end at byte %d of %d", end, len(data))
	}
	return s, sums, nil
}

func checkPreface(data []byte) error {
	head := string(data[:min(len(data), prefaceSize)])
	switch {
	case len(head) >= len(lightGBM) && head[:len(lightGBM)] == lightGBM:
		return fault(ErrForeign, "it is LightGBM's binary data")
	case head[:min(len(head), len(magic))] != magic[:min(len(head), len(magic))]:
		if len(head) > len(magicStart) && head[:len(magicStart)] == magicStart {
			return fault(ErrDamaged, "its first bytes show that it was transferred as text")
		}
		return ErrForeign
	case len(data) < prefaceSize:
		return fault(ErrCut, "%d bytes, less than the first %d", len(data), prefaceSize)
	}
	switch mark := binary.LittleEndian.Uint32(data[8:]); mark {
	case byteOrder:
	case 0x0d0c0b0a:
		return ErrByteOrder
	default:
		return fault(ErrDamaged, "the byte order mark is %#x", mark)
	}
	if v := binary.LittleEndian.Uint32(data[12:]); v < versionOldest || v > version {
		return fault(ErrVersion, "version %d; this is for versions %d to %d", v, versionOldest, version)
	}
	if crc32.Checksum(data[:checksumAt], castagnoli) != binary.LittleEndian.Uint32(data[checksumAt:]) {
		return fault(ErrDamaged, "the checksum of the first %d bytes is wrong", prefaceSize)
	}
	return checkLength(data)
}

// checkLength compares the length in the preface with the length of the file.
func checkLength(data []byte) error {
	switch length := binary.LittleEndian.Uint64(data[16:]); {
	case length > uint64(len(data)):
		return fault(ErrCut, "%d of %d bytes", len(data), length)
	case length < uint64(len(data)):
		return fault(ErrDamaged, "%d bytes instead of %d", len(data), length)
	}
	return nil
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
