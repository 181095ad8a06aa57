package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart"
)

// place is the location of a model.
type place struct {
	name, number string
	path         string
	key          string // identifies the model across several checks of the folder
	fault        error  // why the file cannot be the model, whatever it contains
}

func placeOf(name, number, path string) place {
	return place{name: name, number: number, path: path, key: name + "/" + number}
}

// find lists the models of a folder, or the single model of a file. It skips names that begin with a dot, and
// top-level files whose first bytes are not those of a model, unless a model was loaded from them before.
func find(path string, loaded func(path string) bool) ([]place, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []place{placeOf(nameOf(path), "1", path)}, nil
	}
	entries, err := visible(path)
	if err != nil {
		return nil, err
	}
	var all []place
	owner := make(map[string]string) // of each name
	for _, e := range entries {
		for _, p := range at(filepath.Join(path, e), loaded) {
			if owner[p.name] == "" {
				owner[p.name] = e
			}
			if other := owner[p.name]; other != e {
				p.key, p.fault = p.path, fmt.Errorf("%s: %s is a model of the same name; rename one", p.path,
					other)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// visible returns the names in a folder, sorted, without those that begin with a dot.
func visible(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// at lists the models of an entry of the folder: a file, or a folder of versions.
func at(path string, loaded func(path string) bool) []place {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // gone in the meantime
	case info.IsDir():
		return versionsIn(path)
	case info.Mode().IsRegular() && (loaded(path) || isModel(path)):
		return []place{placeOf(nameOf(path), "1", path)}
	}
	return nil
}

// isModel reports whether a file is a model by its first bytes. Unreadable files are assumed to be models.
func isModel(path string) bool {
	found, err := lambdamart.IsModel(path)
	return found || err != nil
}

// versionsIn lists the versions of a model. Folders whose names are not numbers are skipped.
func versionsIn(folder string) (all []place) {
	entries, err := visible(folder)
	if err != nil {
		p := placeOf(filepath.Base(folder), "", folder)
		p.fault = err
		return []place{p}
	}
	for _, number := range entries {
		if number[0] == '0' || strings.Trim(number, "0123456789") != "" {
			continue
		}
		p := placeOf(filepath.Base(folder), number, filepath.Join(folder, number))
		if p.enter() {
			all = append(all, p)
		}
	}
	return all
}

// enter makes the path, the folder of a version, that of its model: the only file of the folder, or the one
// named model. It reports false if the folder is empty, because its file may not have been written yet.
func (p *place) enter() bool {
	entries, err := visible(p.path)
	if err != nil || len(entries) == 0 {
		p.fault = err
		return err != nil
	}
	var files []string
	for _, e := range entries {
		if len(entries) == 1 || nameOf(e) == "model" {
			files = append(files, e)
		}
	}
	if len(files) == 1 {
		p.path = filepath.Join(p.path, files[0])
		return true
	}
	p.fault = fmt.Errorf("%s: it must have one file, or one that is named model.txt (or .json, .onnx and so on) "+
		"among others", p.path)
	return true
}

// nameOf returns the model name for a file name: without extensions of compression and format.
func nameOf(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
