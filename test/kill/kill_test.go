//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestKills is the short form of "go run ./test/kill", which test/long.sh runs for hundreds of kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the command")
	}
	t.Parallel()
	kills := 4
	if aid.All() {
		kills = 12
	}
	h, err := prepare(t.TempDir(), aid.Seed())
	require.NoError(t, err)
	if aid.All() { // also scenarios that this seed does not draw must be command lines of today
		for i := range h.scenarios {
			_, err := h.goldenOf(&h.scenarios[i])
			require.NoError(t, err)
		}
	}
	require.NoError(t, h.shootUpTo(kills, filepath.Join(h.folder, "kills.tsv")))
}

// TestFaultsAreFound: the checks detect unsafe programs.
func TestFaultsAreFound(t *testing.T) {
	const (
		cleans = `for s in TERM.143 INT.130 HUP.129; do trap "rm -f .*.tmp; exit ${s#*.}" "${s%.*}"; done; `
		safely = `printf who > .out.0.tmp; sleep 0.05; printf le >> .out.0.tmp; mv .out.0.tmp "$1"`
	)
	for name, c := range map[string]struct{ script, fault string }{
		"safe":         {cleans + `rm -f .*.tmp; sleep 0.05; ` + safely, ""},
		"half written": {`printf half > "$1"; sleep 0.1; printf whole >> "$1"`, "is neither old nor complete"},
		"a leftover":   {`echo > rest; sleep 0.1; rm rest; printf whole > "$1"`, "rest is left"},
		"not cleaned":  {safely, ".out.0.tmp is left"},
		"never cleaned": {cleans + `echo > .x$$.0.tmp; sleep 0.1; rm .x$$.0.tmp; ` + safely,
			"should not be there"},
		"removes the old": {cleans + `rm -f "$1"; sleep 0.1; ` + safely, "is gone"},
		"another result": {cleans + `test -e .out.0.tmp && printf other > "$1" || { ` + safely +
			`; }; rm -f .out.0.tmp`, "is neither old nor complete|not as it is without a kill"},
		"another answer": {cleans + `ls -a; ` + safely, "the run after the kill printed"},
		"fails afterwards": {cleans + `test -e .out.0.tmp && exit 1; ` + safely,
			"ended with exit status 1|run after the kill: exit status 1"},
		"another status": {`trap "rm -f .*.tmp; exit 3" TERM INT HUP; sleep 0.1; ` + safely,
			"ended with exit status 3"},
		"temporary files": {cleans + `echo > "$TMPDIR/x"; sleep 0.1; rm "$TMPDIR/x"; ` + safely,
			"temporary file x is left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the scripts mostly sleep
			fault := faultOf(t, "#!/bin/sh\n"+c.script+"\n")
			if c.fault == "" {
				assert.Empty(t, fault)
			} else {
				assert.Regexp(t, c.fault, fault)
			}
		})
	}
}

// faultOf returns the first fault found in a script within the given number of tests.
func faultOf(t *testing.T, script string) string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	writeScript(t, program, script)
	h := &harness{folder: folder, program: program, seed: 1,
		scenarios: []scenario{{name: "script", args: []string{"out"}}}}
	for number := range 15 {
		o, err := h.shoot(number)
		require.NoError(t, err)
		if o.fault != "" {
			return o.fault
		}
	}
	return ""
}

// writeScript has another process write the file: a process that this one forks meanwhile would hold it open
// for writing, and Linux would not execute it ("text file busy").
func writeScript(t *testing.T, path, script string) {
	t.Helper()
	c := exec.Command("sh", "-c", `cat > "$0" && chmod +x "$0"`, path)
	c.Stdin = strings.NewReader(script)
	require.NoError(t, c.Run())
}

func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kills.tsv")
	require.NoError(t, appendLine(path, "0\tbin\tKILLED,TERMINATED\t1\t0\t0.1"))
	require.NoError(t, appendLine(path, "1\tbin\tKILLED\t1\t2\t0.1"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("2\tbi") // killed
	require.NoError(t, err)
	require.NoError(t, f.Close())
	lines, err := journalLines(path)
	require.NoError(t, err)
	assert.Len(t, lines, 2)
	assert.Contains(t, summary(lines), "| bin | 2 | 3 | 2 | 2 | 0 |\n")
}
