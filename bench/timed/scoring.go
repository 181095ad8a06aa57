//go:build unix

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/dmitryikh/leaves"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

// timeScoring scores the rows of a file of little-endian float64, row after row, by tree.Scorer and by
// leaves. Its arguments are ROWS COLUMNS NAME=MODEL... A task is
//
//	time SYSTEM NAME BATCH FIRST SECONDS   score batches of rows for at least SECONDS, beginning at
//	                                       row FIRST and starting again after the last row
//	scores SYSTEM NAME FILE                score all rows and write the scores as little-endian float64
func timeScoring(arguments []string) error {
	debug.SetGCPercent(-1) // no garbage is made after the models are loaded
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
	return answer(func(task []string) (any, error) { return scoringTask(task, systems, rows) })
}

// rowMajor is a matrix, row after row.
type rowMajor struct {
	values  []float64
	columns int
}

func (m rowMajor) rows(first, n int) []float64 {
	return m.values[first*m.columns : (first+n)*m.columns]
}
func (m rowMajor) len() int { return len(m.values) / m.columns }

func readRows(path, columns string) (rowMajor, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return rowMajor{}, err
	}
	m := rowMajor{values: make([]float64, len(raw)/8)}
	if _, err := binary.Decode(raw, binary.LittleEndian, m.values); err != nil {
		return rowMajor{}, err
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

func scoringTask(task []string, systems map[[2]string]score, rows rowMajor) (any, error) {
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

func writeScores(system score, rows rowMajor, path string) error {
	scores := make([]float64, rows.len())
	if err := system(scores, rows.values); err != nil {
		return err
	}
	return writeFloats(path, scores)
}

// documentsBetweenLooks is the minimum number of documents that are scored between two readings of the
// clock, so that the time of reading it does not count.
const documentsBetweenLooks = 64

func timeTask(system score, rows rowMajor, task []string) (cost, error) {
	var batch, first int
	var seconds float64
	if _, err := fmt.Sscan(strings.Join(task, " "), &batch, &first, &seconds); err != nil {
		return cost{}, err
	}
	return timeBatches(system, rows, batch, first, seconds)
}

// timeBatches scores one batch after the other for at least the given number of seconds. It first scores one
// round that warms the caches and is not counted.
func timeBatches(system score, rows rowMajor, batch, first int, seconds float64) (cost, error) {
	dst := make([]float64, batch)
	calls := max(1, documentsBetweenLooks/batch)
	round := func() error {
		for range calls {
			if first+batch > rows.len() {
				first = 0
			}
			if err := system(dst, rows.rows(first, batch)); err != nil {
				return err
			}
			first += batch
		}
		return nil
	}
	if err := round(); err != nil {
		return cost{}, err
	}
	t := cost{}
	start, processor := time.Now(), processorSeconds()
	for t.Wall < seconds {
		if err := round(); err != nil {
			return cost{}, err
		}
		t.Documents += calls * batch
		t.Wall = time.Since(start).Seconds()
	}
	t.Processor = processorSeconds() - processor
	return t, nil
}
