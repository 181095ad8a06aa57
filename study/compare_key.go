package study

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
)

// identify writes what all trainings depend on.
func (e *Experiment) identify(w io.Writer) {
	for _, m := range e.judge.metrics {
		fmt.Fprintln(w, m.Name(), m.Convention())
	}
	fmt.Fprintln(w, e.judge.gain, e.options.MaxIterations, e.options.MaxSeconds)
}

// facts returns what one training depends on, beside its data.
func (j *job) facts() []string {
	all := []string{j.ranker.Kind, fmt.Sprint(j.seed)}
	for _, p := range j.variant.make().table() {
		if decidedParams[p.Name] == "" {
			all = append(all, p.Name+"="+p.Value.String())
		}
	}
	slices.Sort(all[2:])
	return all
}

// dataKey returns a hash of the bytes of a split and its companions.
func dataKey(ctx context.Context, s Split, reading string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, reading)
	for i, path := range []string{s.Train, s.Vali, s.Test} {
		for _, companion := range append([]string{""}, data.Companions()...) {
			if err := addTree(ctx, hash, fmt.Sprint(i, companion), path+companion); err != nil &&
				(companion == "" || !errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// addTree adds a file to the hash, or the files of a folder in the order of their names.
func addTree(ctx context.Context, hash io.Writer, name, path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return addFile(ctx, hash, name+" "+entry.Name(), path)
	})
}

func addFile(ctx context.Context, hash io.Writer, name, path string) error {
	size, sum, err := stream.Checksum(ctx, path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(hash, "%s %d %s\n", name, size, sum)
	return err
}
