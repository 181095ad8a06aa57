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
// folder keeps a line for each kill, from which an interrupted run continues, and the
// folder of a kill that failed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// harness runs and kills one build of the program.
type harness struct {
	folder    string // absolute
	program   string
	seed      uint64
	scenarios []scenario
	golden    map[string]*golden // by scenario, of those that have been needed
}

// golden is a run that was not disturbed.
type golden struct {
	files  files
	stdout string
	took   time.Duration
}

// prepare builds the program and makes the inputs.
func prepare(folder string, seed uint64) (*harness, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	root, err := root()
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(folder, "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return nil, err
	}
	if err := build(root, bin); err != nil {
		return nil, err
	}
	h := &harness{folder: folder, program: filepath.Join(bin, "lambdamart"), seed: seed, scenarios: scenarios(),
		golden: map[string]*golden{}}
	return h, h.makeInputs(root)
}

// goldenOf returns the scenario's run without a kill, which happens when it is first needed.
func (h *harness) goldenOf(s *scenario) (*golden, error) {
	if g := h.golden[s.name]; g != nil {
		return g, nil
	}
	where, err := h.fresh("golden")
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	r, err := h.start(s, where, false, 2)
	if err != nil {
		return nil, err
	}
	if r.wait(); r.err != nil {
		return nil, fmt.Errorf("%s without a kill: %w\n%s", s.name, r.err, &r.stderr)
	}
	g := &golden{took: time.Since(begin), stdout: r.stdout.String()}
	if g.files, err = read(where); err != nil {
		return nil, err
	}
	h.golden[s.name] = g
	return g, h.remove("golden")
}

// fresh makes an empty folder for a run, and another folder for its temporary files.
func (h *harness) fresh(name string) (string, error) {
	if err := h.remove(name); err != nil {
		return "", err
	}
	where := filepath.Join(h.folder, name)
	return where, errors.Join(os.Mkdir(where, 0o777), os.Mkdir(where+"-temporary", 0o777))
}

func (h *harness) remove(name string) error {
	where := filepath.Join(h.folder, name)
	return errors.Join(os.RemoveAll(where), os.RemoveAll(where+"-temporary"))
}

// process is a run of the program.
type process struct {
	command        *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // closed when it has ended
	err            error         // error of the process, valid once ended is closed
}

// start runs the scenario in a folder, on this many threads. Its standard input is a pipe.
func (h *harness) start(s *scenario, where string, again bool, threads int) (*process, error) {
	args := slices.Clone(s.args)
	if again {
		args = append(args, s.goOn...)
	}
	r := &process{command: exec.Command(h.program, args...), ended: make(chan struct{})}
	c := r.command
	c.Dir, c.Stdout, c.Stderr = where, &r.stdout, &r.stderr
	c.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", threads), "TMPDIR="+where+"-temporary")
	if slices.Contains(args, "data=-") {
		input, err := os.ReadFile(filepath.Join(h.folder, "in", "rows.txt"))
		if err != nil {
			return nil, err
		}
		c.Stdin, c.WaitDelay = bytes.NewReader(input), time.Second
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.err = c.Wait()
		close(r.ended)
	}()
	return r, nil
}

func (r *process) wait() { <-r.ended }

// within waits for the process to end, at most for limit, and reports whether it has ended.
func (r *process) within(limit time.Duration) bool {
	select {
	case <-r.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// signals are sent to processes, to end them or to stop them for a while.
var signals = []syscall.Signal{
	syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGSTOP,
}

// outcome is the result of one test: of a kill, or of several one after the other.
type outcome struct {
	Number   int // of the test
	Scenario string
	Signals  []string
	Landed   int // number of signals that reached a running process
	Left     int // number of files found after SIGKILL that the next run had to remove or to use
	Seconds  float64
	fault    string
}

// shoot does the test with the given number, on which its choices depend. Faults of
// the program are in the outcome.
func (h *harness) shoot(number int) (o outcome, err error) {
	random := rand.New(rand.NewPCG(h.seed, uint64(number)))
	s := &h.scenarios[random.IntN(len(h.scenarios))]
	o.Number, o.Scenario = number, s.name
	g, err := h.goldenOf(s)
	if err != nil {
		return o, err
	}
	name := fmt.Sprintf("kill-%d", number)
	where, err := h.fresh(name)
	if err != nil {
		return o, err
	}
	if random.IntN(2) == 0 && !s.steps {
		for output := range g.files {
			if err := os.WriteFile(filepath.Join(where, output), []byte("old"), 0o666); err != nil {
				return o, err
			}
		}
	}
	for shots := 1 + random.IntN(3); len(o.Signals) < shots && o.fault == ""; {
		o.fault, err = h.oneShot(&o, s, g, where, random)
		if err != nil {
			return o, err
		}
	}
	if o.fault == "" {
		o.fault, err = h.goesOn(s, g, where, 1+random.IntN(3))
	}
	if o.fault != "" || err != nil {
		return o, err // the folder is kept
	}
	return o, h.remove(name)
}

// oneShot runs the program, sends it a signal, and returns a description of what is wrong afterwards.
func (h *harness) oneShot(
	o *outcome, s *scenario, g *golden, where string, random *rand.Rand,
) (fault string, err error) {
	was, err := read(where)
	if err != nil {
		return "", err
	}
	signal := signals[random.IntN(len(signals))]
	again := len(o.Signals) > 0
	o.Signals = append(o.Signals, strings.ToUpper(strings.ReplaceAll(signal.String(), " ", "-")))
	r, err := h.start(s, where, again, 1+random.IntN(3))
	if err != nil {
		return "", err
	}
	defer func() {
		_ = r.command.Process.Kill()
		r.wait()
	}()
	if !h.untilMoment(r, where, g.took, random) {
		o.Landed++
		if err := r.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return "", err
		}
	}
	const limit = time.Hour        // in case it hangs
	if signal == syscall.SIGSTOP { // after SIGCONT, it continues and does all of its work
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		_ = r.command.Process.Signal(syscall.SIGCONT)
	}
	if !r.within(limit) {
		return fmt.Sprintf("it has not ended %v after %v", limit, signal), nil
	}
	if fault := r.statusFault(signal); fault != "" {
		return fault, nil
	}
	now, err := read(where)
	if err != nil {
		return "", err
	}
	for file := range now {
		if _, final := g.files[file]; !final {
			o.Left++
		}
	}
	isModel := func(name string) bool { return h.isModel(filepath.Join(where, name)) }
	a := &afterKill{s, was, g.files, signal != syscall.SIGKILL, isModel}
	if fault := a.fault(now); fault != "" {
		return fmt.Sprintf("after %v: %s", signal, fault), nil
	}
	return h.temporaryFault(where)
}

// untilMoment waits for a random moment: some time after the start, or shortly after the first new file has
// appeared in the folder. It reports whether the process ended before that moment.
func (h *harness) untilMoment(r *process, where string, took time.Duration, random *rand.Rand) (ended bool) {
	if random.IntN(2) == 0 {
		return r.within(time.Duration(random.Float64() * 1.05 * float64(took)))
	}
	before := count(where)
	pause := time.Duration(random.IntN(3000)) * time.Microsecond
	for count(where) == before {
		if r.within(50 * time.Microsecond) {
			return true
		}
	}
	return r.within(pause)
}

// count returns the number of files and folders in a folder and its subfolders.
func count(folder string) (n int) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		n++
		if e.IsDir() {
			n += count(filepath.Join(folder, e.Name()))
		}
	}
	return n
}

// statusFault describes what is wrong with the exit status of a process that was sent a signal, or returns
// "". The process may have ended before the signal came, or before it could handle signals.
func (r *process) statusFault(signal syscall.Signal) string {
	status := r.command.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case status.Exited() && status.ExitStatus() == 0:
	case signal != syscall.SIGSTOP && status.Signaled() && status.Signal() == signal:
	case signal != syscall.SIGSTOP && status.Exited() && status.ExitStatus() == 128+int(signal):
	default:
		return fmt.Sprintf("after %v it ended with %v\n%s", signal, r.command.ProcessState, &r.stderr)
	}
	return ""
}

// temporaryFault returns an error text if temporary files are left.
func (h *harness) temporaryFault(where string) (string, error) {
	found, err := read(where + "-temporary")
	if err != nil {
		return "", err
	}
	for name := range found {
		return "the temporary file " + name + " is left", nil
	}
	return "", nil
}

// isModel reports whether the file is a model.
func (h *harness) isModel(path string) bool {
	return exec.Command(h.program, "model", path).Run() == nil
}

// goesOn runs the scenario to its end and returns the differences from a run that was not disturbed.
func (h *harness) goesOn(s *scenario, g *golden, where string, threads int) (fault string, err error) {
	r, err := h.start(s, where, true, threads)
	if err != nil {
		return "", err
	}
	if r.wait(); r.err != nil {
		return fmt.Sprintf("the run after the kill: %v\n%s", r.err, &r.stderr), nil
	}
	if !s.timed && r.stdout.String() != g.stdout {
		return fmt.Sprintf("the run after the kill printed\n%s\ninstead of\n%s", &r.stdout, g.stdout), nil
	}
	now, err := read(where)
	if err != nil {
		return "", err
	}
	if difference := now.difference(g.files); difference != "" {
		return "after the run that followed: " + difference, nil
	}
	return h.temporaryFault(where)
}

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
	return h.shootUpTo(kills, filepath.Join(folder, fmt.Sprintf("kills-seed%d.jsonl", seed)))
}
