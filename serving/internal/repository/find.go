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
	fault        error // why the file cannot be the model, whatever it contains
	second       bool  // another file is a model of the same name
}

// key identifies a model across several checks of the folder.
func (p place) key() string {
	if p.second {
		return p.path
	}
	return p.name + "/" + p.number
}

// same reports whether two places are identical.
func (p place) same(other place) bool {
	return p.path == other.path && p.second == other.second && fmt.Sprint(p.fault) == fmt.Sprint(other.fault)
}

// find lists the models of a folder, or the single model of a file. It skips names that begin with a dot, and
// top-level files whose first bytes are not those of a model, unless a model was loaded from them before.
func find(path string, loaded func(path string) bool) ([]place, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []place{{name: nameOf(path), number: "1", path: path}}, nil
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
				p.second, p.fault = true, fmt.Errorf("%s: %s is a model of the same name; rename one", p.path, other)
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
		return []place{{name: nameOf(path), number: "1", path: path}}
	}
	return nil
}

// versionsIn lists the versions of a model. Folders whose names are not numbers are skipped, as by Triton.
func versionsIn(folder string) []place {
	name := filepath.Base(folder)
	entries, err := visible(folder)
	if err != nil {
		return []place{{name: name, path: folder, fault: err}}
	}
	var all []place
	for _, number := range entries {
		if !isNumber(number) {
			continue
		}
		if p, found := inVersion(name, number, filepath.Join(folder, number)); found {
			all = append(all, p)
		}
	}
	return all
}

// inVersion returns the model of a version: the only file of the folder, or the one named model. An empty
// folder has none, because its file may not have been written yet.
func inVersion(name, number, folder string) (p place, found bool) {
	p = place{name: name, number: number, path: folder}
	entries, err := visible(folder)
	if err != nil || len(entries) == 0 {
		p.fault = err
		return p, err != nil
	}
	var files []string
	for _, e := range entries {
		if len(entries) == 1 || nameOf(e) == "model" {
			files = append(files, e)
		}
	}
	if len(files) == 1 {
		p.path = filepath.Join(folder, files[0])
	} else {
		p.fault = fmt.Errorf("%s: it must have one file, or one that is named model.txt (or .json, .onnx and so "+
			"on) among others", folder)
	}
	return p, true
}

// isNumber reports whether a name is a version: digits, the first of which is not 0.
func isNumber(name string) bool {
	if name == "" || name[0] == '0' {
		return false
	}
	return strings.Trim(name, "0123456789") == ""
}

// nameOf returns the model name for a file name: without extensions of compression and format.
func nameOf(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// isModel reports whether a file is a model by its first bytes. Unreadable files are assumed to be models.
func isModel(path string) bool {
	found, err := lambdamart.IsModel(path)
	return found || err != nil
}
