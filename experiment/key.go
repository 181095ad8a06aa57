package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/stream"
)

// format is the version of the files of results. It changes when their meaning does.
const format = 2

// key returns a hash of everything that the result of a job depends on.
func (e *Experiment) key(j *job, data string) string {
	l := j.variant.make()
	var all []string
	for _, p := range l.table() {
		if decided[p.Name] == "" {
			all = append(all, p.Name+"="+p.Value.String())
		}
	}
	slices.Sort(all)
	var metrics []string
	for _, m := range e.judge.metrics {
		metrics = append(metrics, m.Name()+" "+m.Convention().String())
	}
	text, err := json.Marshal(map[string]any{
		"format": format, "program": e.options.Program, "data": data, "kind": j.ranker.Kind, "parameters": all, "seed": j.seed,
		"iterations": e.options.MaxIterations, "seconds": e.options.MaxSeconds, "metrics": metrics, "gain": e.judge.gain.String(),
	})
	if err != nil {
		panic(err) // texts and finite numbers
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// dataKey returns a hash of the bytes of a split and its companions.
func dataKey(ctx context.Context, s Split, reading string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, reading)
	for i, path := range []string{s.Train, s.Vali, s.Test} {
		for _, companion := range append([]string{""}, data.Companions()...) {
			if err := addTree(ctx, hash, fmt.Sprint(i, companion), path+companion); err != nil && (companion == "" || !errors.Is(err, fs.ErrNotExist)) {
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
