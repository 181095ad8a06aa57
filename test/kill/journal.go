//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// shootUpTo does the tests up to a number, beginning with the first one that is not in the journal, and
// prints a table. It stops at the first fault.
func (h *harness) shootUpTo(kills int, journal string) error {
	done, err := readJournal(journal)
	if err != nil {
		return err
	}
	if len(done) > 0 {
		fmt.Printf("%d kills were done before\n", len(done))
	}
	for number := len(done); number < kills; number++ {
		begin := time.Now()
		o, err := h.shoot(number)
		if err != nil {
			return err
		}
		if o.fault != "" {
			return fmt.Errorf("kill %d (seed %d), %s, %s: %s\nits folder: %s/kill-%d",
				number, h.seed, o.Scenario, strings.Join(o.Signals, ", "), o.fault, h.folder, number)
		}
		o.Seconds = time.Since(begin).Seconds()
		if err := appendTo(journal, o); err != nil {
			return err
		}
		done = append(done, o)
	}
	fmt.Print(summary(done))
	return nil
}

// readJournal returns the outcomes in a journal, which has one in each line.
func readJournal(path string) (all []outcome, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(content)) {
		var o outcome
		if json.Unmarshal([]byte(line), &o) == nil { // not one cut off by a kill of this program
			all = append(all, o)
		}
	}
	return all, err
}

func appendTo(path string, o outcome) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(o), f.Close())
}

// summary returns a table in Markdown with a line for each scenario.
func summary(done []outcome) string {
	type row struct{ tests, signals, landed, left int }
	all, rows := &row{}, map[string]*row{}
	var names []string
	for _, o := range done {
		if rows[o.Scenario] == nil {
			rows[o.Scenario], names = &row{}, append(names, o.Scenario)
		}
		for _, r := range []*row{rows[o.Scenario], all} {
			r.tests, r.signals = r.tests+1, r.signals+len(o.Signals)
			r.landed, r.left = r.landed+o.Landed, r.left+o.Left
		}
	}
	rows["all"] = all
	var b strings.Builder
	b.WriteString("| command | tests | signals | met it running | files left, then cleaned or used | " +
		"faults |\n|---|---|---|---|---|---|\n")
	for _, name := range append(names, "all") {
		r := rows[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | 0 |\n", name, r.tests, r.signals, r.landed, r.left)
	}
	return b.String()
}
