package stream

import (
	"io"
	"path/filepath"
)

// File is a file of a folder that WriteFolder writes.
type File struct {
	Name  string // in the folder
	Write func(w io.Writer) error
}

// WriteFolder writes files into a folder, each as WriteFile does, and returns their paths. It stops at the
// first error; the files before it are complete.
func WriteFolder(folder string, files ...File) (paths []string, err error) {
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		if err := WriteFile(path, file.Write); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
