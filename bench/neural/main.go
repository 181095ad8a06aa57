//go:build unix

// Command neural trains networks for bench/neural/compare.py. That program alternates between it and PyTorch,
// so it waits for tasks on standard input.
//
//	neural TRAIN VALI
//
// Both arguments are LETOR files. Each line of standard input is a task with parameters, and is
// answered by a line of JSON:
//
//	time NAME=VALUE...          train two epochs; the answer is the cost of the second
//	scores FILE NAME=VALUE...   train, and write the scores of VALI as little-endian float64;
//	                            the answer is the mean losses of the epochs
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

func main() {
	runtime.GOMAXPROCS(1)
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "neural:", err)
		os.Exit(1)
	}
}

func run(paths []string, tasks io.Reader, answers io.Writer) error {
	if len(paths) != 2 {
		return errors.New("give TRAIN and VALI")
	}
	train, err := read(paths[0])
	if err != nil {
		return err
	}
	vali, err := read(paths[1])
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(answers)
	for lines := bufio.NewScanner(tasks); lines.Scan(); {
		answer, err := do(strings.Fields(lines.Text()), train, vali)
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

func read(path string) (nnbaseline.Data, error) {
	file, err := data.Open(path, data.Options{})
	if err != nil {
		return nnbaseline.Data{}, err
	}
	defer file.Close()
	return nnbaseline.Read(context.Background(), path, file)
}

func do(task []string, train, vali nnbaseline.Data) (any, error) {
	switch {
	case len(task) > 0 && task[0] == "time":
		return timeEpoch(train, task[1:])
	case len(task) > 1 && task[0] == "scores":
		return writeScores(train, vali, task[1], task[2:])
	}
	return nil, errors.New("no such task")
}

// parameters returns the default parameters with one thread, changed by the given settings.
func parameters(settings []string) (nnbaseline.Params, error) {
	p := nnbaseline.DefaultParams()
	p.NumThreads = 1
	p.Metric = nil
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if _, err := p.Table().Apply([]param.Setting{{Name: name, Value: value}}); err != nil {
			return p, err
		}
	}
	return p, p.Validate()
}

// cost is the cost of training on a number of documents, in seconds. CPU time does not count the time of
// other programs.
type cost struct {
	Documents int     `json:"documents"`
	Wall      float64 `json:"wall"`
	Processor float64 `json:"processor"`
}

// timeEpoch trains two epochs and returns the cost of the second. The first warms the caches;
// PyTorch has such an epoch too.
func timeEpoch(train nnbaseline.Data, settings []string) (cost, error) {
	p, err := parameters(settings)
	if err != nil {
		return cost{}, err
	}
	p.Epochs = 2
	var c cost
	before := 0.0
	options := training.Options{Round: func(r training.Round) {
		now := processorSeconds()
		c = cost{r.Documents, r.Seconds, now - before}
		before = now
	}}
	_, err = nnbaseline.Train(context.Background(), p, train, nil, options)
	return c, err
}

// processorSeconds returns the CPU time that the process has used.
func processorSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return math.NaN()
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// writeScores trains, writes the scores of vali to a file, and returns the mean losses of the epochs.
func writeScores(train, vali nnbaseline.Data, path string, settings []string) ([]float64, error) {
	p, err := parameters(settings)
	if err != nil {
		return nil, err
	}
	var losses []float64
	options := training.Options{Round: func(r training.Round) { losses = append(losses, r.Loss) }}
	result, err := nnbaseline.Train(context.Background(), p, train, nil, options)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, vali.Meta.NumRows())
	if err := result.Model.ScoreData(scores, vali, 1); err != nil {
		return nil, err
	}
	var raw []byte
	for _, s := range scores {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(s))
	}
	return losses, os.WriteFile(path, raw, 0o666)
}
