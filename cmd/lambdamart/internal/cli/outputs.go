package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// checkFiles returns an error for an output among the parameters of a table whose name implies compression,
// or that would replace an input, a companion of an input, or another output. words are arguments without
// "=", which are inputs if they are names of files.
func checkFiles(table param.Table, words []string) error {
	outputs, inputs := files(table, param.Written), append(files(table, param.Read), inputsOf("", words...)...)
	for i, out := range outputs {
		if err := CheckPlain(out.Path); err != nil {
			return err
		}
		for _, in := range inputs {
			if samePath(in.Path, out.Path) {
				return Usagef("%v would be overwritten by the output %v: name another file", in, out)
			}
			for _, ending := range data.Companions(in.Path) {
				if companion := filepath.Clean(in.Path) + ending; samePath(companion, out.Path) {
					return Usagef("%v would be read as a companion of %v: name another file", out, in)
				}
			}
		}
		for _, other := range outputs[:i] {
			if samePath(other.Path, out.Path) {
				return Usagef("%v and %v are one file: name a file of its own for each", other, out)
			}
		}
	}
	return nil
}

// reserve keeps other runs from writing the outputs until release is called. Otherwise, if two runs wrote to
// the same model, one model would be lost. Only the first of several processes writes them.
func (e *execution) reserve(env *Env) (release func(), err error) {
	if env.Peers.Rank() > 0 {
		return func() {}, nil
	}
	var releases []func()
	release = func() {
		for _, release := range releases {
			release()
		}
	}
	for _, out := range files(e.table, param.Written) {
		one, err := stream.Reserve(out.Path)
		if err != nil {
			release()
			return nil, fmt.Errorf("%v: %w", out, err)
		}
		releases = append(releases, one)
	}
	return release, nil
}

// probe refuses outputs that cannot be written. If the folder of results does not exist yet, it stands for
// the files that will be written into it.
func (e *execution) probe() error {
	folder := ""
	if e.command.Folder {
		folder = e.table.Find("output").Value.String()
	}
	if folder == "-" {
		return Usagef("output=-: the results are several files; name a folder")
	}
	for _, out := range files(e.table, param.Written) {
		path := out.Path
		switch {
		case folder == "":
		case out.Parameter == "output":
			continue
		case filepath.Clean(filepath.Dir(path)) == filepath.Clean(folder):
			if _, err := os.Stat(folder); err != nil {
				path = folder
			}
		}
		if err := stream.Probe(path); err != nil {
			return err
		}
	}
	return nil
}

// CheckCompanions returns an error if the path of an output has companions of an earlier file, which would be
// read with the new data. Those with the endings in written will be replaced.
func CheckCompanions(output string, written ...string) error {
	for _, ending := range data.Companions(output) {
		old := filepath.Clean(output) + ending
		if _, err := os.Stat(old); err == nil && !slices.Contains(written, ending) {
			return Usagef("%s exists and would be read with the output, which it does not belong to: remove it, or "+
				"name another output", old)
		}
	}
	return nil
}

// files returns the files that the parameters of a table name for a use.
func files(table param.Table, use param.FileUse) (found []input) {
	for i := range table {
		row := &table[i]
		if row.File != use || row.Inert {
			continue
		}
		paths := []string{row.Value.String()}
		if row.Repeat {
			paths = strings.Split(paths[0], ",")
		}
		for _, in := range inputsOf(row.Name, paths...) {
			if in.Path != "-" {
				found = append(found, in)
			}
		}
	}
	return found
}

// samePath reports whether two paths are one file, which need not exist. It returns false for devices and
// pipes, which may be used twice.
func samePath(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB) && (infoA.Mode().IsRegular() || infoA.IsDir())
	}
	return errA != nil && errB != nil && resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file, without the symbolic links that lead to it.
func resolved(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return stream.Target(absolute)
}
