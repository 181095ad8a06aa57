package limits

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// groups returns the folders of the process's control group for a controller and of all groups above
// it, whose limits apply too, in both versions.
//
// A process belongs to a group of each hierarchy (/proc/self/cgroup, "NUMBER:CONTROLLERS:PATH", where
// version 2 has no controllers). A part of a hierarchy, which begins at the root of the mount, is
// mounted somewhere (/proc/self/mountinfo).
func groups(root fs.FS, controller string) (folders []string) {
	b, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		cells := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(cells) != 3 {
			continue
		}
		switch {
		case cells[0] == "0" && cells[1] == "":
			folders = append(folders, above(mountsOf(root, "cgroup2", ""), cells[2])...)
		case slices.Contains(strings.Split(cells[1], ","), controller):
			folders = append(folders, above(mountsOf(root, "cgroup", controller), cells[2])...)
		}
	}
	return folders
}

// mount is a mounted part of a hierarchy.
type mount struct{ root, point string }

// mountsOf returns the mounts of a type of file system, with the controller if it is not "". A line is
// "36 35 98:0 ROOT POINT OPTIONS [TAGS] - TYPE SOURCE CONTROLLERS".
func mountsOf(root fs.FS, kind, controller string) (mounts []mount) {
	b, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		front, back, _ := strings.Cut(line, " - ")
		place, what := strings.Fields(front), strings.Fields(back)
		if len(place) < 5 || len(what) < 3 || what[0] != kind {
			continue
		}
		if controller == "" || slices.Contains(strings.Split(what[2], ","), controller) {
			mounts = append(mounts, mount{unescape(place[3]), unescape(place[4])})
		}
	}
	return mounts
}

// unescape undoes the escapes of mountinfo.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// above returns the folders of a group and of the groups above it, as far as they are mounted. In a container
// the path may be the one outside of it: then the mount itself is the group.
func above(mounts []mount, group string) (folders []string) {
	for _, m := range mounts {
		inside, found := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(path.Clean(m.root), "/"))
		if !found || inside != "" && inside[0] != '/' {
			inside = ""
		}
		for ; inside != "" && inside != "/"; inside = path.Dir(inside) {
			folders = append(folders, strings.TrimPrefix(path.Join(m.point, inside), "/"))
		}
		folders = append(folders, strings.TrimPrefix(path.Clean(m.point), "/"))
	}
	return folders
}
