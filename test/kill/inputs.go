//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
)

// root is the folder of the repository.
func root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return string(bytes.TrimSpace(out)), err
}

// build makes the programs in folder.
func build(root, folder string) error {
	c := exec.Command("go", "build", "-o", folder+string(filepath.Separator),
		"./cmd/lambdamart", "./bench/mslrgen")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	return nil
}

// makeInputs writes the folder "in" of inputs: two sets of real data, folds of them, generated rows, a model,
// its scores, a table in random order that is too large to be sorted in memory, and rows of many columns that
// are mostly 0.
func (h *harness) makeInputs(root string) error {
	in := filepath.Join(h.folder, "in")
	fold := filepath.Join(in, "folds")
	if err := os.MkdirAll(fold, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"train", "vali", "test"} {
		data, err := os.ReadFile(filepath.Join(root, "testdata", "mslr-small", name+".txt.gz"))
		if err != nil {
			return err
		}
		for _, folder := range []string{in, fold} {
			if err := os.WriteFile(filepath.Join(folder, name+".txt.gz"), data, 0o666); err != nil {
				return err
			}
		}
	}
	generator := filepath.Join(h.folder, "bin", "mslrgen")
	rows, err := exec.Command(generator, "-queries", "150", "-seed", "1").Output()
	if err != nil {
		return err
	}
	made := map[string][]byte{"rows.txt": rows, "ranked.csv": table(250_000), "wide.txt": wide(3000)}
	for name, content := range made {
		if err := os.WriteFile(filepath.Join(in, name), content, 0o666); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"train", "data=train.txt.gz", "output_model=model.txt", "num_iterations=100"},
		{"predict", "data=vali.txt.gz", "input_model=model.txt", "output_result=scores.txt"},
	} {
		c := exec.Command(h.program, args...)
		c.Dir = in
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// table returns a table of scores whose queries are mixed.
func table(rows int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := []byte("query,target,score\n")
	for range rows {
		b = fmt.Appendf(b, "%d,%d,%.6f\n", random.IntN(2000), random.IntN(5), random.Float64())
	}
	return b
}

// wide returns rows of 4,000 columns, 30 of which have values in each row.
func wide(rows int) []byte {
	random := rand.New(rand.NewPCG(3, 2))
	var b []byte
	for row := range rows {
		b = fmt.Appendf(b, "%d qid:%d", random.IntN(5), row/50)
		for i := range 30 {
			b = fmt.Appendf(b, " %d:%d", 1+i*133+random.IntN(133), 1+random.IntN(9))
		}
		b = append(b, '\n')
	}
	return b
}
