//go:build unix

// Command timed times parts of lambdamart within its process. Programs in Python, which alternate between it
// and the programs that it is compared with, call it:
//
//	timed ndcg                            nDCG of a query: bench/eval/run.py
//	timed tables WAY FILE                 reading a table: bench/tables/run.py
//	timed scoring ROWS COLUMNS MODELS     scoring by tree.Scorer and leaves: bench/scoring/compare.py
//	timed neural TRAIN VALI               training of networks: bench/neural/compare.py
//
// All but the first get a task in each line of standard input, and answer with a line of JSON.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "timed:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	what := ""
	if len(args) > 0 {
		what = args[0]
	}
	switch what {
	case "ndcg":
		timeNDCG()
		return nil
	case "tables":
		return timeTables(args[1:])
	case "scoring":
		runtime.GOMAXPROCS(1)
		return timeScoring(args[1:])
	case "neural":
		runtime.GOMAXPROCS(1)
		return timeNetworks(args[1:])
	}
	return fmt.Errorf("what is timed: ndcg, tables, scoring or neural; not %q", what)
}

// answer writes what do returns for each line of standard input, as a line of JSON.
func answer(do func(task []string) (any, error)) error {
	encoder := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		result, err := do(strings.Fields(lines.Text()))
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return nil
}

// cost is the cost of work on a number of documents, in seconds. CPU time does not
// count the time of other programs.
type cost struct {
	Documents int     `json:"documents"`
	Wall      float64 `json:"wall"`
	Processor float64 `json:"processor"`
}

// processorSeconds returns the CPU time that the process has used, in user and system mode.
func processorSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return math.NaN()
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// writeFloats writes a file of little-endian float64.
func writeFloats(path string, values []float64) error {
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o666)
}
