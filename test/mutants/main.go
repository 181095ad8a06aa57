// Command mutants measures which faults the tests of a package find.
//
//	go run ./test/mutants -package ./metric -seed 1 -n 20
//
// A mutant is a package with one operator or constant changed, at a place drawn at random: see place.go. The
// short tests of the package and of those in its folder run on it, and kill it if one fails, crashes or takes
// too long. A mutant that does not compile is drawn again. The working tree does not change, because the file
// is replaced by "go test -overlay".
//
// The record gets a line for each mutant when its tests end. The next call with its package and seed tries it
// again, if the commit is another one, wherever its line has moved; if its declaration has no such line, its
// place in the record goes to another mutant. The exit status is 1 if a mutant that was killed survives now.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	folder := flag.String("package", "", "folder of the package, such as ./metric")
	seed := flag.Uint64("seed", 1, "random seed")
	number := flag.Int("n", 20, "number of mutants")
	path := flag.String("record", "test/mutants/record.tsv", "file of what was found")
	flag.Parse()
	if err := run(filepath.Clean(*folder), *seed, *number, *path); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(folder string, seed uint64, number int, path string) error {
	files, err := read(folder)
	rows, err2 := readRecord(path)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	s, err := newSession(folder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.scratch)
	s.path, s.files, s.rows = path, files, rows
	recorded := slices.DeleteFunc(slices.Clone(rows), func(m mutant) bool {
		return m.folder != folder || m.seed != strconv.FormatUint(seed, 10)
	})
	all := append(recorded, shuffled(files, folder, seed)...)
	return s.tryAll(all, max(number, len(recorded)))
}

// session tries the mutants of a package.
type session struct {
	folder, commit, scratch string
	limit                   time.Duration // for the tests of a mutant
	files                   []file
	path                    string
	rows                    []mutant // of all packages
}

// newSession sets a limit of four times what the tests take without a mutant, and a minute.
func newSession(folder string) (*session, error) {
	start := time.Now()
	if output, err := goTest(folder, "-count=1", "-timeout=2h"); err != nil {
		return nil, fmt.Errorf("tests fail without a mutant: %w\n%s", err, output)
	}
	limit := time.Minute + 4*time.Since(start)
	commit, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	scratch, err2 := os.MkdirTemp("", "lambdamart-mutants-*")
	s := &session{folder: folder, commit: strings.TrimSpace(string(commit)), scratch: scratch, limit: limit}
	return s, errors.Join(err, err2)
}

// tryAll tries mutants until a number of them compile.
func (s *session) tryAll(mutants []mutant, number int) error {
	results, known, lost := map[string]int{}, map[change]bool{}, 0
	for _, m := range mutants {
		if len(known) == number {
			break
		}
		if known[m.change] {
			continue
		}
		before := m.result
		if err := s.try(&m); err != nil {
			return err
		}
		s.rows = slices.DeleteFunc(s.rows, func(r mutant) bool { return r.change == m.change })
		if m.result == gone {
			continue
		}
		known[m.change] = true
		results[m.result]++
		if before == killed && m.result == survived {
			lost++
		}
		fmt.Println(m)
		s.rows = append(s.rows, m)
		if err := writeRecord(s.path, s.rows); err != nil {
			return err
		}
	}
	fmt.Println(s.folder, results)
	if lost > 0 {
		return fmt.Errorf("%d mutants that were killed before survive now", lost)
	}
	return nil
}

// try runs the tests on a mutant, unless this was done at this commit. One that does not compile is gone.
func (s *session) try(m *mutant) error {
	if m.commit == s.commit {
		return nil
	}
	by := m.by
	m.commit, m.result, m.by = s.commit, gone, ""
	path, source := m.apply(s.files)
	if path == "" {
		return nil
	}
	overlay, err := s.overlay(path, source)
	if err != nil || exec.Command("go", "build", "-overlay", overlay, "./"+filepath.Dir(path)).Run() != nil {
		return err
	}
	m.result = survived
	for _, tests := range []string{"^" + by + "$", "."} { // the test that killed it before is the first
		limit := "-timeout=" + s.limit.String()
		output, err := goTest(s.folder, "-run="+tests, "-failfast", "-overlay="+overlay, limit)
		if err != nil {
			m.result, m.by = killed, killer(string(output))
			break
		}
	}
	return nil
}

// overlay writes what -overlay reads, to replace a file by a source.
func (s *session) overlay(path string, source []byte) (string, error) {
	original, err := filepath.Abs(path)
	replacement, overlay := filepath.Join(s.scratch, "mutant.go"), filepath.Join(s.scratch, "overlay.json")
	text := fmt.Sprintf(`{"Replace": {%q: %q}}`, original, replacement)
	return overlay, errors.Join(err, os.WriteFile(replacement, source, 0o666),
		os.WriteFile(overlay, []byte(text), 0o666))
}

// goTest does not vet, so that only tests count.
func goTest(folder string, flags ...string) ([]byte, error) {
	arguments := append([]string{"test", "-short", "-vet=off"}, flags...)
	return exec.Command("go", append(arguments, "./"+folder+"/...")...).CombinedOutput()
}

// endings are found in what "go test" prints for a mutant that was killed.
var endings = regexp.MustCompile(`panic: test timed out|\*\*\* Test killed|\[build failed\]|--- FAIL: (\S+)`)

// killer returns the first test that failed, or how the tests ended otherwise.
func killer(output string) string {
	switch m := endings.FindStringSubmatch(output); {
	case m == nil:
		return "crash"
	case m[1] != "":
		return m[1]
	default:
		return strings.Trim(m[0], "*[] ")
	}
}

// What became of a mutant.
const (
	killed   = "killed"
	survived = "survived"
	gone     = "gone"
)

// mutant is a change, and what became of it when it was last tried.
type mutant struct {
	change
	result string
	by     string // the test that killed it
	commit string
}

// change is a changed line.
type change struct {
	folder, seed, file string
	line
	changed string
}

const header = "folder\tseed\tfile\tdeclaration\toccurrence\tline\tchanged\tresult\tby\tcommit"

// String returns the line of the record.
func (m mutant) String() string {
	return strings.Join([]string{m.folder, m.seed, m.file, m.declaration, m.occurrence, m.text, m.changed,
		m.result, m.by, m.commit}, "\t")
}

func readRecord(path string) (rows []mutant, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i, row := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		c := strings.Split(row, "\t")
		if len(c) != 10 {
			return nil, fmt.Errorf("%s:%d: want the columns %s", path, i+1, header)
		}
		if row != header {
			rows = append(rows, mutant{change{c[0], c[1], c[2], line{c[3], c[4], c[5]}, c[6]}, c[7], c[8], c[9]})
		}
	}
	return rows, err
}

// writeRecord sorts the lines by folders; those of a folder stay in the order in which they were drawn.
func writeRecord(path string, rows []mutant) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b mutant) int { return strings.Compare(a.folder, b.folder) })
	text := header + "\n"
	for _, m := range rows {
		text += m.String() + "\n"
	}
	return os.WriteFile(path, []byte(text), 0o666)
}
