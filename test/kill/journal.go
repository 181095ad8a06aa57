//go:build unix

package main

import (
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
	lines, err := journalLines(journal)
	if err != nil {
		return err
	}
	if len(lines) > 0 {
		fmt.Printf("%d kills were done before\n", len(lines))
	}
	for number := len(lines); number < kills; number++ {
		begin := time.Now()
		o, err := h.shoot(number)
		if err != nil {
			return err
		}
		if o.fault != "" {
			return fmt.Errorf("kill %d (seed %d), %s, %s: %s\nits folder: %s/kill-%d",
				number, h.seed, o.scenario, strings.Join(o.signals, ", "), o.fault, h.folder, number)
		}
		line := fmt.Sprintf("%d\t%s\t%s\t%d\t%d\t%.1f", number, o.scenario, strings.Join(o.signals, ","),
			o.landed, o.left, time.Since(begin).Seconds())
		if err := appendLine(journal, line); err != nil {
			return err
		}
		lines = append(lines, line)
	}
	fmt.Print(summary(lines))
	return nil
}

// journalLines returns the lines of a journal: number, scenario, signals, how many of them met a running
// process, files left, seconds.
func journalLines(path string) ([]string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var lines []string
	for line := range strings.Lines(string(content)) {
		if strings.HasSuffix(line, "\n") { // not one cut off by a kill of this program
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines, err
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// summary returns a table in Markdown with a line for each scenario.
func summary(lines []string) string {
	type row struct{ tests, signals, landed, left int }
	rows := map[string]*row{}
	var names []string
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		name, n, left := cells[1], 0, 0
		fmt.Sscan(cells[3], &n)
		fmt.Sscan(cells[4], &left)
		if rows[name] == nil {
			rows[name] = &row{}
			names = append(names, name)
		}
		r := rows[name]
		r.tests, r.signals = r.tests+1, r.signals+strings.Count(cells[2], ",")+1
		r.landed, r.left = r.landed+n, r.left+left
	}
	var b strings.Builder
	b.WriteString("| command | tests | signals | met it running | files left, then cleaned or used | " +
		"faults |\n|---|---|---|---|---|---|\n")
	var all row
	for _, name := range names {
		r := rows[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | 0 |\n", name, r.tests, r.signals, r.landed, r.left)
		all.tests, all.signals = all.tests+r.tests, all.signals+r.signals
		all.landed, all.left = all.landed+r.landed, all.left+r.left
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d | 0 |\n", all.tests, all.signals, all.landed, all.left)
	return b.String()
}
