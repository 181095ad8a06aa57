package binned

import (
	"io/fs"
	"os"
	"time"
)

// mapping is a file whose bytes are in memory.
type mapping struct {
	data   []byte
	opened state    // when it was opened
	file   *os.File // nil where files are read instead of mapped
}

// state has the properties of a file that change when the file is written.
type state struct {
	size    int64
	written time.Time
}

func stateOf(info fs.FileInfo) state { return state{info.Size(), info.ModTime()} }
