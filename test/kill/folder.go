//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// files are the files of a folder: content by path, with slashes.
type files map[string]string

func read(folder string) (files, error) {
	all := files{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		all[filepath.ToSlash(name)] = string(withoutTimes(name, content))
		return err
	})
	return all, err
}

// difference describes how f differs from want, or returns "".
func (f files) difference(want files) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if content, ok := want[name]; !ok {
			all = append(all, name+" should not be there")
		} else if content != f[name] {
			all = append(all, fmt.Sprintf("%s is not as it is without a kill: %s", name,
				firstDifference(f[name], content)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := f[name]; !ok {
			all = append(all, name+" is missing")
		}
	}
	return strings.Join(all, "; ")
}

// firstDifference shows the first place where two contents differ. Both are without times.
func firstDifference(got, want string) string {
	const before, shown = 40, 80
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-before)
	part := func(s string) string { return s[from:min(len(s), from+shown)] }
	return fmt.Sprintf("at byte %d of %d, %q and not %q", i, len(got), part(got), part(want))
}

// left matches the temporary file that becomes another file when it is complete.
var left = regexp.MustCompile(`^\..+\.\d+\.tmp$`)

// afterKill lists the files expected after a kill.
type afterKill struct {
	scenario *scenario
	was      files // before the run
	want     files // after a run that is not killed
	soft     bool  // the signal lets the program clean up
	isModel  func(name string) bool
}

// fault returns a description of what is wrong with the files now, or "".
func (a *afterKill) fault(now files) string {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		content := now[name]
		old, existed := a.was[name]
		complete, final := a.want[name]
		switch {
		case existed && content == old, final && content == complete, a.scenario.isLater(name):
		case a.soft && slices.Contains(a.scenario.short, name) && a.isModel(name):
		case left.MatchString(filepath.Base(name)) && !a.soft:
		case final:
			return fmt.Sprintf("%s is neither old nor complete: %s", name, firstDifference(content, complete))
		default:
			return name + " is left"
		}
	}
	for name := range a.was {
		if _, ok := now[name]; !ok && !a.scenario.isLater(name) && !left.MatchString(filepath.Base(name)) {
			return name + " is gone"
		}
	}
	return ""
}
