package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// checkout is a commit in two folders, whose names have different lengths.
type checkout struct {
	version string    // the tag, or else the last tag before the commit and the commit's hash
	time    time.Time // of the commit
	fresh   bool      // the second folder has its own build cache
	root    string    // temporary folder
	folders [2]string
}

func checkOut(commit string, fresh bool) (*checkout, error) {
	c := &checkout{fresh: fresh}
	hash, err := output("", nil, "git", "rev-parse", "--verify", commit+"^{commit}")
	if err != nil {
		return nil, err
	}
	if c.version, err = output("", nil, "git", "describe", "--tags", "--always", hash); err != nil {
		return nil, err
	}
	seconds, err := output("", nil, "git", "show", "-s", "--format=%ct", hash)
	if err != nil {
		return nil, err
	}
	var at int64
	if _, err := fmt.Sscan(seconds, &at); err != nil {
		return nil, err
	}
	c.time = time.Unix(at, 0).UTC()
	if c.root, err = os.MkdirTemp("", "release-"); err != nil {
		return nil, err
	}
	for i, name := range []string{"a", "another folder"} {
		c.folders[i] = filepath.Join(c.root, name)
		if err := clone(c.folders[i], hash); err != nil {
			return nil, errors.Join(err, c.remove())
		}
	}
	return c, nil
}

// clone clones this repository at a commit. The go command would not record the commit in a git worktree,
// whose .git is a file.
func clone(folder, hash string) error {
	root, err := output("", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	_, err = output("", nil, "git", "clone", "--quiet", "--shared", "--no-checkout", root, folder)
	if err != nil {
		return err
	}
	_, err = output(folder, nil, "git", "checkout", "--quiet", "--detach", hash)
	return err
}

// remove removes the folders.
func (c *checkout) remove() error { return os.RemoveAll(c.root) }

// buildTwice builds the program for a system in both folders, and returns its bytes. It is an error if the
// builds differ.
func (c *checkout) buildTwice(system, cpu string) ([]byte, error) {
	var programs [2][]byte
	for i := range programs {
		env := []string{"GOOS=" + system, "GOARCH=" + cpu}
		if i == 1 && c.fresh {
			env = append(env, "GOCACHE="+filepath.Join(c.root, "cache"))
		}
		var err error
		if programs[i], err = c.build(c.folders[i], env); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(programs[0], programs[1]) {
		return nil, errors.New("the two builds differ: the program depends on the folder or the machine")
	}
	return programs[0], nil
}

// build returns the bytes of the program, built in a folder with variables added to the environment.
func (c *checkout) build(folder string, env []string) ([]byte, error) {
	path := filepath.Join(c.root, "program")
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", path,
		"./cmd/lambdamart"}
	env = append([]string{"CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOTOOLCHAIN=local",
		"GOEXPERIMENT=", "GOWORK=off"}, env...)
	if _, err := output(folder, env, "go", args...); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// output runs a command in a folder, with variables added to the environment.
func output(folder string, env []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", c, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
