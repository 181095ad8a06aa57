package outofcore

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/limits"
)

// Memory makes memory that the system can move to a file, for data that may be larger than memory. The zero
// value makes it as make does. Close it after use.
type Memory struct {
	// Folder, if not empty, is where files are made. They have no names, and are gone with the process.
	Folder string

	mapped [][]byte
}

// part determines which bytes are in a file: those that would take more than 1/part of the process's memory.
const part = 4

// Make returns size bytes, all zero, mapped from a file if they would take a large part of the memory that is
// left. It fails if the file cannot be made, or if the disk or the memory has no room.
func (m *Memory) Make(size int) ([]byte, error) {
	if room, _, limited := limits.Room(); m.Folder != "" && limited && int64(size) > room/part {
		b, err := mapFile(m.Folder, size)
		if err == nil {
			m.mapped = append(m.mapped, b)
			return b, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) { // some file systems cannot reserve blocks
			return nil, fmt.Errorf("%s: a file of %d bytes that holds what memory does not: %w", m.Folder, size, err)
		}
	}
	if err := limits.Check(size, "data", "a smaller part of it needs less"); err != nil {
		return nil, err
	}
	return make([]byte, size), nil
}

// Close releases memory that was mapped from files, which must not be used afterwards.
func (m *Memory) Close() error {
	var all error
	for _, b := range m.mapped {
		all = errors.Join(all, unmap(b))
	}
	m.mapped = nil
	return all
}
