//go:build unix

// Command kill kills lambdamart at random moments, and checks what is left.
//
//	go run ./test/kill -kills 200 -seed 1 -state folder
//
// It runs the real command in a folder, ends it by a signal, and looks at the folder: an output must be as it
// was before, or complete; no other file may be left that the next run does not remove or use. It may kill
// the command again in the same folder. The final run must give the same files, byte for byte, and the same
// results as a run that was not disturbed. scenario.go lists the commands.
//
// The seed and the number of a test determine everything except the exact moment of the kill. The state
// folder keeps a line for each kill, from which an interrupted run continues, and the folder of a kill that
// failed.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	kills := flag.Int("kills", 200, "number of kills")
	seed := flag.Uint64("seed", 1, "random seed")
	state := flag.String("state", "",
		"folder to work in; what was done there before is not done again (default: a temporary one)")
	flag.Parse()
	if err := run(*state, *seed, *kills); err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(1)
	}
}

func run(folder string, seed uint64, kills int) error {
	if folder == "" {
		temporary, err := os.MkdirTemp("", "lambdamart-kill-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		folder = temporary
	}
	h, err := prepare(folder, seed)
	if err != nil {
		return err
	}
	return h.shootUpTo(kills, filepath.Join(folder, fmt.Sprintf("kills-seed%d.tsv", seed)))
}
