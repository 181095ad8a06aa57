package stream

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// Few keeps only some of its inputs open, because a table can have more parts than a process may have open
// files. The file of an input that is not being read is closed, and opened again when it is needed.
type Few struct {
	mu   sync.Mutex
	most int
	open []*Input // inputs with an open file, the least recently used first
}

// NewFew returns a Few that keeps at most this many files open, besides those that are being read.
func NewFew(most int) *Few { return &Few{most: most} }

// add takes over an open file.
func (few *Few) add(in *Input) {
	few.mu.Lock()
	defer few.mu.Unlock()
	in.few = few
	few.open = append(few.open, in)
	few.closeUnused()
}

// hold returns the open file of an input. It stays open until release is called.
func (few *Few) hold(in *Input) (f *os.File, release func(), err error) {
	few.mu.Lock()
	defer few.mu.Unlock()
	if in.file == nil {
		if in.file, err = reopen(in.name, in.opened); err != nil {
			return nil, nil, err
		}
	} else {
		few.forget(in)
	}
	few.open = append(few.open, in)
	in.readers++
	few.closeUnused()
	return in.file, func() {
		few.mu.Lock()
		defer few.mu.Unlock()
		in.readers--
	}, nil
}

// reopen opens a file again. The error is [ErrChanged] if the path now leads to another file.
func reopen(path string, before fs.FileInfo) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		f.Close()
		return nil, ErrChanged
	}
	return f, nil
}

// closeUnused closes files that are not being read until at most few.most are open.
func (few *Few) closeUnused() {
	for i := 0; i < len(few.open) && len(few.open) > few.most; {
		in := few.open[i]
		if in.readers > 0 {
			i++
			continue
		}
		in.file.Close() // it was only read
		in.file = nil
		few.open = slices.Delete(few.open, i, i+1)
	}
}

func (few *Few) forget(in *Input) {
	if i := slices.Index(few.open, in); i >= 0 {
		few.open = slices.Delete(few.open, i, i+1)
	}
}

// close closes the file of an input that is not being read.
func (few *Few) close(in *Input) error {
	few.mu.Lock()
	defer few.mu.Unlock()
	few.forget(in)
	f := in.file
	in.file = nil
	if f == nil {
		return nil
	}
	return f.Close()
}
