package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// OpenFiles opens the files of the table at path, in the order of their names: the file itself, or the parts
// in a folder. All of them stay open.
func OpenFiles(path string, opts stream.Options) ([]*stream.Input, error) {
	paths, err := partsOf(path)
	if err != nil {
		return nil, err
	}
	var inputs []*stream.Input
	for _, path := range paths {
		in, err := stream.Open(path, opts)
		if err != nil {
			stream.CloseAll(inputs)
			if errors.Is(err, syscall.EMFILE) && len(paths) > 1 {
				err = fmt.Errorf("%w above the %d parts of the table, or make fewer parts", err, len(paths))
			}
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// partsOf returns the files of a table, in the order of their names.
func partsOf(path string) ([]string, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil // opening it reports what is wrong
	}
	if err := checkUnmanaged(path); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "_") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		full := filepath.Join(path, e.Name())
		info, err := os.Stat(full)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() && strings.Contains(e.Name(), "="):
			return nil, &dataset.Error{Path: full, Err: ErrPartition}
		case info.IsDir():
			return nil, &dataset.Error{Path: full, Err: ErrSubfolder}
		case !info.Mode().IsRegular(): // a pipe would be waited for
			return nil, &dataset.Error{Path: full, Err: ErrNoFile, Detail: info.Mode().Type().String()}
		}
		paths = append(paths, full)
	}
	if len(paths) == 0 {
		return nil, &dataset.Error{Path: path, Err: ErrNoParts}
	}
	return paths, nil
}

// isMissing reports whether the cell of a query or a position is missing: empty, blank or "null" in any case.
func isMissing(cell string) bool {
	cell = strings.TrimSpace(cell)
	return cell == "" || strings.EqualFold(cell, "null")
}
