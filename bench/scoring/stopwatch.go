//go:build unix

package main

import (
	"strconv"
	"syscall"
	"time"
)

// timing is the cost of scoring a number of documents, in seconds. CPU time does not count the time of
// other programs.
type timing struct {
	Documents int     `json:"documents"`
	Wall      float64 `json:"wall"`
	Processor float64 `json:"processor"`
}

// documentsBetweenLooks is the minimum number of documents that are scored between two readings of the
// clock, so that the time of reading it does not count.
const documentsBetweenLooks = 64

func timeTask(system score, rows matrix, task []string) (timing, error) {
	batch, err := strconv.Atoi(task[0])
	if err != nil {
		return timing{}, err
	}
	first, err := strconv.Atoi(task[1])
	if err != nil {
		return timing{}, err
	}
	seconds, err := strconv.ParseFloat(task[2], 64)
	if err != nil {
		return timing{}, err
	}
	return timeBatches(system, rows, batch, first, seconds)
}

// timeBatches scores one batch after the other for at least the given number of seconds. It first scores one
// round that warms the caches and is not counted.
func timeBatches(system score, rows matrix, batch, first int, seconds float64) (timing, error) {
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
		return timing{}, err
	}
	t := timing{}
	start, processor := time.Now(), processorSeconds()
	for t.Wall < seconds {
		if err := round(); err != nil {
			return timing{}, err
		}
		t.Documents += calls * batch
		t.Wall = time.Since(start).Seconds()
	}
	t.Processor = processorSeconds() - processor
	return t, nil
}

// processorSeconds returns the CPU time that this process has used.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
