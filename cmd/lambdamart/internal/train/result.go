package train

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/mpi"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/training"
)

// printMetrics prints the metrics of the model's round, or of the last evaluated round before it: as a
// message if the model goes to standard output.
func (r *run) printMetrics(judged history, kept int) {
	i := len(judged) - 1
	for i >= 0 && judged[i].Number > kept {
		i--
	}
	if i < 0 {
		return
	}
	var text strings.Builder
	evaluations := judged[i].Evaluations
	fmt.Fprintf(&text, "after %d %s (%v):\n", judged[i].Number, r.Learner().Unit,
		evaluations[0].Result.Convention)
	for len(evaluations) > 0 {
		set := evaluations[0].Set
		end := 1
		for end < len(evaluations) && evaluations[end].Set == set {
			end++
		}
		printSet(&text, set, r.pathOf(set), evaluations[:end])
		evaluations = evaluations[end:]
	}
	if isStdout(r.OutputModel) {
		r.Messages.Say("metrics", strings.TrimSuffix(text.String(), "\n"), "message", text.String())
		return
	}
	io.WriteString(r.Stdout, text.String())
}

// isStdout reports whether an output goes to standard output.
func isStdout(path string) bool {
	named, err := os.Stat(path)
	stdout, err2 := os.Stdout.Stat()
	return path == "-" || err == nil && err2 == nil && os.SameFile(named, stdout)
}

// printSet prints the metrics on one set, under a heading with the counts of queries of the first metric of
// each label. Labels of the same counts share a heading.
func printSet(w io.Writer, set, path string, evaluations []training.Evaluation) {
	var headings []string
	ofLabel, values := map[string]string{}, map[string]string{} // headings by label, values by heading
	for _, e := range evaluations {
		label := e.Result.Label()
		heading, known := ofLabel[label]
		if !known {
			heading = fmt.Sprintf("%s (%s; %s, %s without a relevant document)", set, path,
				wording.Count(e.Result.Queries, "query"), wording.Thousands(e.Result.Empty))
			ofLabel[label] = heading
		}
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		values[heading] += fmt.Sprintf(" %s %.4f", e.Result.Metric, e.Result.Mean)
	}
	for _, heading := range headings {
		fmt.Fprintf(w, "%s\n %s\n", heading, values[heading])
	}
}

// pathOf returns the file of a set.
func (p *Params) pathOf(set string) string {
	for i, path := range p.Valid {
		if set == data.ValidationSet(i) {
			return path
		}
	}
	return p.Data
}

// showPositions reports what training has learned about positions, if anything.
func showPositions(m *cli.Console, r *booster.Result) {
	var biases []report.Record
	var texts []string
	for _, b := range r.PositionBiases {
		biases = append(biases, report.Record{"position", b.Position, "bias", b.Bias})
		texts = append(texts, fmt.Sprintf(" %s: %.4g", b.Position, b.Bias))
	}
	const most = 30
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf(" and %d more (--log-json has all)", more))
	}
	if biases != nil {
		m.Say("positions", "biases of positions:"+strings.Join(texts, ";"), "biases", biases)
	}
}

// showProfile reports the time of each phase of a training run. Reading and binning have no time per
// iteration, because they are not part of one.
func showProfile(p *booster.Profile, messages *cli.Console) {
	var phases []report.Record
	var total time.Duration
	for _, passed := range p.Times {
		total += passed
	}
	all := milliseconds(total)
	text := fmt.Sprintf("%-12s %10s %14s %7s\n", "phase", "ms", "ms/iteration", "share")
	for i, passed := range p.Times {
		phase, took, each, iteration := booster.Phase(i), milliseconds(passed), 0.0, ""
		if phase > booster.PhaseBin && p.Iterations > 0 {
			each = took / float64(p.Iterations)
		}
		if each > 0 {
			iteration = fmt.Sprintf("%.2f", each)
		}
		share := took / max(all, 1e-6)
		text += fmt.Sprintf("%-12s %10.1f %14s %6.1f%%\n", phase, took, iteration, 100*share)
		phases = append(phases, report.Record{"phase", phase.String(), "milliseconds", took,
			"milliseconds_an_iteration", each, "share", share})
	}
	messages.SayAt(slog.LevelWarn, "profile", text+fmt.Sprintf("%-12s %10.1f", "all", all),
		"iterations", p.Iterations, "milliseconds", all, "phases", phases)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// countExchange returns a function that reports what the peers have exchanged over the network since the
// call, if anything.
func (r *run) countExchange() func(trees int) {
	world, ok := r.Peers.Transport().(*mpi.World)
	if !ok {
		return func(int) {}
	}
	before := world.Exchanged()
	return func(trees int) {
		size, t := world.Size(), world.Exchanged().Since(before)
		if size == 1 || t.Collectives == 0 {
			return
		}
		each := max(1, trees)
		text := fmt.Sprintf("peer 0 of %d: %d collectives and %.1f MB a tree in training; %v in collectives", size,
			t.Collectives/each, float64(t.Bytes)/1e6/float64(each), t.Waiting.Round(time.Millisecond))
		r.Messages.Say("ranks", text, "ranks", size, "collectives", t.Collectives, "bytes", t.Bytes,
			"seconds_in_collectives", t.Waiting.Seconds(), "trees", trees)
	}
}
