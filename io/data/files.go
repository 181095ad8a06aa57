package data

import (
	"io/fs"
	"path/filepath"

	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// Companions returns the endings of the files beside the data that are read with it, such as ".weight".
func Companions() []string { return rows.Endings() }

// Files returns the paths of the files of the data at path: the file, or those of the folder in the order of
// their names, and the companions that there are. Standard input has none.
func Files(path string) (files []string, err error) {
	if path == "-" {
		return nil, nil
	}
	err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	companions := rows.CompanionsOf(path)
	for _, ending := range Companions() {
		if companions.Exists(ending) {
			files = append(files, filepath.Clean(path)+ending)
		}
	}
	return files, err
}
