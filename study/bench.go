package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// BenchOptions are the options of [Bench].
type BenchOptions struct {
	Data    string // folder of a split or of folds
	Output  string // folder for the results; made if it does not exist. Empty: results are not kept
	Rankers []RankerSpec
	Seeds   int // number of training runs of each ranker on each fold, with the seeds 1 to Seeds

	// General applies to every ranker that has the parameter, unless the ranker's own settings include it.
	// Override also replaces the settings of rankers. It is an error if no ranker has a parameter.
	General, Override []param.Setting

	Metric     string // metric that chooses iterations and compares rankers, such as "ndcg@10"
	Cutoffs    []int  // of nDCG, which is evaluated in addition
	Convention string // preset of package metric
	Gain       metric.Gain
	Tests      metric.TestOptions
	Threads    int // 0: one for each processor; no result depends on it

	Files    data.Options   // how data is read; results for another layout are not reused
	Program  string         // name and version of the program; results of another one are not reused
	Log      *slog.Logger   // as in [Options]
	Progress func(Progress) // as in [Options]
}

// DefaultBenchOptions returns the default options for kinds of rankers ([Kinds]) on the data in a folder.
// No results are kept.
func DefaultBenchOptions(folder string, kinds ...string) BenchOptions {
	p := booster.DefaultParams()
	o := BenchOptions{Data: folder, Seeds: 3, Metric: "ndcg@10", Cutoffs: []int{1, 3, 5, 10, 20},
		Convention: p.MetricConvention, Gain: p.LabelGain, Tests: metric.DefaultTestOptions()}
	for _, kind := range kinds {
		o.Rankers = append(o.Rankers, RankerSpec{Name: kind, Kind: kind})
	}
	return o
}

// Check returns an error for invalid options. It does not read data, but checks that the files exist.
// [Bench] calls it.
func (o *BenchOptions) Check() error {
	_, err := o.experiment()
	return err
}

// experiment is a comparison whose options were checked.
type experiment struct {
	options  BenchOptions
	rankers  []benchRanker
	metrics  []metric.Metric // [BenchOptions.metrics]
	splits   []Split
	said     map[string]bool // remarks that were reported; each is reported once
	log      *slog.Logger
	progress func(Progress)
}

// experiment checks the options and returns their experiment.
func (o *BenchOptions) experiment() (*experiment, error) {
	rankers, err := newRankers(o.Rankers, o.General, o.Override)
	if err != nil {
		return nil, err
	}
	if o.Seeds < 1 {
		return nil, fmt.Errorf("seeds=%d: must be at least 1", o.Seeds)
	}
	metrics, err := o.metrics()
	if err != nil {
		return nil, err
	}
	splits, err := findSplits(o.Data)
	if err != nil {
		return nil, err
	}
	log := cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &experiment{*o, rankers, metrics, splits, map[string]bool{}, log, oneAtATime(o.Progress)}, nil
}

// Bench trains rankers on all splits with all seeds, evaluates them on the test queries, and compares them.
// If ctx is canceled, it returns the cause; finished training runs are kept in o.Output, and the same call
// continues from there. Data that cannot be read is an error. Training runs that fail are in
// BenchResult.Failed, and their rankers are left out.
func Bench(ctx context.Context, o BenchOptions) (_ *BenchResult, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	e, err := o.experiment()
	if err != nil {
		return nil, err
	}
	jobs, err := e.plan(ctx)
	if err != nil {
		return nil, err
	}
	failed, err := e.doRest(ctx, jobs)
	if err != nil {
		return nil, err
	}
	return e.summarize(ctx, jobs, failed)
}

// plan lists all training runs, with the results that an earlier call has kept. Those of a fold are
// consecutive, because its data is then read once.
func (e *experiment) plan(ctx context.Context) (jobs []job, err error) {
	kept, err := e.open()
	if err != nil {
		return nil, err
	}
	done := 0
	for s, split := range e.splits {
		data, err := dataKey(ctx, split, readingKey(&e.options.Files.Layout))
		if err != nil {
			return nil, err
		}
		for r := range e.rankers {
			for seed := 1; seed <= e.options.Seeds; seed++ {
				j := job{split: s, ranker: &e.rankers[r], seed: seed}
				j.entry = kept.job(j.path(split.Name), data, j.facts())
				if run := new(rankerRun); j.entry.load(run, run.isComplete) {
					j.run = run
					done++
				}
				jobs = append(jobs, j)
			}
		}
	}
	logPlan(e.log, "trainings", wording.Thousands(len(jobs))+" training runs", len(jobs), done)
	return jobs, nil
}

// open makes the folder for the results. It returns an error if results cannot be written there, so that this
// fails before hours of training, not after.
func (e *experiment) open() (*results, error) {
	if e.options.Output == "" {
		return nil, nil
	}
	store := &Store{Folder: e.options.Output, Program: e.options.Program}
	kept, err := store.open(e.log, e.identify)
	if err != nil {
		return nil, err
	}
	return kept, stream.Probe(filepath.Join(e.options.Output, resultsName+".tsv"))
}

// failure is an error of one training run alone. Other errors, of the data, of judging or of writing, affect
// all.
type failure struct{ error }

// doRest does the jobs that have no result yet.
func (e *experiment) doRest(ctx context.Context, jobs []job) (failed []error, err error) {
	var f *splitData
	for i := range jobs {
		if jobs[i].run != nil {
			continue
		}
		split := e.splits[jobs[i].split]
		if f == nil || f.Split != split {
			f = &splitData{Split: split, open: e.openFile}
		}
		var own failure
		switch err := e.do(ctx, f, &jobs[i], i+1, len(jobs)); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &own):
			failed = append(failed, fmt.Errorf("%s: %w", jobs[i].name(split.Name), own.error))
			e.log.Warn(failed[len(failed)-1].Error())
		case err != nil:
			return nil, err
		}
	}
	return failed, nil
}

// do trains a model, evaluates it on the test queries and writes the result.
func (e *experiment) do(ctx context.Context, f *splitData, j *job, number, of int) error {
	name := j.name(f.Name)
	e.log.Debug(fmt.Sprintf("[%d/%d] %s", number, of, name), "event", "begin", "number", number, "of", of,
		"name", name)
	r := &rankerRun{Fold: f.Name, Ranker: j.ranker.Name, Kind: j.ranker.Kind, Set: j.ranker.set,
		Seed: j.seed, Validation: metric.Value(math.NaN())}
	train, err := j.ranker.learner.prepare(ctx, f, runTerms{e, r})
	if err != nil {
		return err
	}
	d, err := f.test(ctx)
	if err != nil {
		return err
	}
	m, err := train()
	if err != nil || ctx.Err() != nil {
		return failure{err}
	}
	e.record(r, m, name)
	if err := e.test(r, d, f.Test, m); err != nil {
		return err
	}
	if err := j.entry.save(r); err != nil {
		return err
	}
	j.run = r
	e.logRun(r, number, of)
	return nil
}

// record adds to r what is known of the model after training, and warns of what is unusual. name is that of
// the run.
func (e *experiment) record(r *rankerRun, m *fittedRanker, name string) {
	r.Iterations, r.Kept, r.Stopped, r.Warning = m.iterations, m.kept, m.stopped, m.warning
	if m.warning != "" {
		e.log.Warn(name + ": " + m.warning)
	}
	if m.remark != "" && !e.said[m.remark] {
		e.said[m.remark] = true
		e.log.Warn(name + ": " + m.remark)
	}
	for _, p := range r.Curve {
		if p.Iteration == m.kept {
			r.Validation = p.Value
		}
	}
}

// test evaluates the model on the test queries, which are in a file of this name, and adds the results to r.
func (e *experiment) test(r *rankerRun, d *testData, name string, m *fittedRanker) error {
	scores, micros, err := timedScores(d, m)
	if err != nil {
		return failure{fmt.Errorf("scoring %s: %w", name, err)}
	}
	var size stream.ByteCount
	if err := m.write(&size); err != nil {
		return err
	}
	r.ScoreMicros, r.ModelBytes, r.Documents, r.Leaked = micros, int64(size), d.meta.NumRows(), d.leaked
	for _, q := range d.meta.Queries {
		r.Queries = append(r.Queries, q.ID)
	}
	return e.judge(r, d, scores)
}
