// Command summary reads what "go test -json" prints and shows what matters of it.
//
//	go test -json ./... 2>&1 | summary -counts counts -left-out left_out
//
// It prints one line for each package that passes. Of a package that fails it prints the lines of the failed
// tests, of tests that did not end, as in a panic, and those that belong to no test; of a package that does
// not build, what the compiler says; and lines that are not JSON, which the go command writes itself.
//
// It appends "passed failed skipped" to the file of counts, and a line for each skipped test, with the
// reason, to the file of what is left out.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is a line of "go test -json": see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	FailedBuild                   string
}

// summary collects events until the package that they belong to ends.
type summary struct {
	out                     io.Writer
	packages                map[string]*packageOutput
	leftOut                 strings.Builder // a line for each skipped test
	passed, failed, skipped int             // tests; a package that fails without a failed test is one
}

// packageOutput is what the tests of a package have printed so far.
type packageOutput struct {
	tests  map[string]*testOutput // "" has the lines that belong to no test
	order  []string
	failed bool // one of its tests has failed
}

// testOutput is what a test has printed so far. Its subtests have their own.
type testOutput struct {
	result string // "pass", "fail" or "skip"; "" while it runs
	lines  []string
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, packages: map[string]*packageOutput{}}
}

// read reads events to the end of in.
func (s *summary) read(in io.Reader) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			s.line(line)
		}
		if err == io.EOF {
			s.end()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		fmt.Fprint(s.out, line)
		return
	}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(s.out, e.Output)
	case e.Action == "build-fail":
	case e.Test == "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail"):
		s.packageEnds(e)
	default:
		s.testEvent(e)
	}
}

func (s *summary) testEvent(e event) {
	p := s.packageOf(e.Package)
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		if !progress.MatchString(e.Output) {
			t.lines = append(t.lines, e.Output)
		}
	case "pass":
		s.passed++
		t.result, t.lines = e.Action, nil
	case "fail":
		s.failed++
		t.result, p.failed = e.Action, true
	case "skip":
		s.skipped++
		fmt.Fprintf(&s.leftOut, "left out: %s: %s\n", e.Test, t.reason())
		t.result, t.lines = e.Action, nil
	}
}

// progress matches the lines by which tests begin and continue, and the words at the end of a package.
var progress = regexp.MustCompile(`^(=== |(PASS|FAIL)\n$)`)

// packageOf returns the output of a package, which it begins if there is none.
func (s *summary) packageOf(path string) *packageOutput {
	p := s.packages[path]
	if p == nil {
		p = &packageOutput{tests: map[string]*testOutput{}}
		s.packages[path] = p
	}
	return p
}

func (p *packageOutput) test(name string) *testOutput {
	t := p.tests[name]
	if t == nil {
		t = &testOutput{}
		p.tests[name] = t
		p.order = append(p.order, name)
	}
	return t
}

// place matches the beginning of a line that a test logs.
var place = regexp.MustCompile(`^ *\S+_test\.go:\d+: `)

// reason returns the last line that a test logged, without its place.
func (t *testOutput) reason() string {
	for i := len(t.lines) - 1; i >= 0; i-- {
		if at := place.FindString(t.lines[i]); at != "" {
			return strings.TrimSpace(t.lines[i][len(at):])
		}
	}
	return ""
}

// packageEnds prints what is worth reading of a package that has ended, and forgets it.
func (s *summary) packageEnds(e event) {
	p := s.packageOf(e.Package)
	delete(s.packages, e.Package)
	if e.Action != "fail" {
		s.passes(p)
		return
	}
	if !p.failed {
		s.failed++
	}
	s.fails(e.Package, p, e.FailedBuild)
}

// passes prints the line of a package whose tests have passed.
func (s *summary) passes(p *packageOutput) {
	for _, line := range p.test("").lines {
		if strings.HasPrefix(line, "ok ") {
			fmt.Fprint(s.out, line)
		}
	}
}

// fails prints the lines of tests that have failed or not ended, and then those that belong to no test.
func (s *summary) fails(path string, p *packageOutput, build string) {
	fmt.Fprintf(s.out, "# FAIL %s\n", path)
	if build != "" {
		fmt.Fprintf(s.out, "%s does not build\n", build)
	}
	for _, name := range p.order {
		if t := p.tests[name]; name != "" && t.result != "pass" && t.result != "skip" {
			if t.result == "" {
				fmt.Fprintf(s.out, "%s did not end:\n", name)
			}
			fmt.Fprint(s.out, strings.Join(t.lines, ""))
		}
	}
	fmt.Fprint(s.out, strings.Join(p.test("").lines, ""))
}

// end prints packages whose end is missing because the go command itself was ended.
func (s *summary) end() {
	for _, path := range slices.Sorted(maps.Keys(s.packages)) {
		s.failed++
		s.fails(path, s.packages[path], "")
	}
}

func main() {
	counts := flag.String("counts", "", "file to which the numbers of tests are appended")
	leftOut := flag.String("left-out", "", "file to which a line is appended for each skipped test")
	flag.Parse()
	s := newSummary(os.Stdout)
	err := s.read(os.Stdin)
	err = errors.Join(err,
		appendTo(*leftOut, s.leftOut.String()),
		appendTo(*counts, fmt.Sprintln(s.passed, s.failed, s.skipped)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(1)
	}
}

func appendTo(path, text string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}
