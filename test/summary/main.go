// Command summary reads what "go test -json" prints and shows what matters of it.
//
//	go test -json ./... 2>&1 | summary -counts counts -left-out left_out
//
// It prints one line for each package that passes. Of a package that fails it prints the lines of the failed
// tests, of tests that did not end, as in a panic, and those that belong to no test; of a package that does
// not build, what the compiler says; and lines that are not JSON, which the go command writes itself.
//
// It appends "passed failed skipped" to the file of counts, and a line for each skipped test, with the reason,
// to the file of what is left out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

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
