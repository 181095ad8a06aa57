//go:build unix

// Command neural trains networks for compare.py, which lets it and PyTorch work in
// turn and so needs it to wait for its word.
//
//	neural TRAIN VALI
//
// Both are LETOR files. Each line of standard input is a task with parameters, and
// is answered by a line of JSON:
//
//	time NAME=VALUE...          train two epochs, tell the cost of the second
//	scores FILE NAME=VALUE...   train, write the scores of VALI as little-endian float64
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

	"github.com/lambdamart/lambdamart/io/data/letor"
	"github.com/lambdamart/lambdamart/nnbaseline"
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
	file, err := letor.Open(path, letor.Options{})
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

// parameters returns the defaults but for those given, on one thread.
func parameters(settings []string) (nnbaseline.Params, error) {
	p := nnbaseline.DefaultParams()
	p.NumThreads = 1
	p.Metric = nil
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := p.Set(name, value); err != nil {
			return p, err
		}
	}
	return p, p.Validate()
}

// cost is that of training on so many documents, in seconds. The processor's time
// leaves out what other programs took.
type cost struct {
	Documents int     `json:"documents"`
	Wall      float64 `json:"wall"`
	Processor float64 `json:"processor"`
}

// timeEpoch trains two epochs and returns the cost of the second: the first warms
// caches, as PyTorch's first does.
func timeEpoch(train nnbaseline.Data, settings []string) (cost, error) {
	p, err := parameters(settings)
	if err != nil {
		return cost{}, err
	}
	p.Epochs = 2
	var c cost
	before := 0.0
	_, err = nnbaseline.Train(context.Background(), p, train, nil, nnbaseline.Hooks{Epoch: func(r nnbaseline.Round) {
		now := processorSeconds()
		c = cost{r.Documents, r.Seconds, now - before}
		before = now
	}})
	return c, err
}

// processorSeconds is what the process has used.
func processorSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return math.NaN()
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// writeScores trains and returns the mean losses of the epochs.
func writeScores(train, vali nnbaseline.Data, path string, settings []string) ([]float64, error) {
	p, err := parameters(settings)
	if err != nil {
		return nil, err
	}
	var losses []float64
	result, err := nnbaseline.Train(context.Background(), p, train, nil, nnbaseline.Hooks{Epoch: func(r nnbaseline.Round) {
		losses = append(losses, r.Loss)
	}})
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
