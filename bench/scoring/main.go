//go:build unix

// Command scoring times tree.Scorer and leaves for bench/scoring/compare.py. That program alternates between
// all systems, so this one waits for tasks on standard input.
//
//	scoring ROWS COLUMNS NAME=MODEL...
//
// ROWS is a file of little-endian float64, row after row. Each line of standard input is a task, and
// is answered by a line of JSON:
//
//	time SYSTEM NAME BATCH FIRST SECONDS   score batches of rows for at least SECONDS, beginning at
//	                                       row FIRST and starting again after the last row
//	scores SYSTEM NAME FILE                score all rows and write the scores as little-endian float64
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/dmitryikh/leaves"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

func main() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1) // no garbage is made after the models are loaded
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scoring:", err)
		os.Exit(1)
	}
}

func run(arguments []string, tasks io.Reader, answers io.Writer) error {
	if len(arguments) < 3 {
		return errors.New("give ROWS, COLUMNS and at least one NAME=MODEL")
	}
	rows, err := readRows(arguments[0], arguments[1])
	if err != nil {
		return err
	}
	systems, err := load(arguments[2:])
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(answers)
	for lines := bufio.NewScanner(tasks); lines.Scan(); {
		answer, err := do(strings.Fields(lines.Text()), systems, rows)
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// matrix is row-major.
type matrix struct {
	values  []float64
	columns int
}

func (m matrix) rows(first, n int) []float64 { return m.values[first*m.columns : (first+n)*m.columns] }
func (m matrix) len() int                    { return len(m.values) / m.columns }

func readRows(path, columns string) (matrix, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return matrix{}, err
	}
	m := matrix{values: make([]float64, len(raw)/8)}
	for i := range m.values {
		m.values[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	m.columns, err = strconv.Atoi(columns)
	return m, err
}

// score writes the scores of len(dst) rows.
type score func(dst, rows []float64) error

// load returns the scoring functions, by system and model.
func load(models []string) (map[[2]string]score, error) {
	systems := make(map[[2]string]score)
	for _, argument := range models {
		name, path, _ := strings.Cut(argument, "=")
		ensemble, _, err := model.ReadFile(path)
		if err != nil {
			return nil, err
		}
		scorer, err := tree.Compile(ensemble)
		if err != nil {
			return nil, err
		}
		systems[[2]string{"lambdamart", name}] = scorer.Score
		other, err := leaves.LGEnsembleFromFile(path, false)
		if err != nil {
			return nil, err
		}
		systems[[2]string{"leaves", name}] = func(dst, rows []float64) error {
			return other.PredictDense(rows, len(dst), len(rows)/len(dst), dst, 0, 1)
		}
	}
	return systems, nil
}

func do(task []string, systems map[[2]string]score, rows matrix) (any, error) {
	if len(task) < 4 {
		return nil, errors.New("no such task")
	}
	system, ok := systems[[2]string{task[1], task[2]}]
	switch {
	case !ok:
		return nil, errors.New("no such system or model")
	case task[0] == "time" && len(task) == 6:
		return timeTask(system, rows, task[3:])
	case task[0] == "scores" && len(task) == 4:
		return struct{}{}, writeScores(system, rows, task[3])
	}
	return nil, errors.New("no such task")
}

func writeScores(system score, rows matrix, path string) error {
	scores := make([]float64, rows.len())
	if err := system(scores, rows.values); err != nil {
		return err
	}
	var raw []byte
	for _, s := range scores {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(s))
	}
	return os.WriteFile(path, raw, 0o666)
}
