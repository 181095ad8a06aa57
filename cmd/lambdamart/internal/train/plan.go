package train

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/plan"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Plan returns the entry of the command.
func Plan() cli.Command {
	return cli.Command{
		Name:  "plan",
		Use:   "plan data=FILE|num_rows=N num_features=N [ranks=N,...] [key=value]...",
		Short: "Estimate memory, messages and time of training on several machines",
		Long: `Estimate, for each number of ranks, what training on several machines takes: memory of a
rank, bytes that it exchanges with the others for a tree, and time of an iteration over
links of 10, 25 and 100 Gbit/s (gbit=). docs/machines.md has the model with its assumptions.

The size is that of data, which is read once unless bin has stored it, or num_rows= and
num_features= give it. With data= and num_rows=, the data is a sample: the plan is for
num_rows rows with the bins of the data. A rank has num_threads= cores; the default is
those of this machine.`,
		Example: `  lambdamart plan data=train.bin ranks=1,2,4,8 num_threads=16
  lambdamart plan data=sample.txt num_rows=1000000000 num_leaves=255 ranks=16,32,64 num_threads=16
  lambdamart plan num_rows=100000000 num_features=136 num_leaves=255 gbit=25`,
		New: func() cli.Task { return defaultPlan() },
	}
}

// planParams are the parameters of plan.
type planParams struct {
	Data     string
	Layout   data.Layout
	Rows     int
	Features int
	Ranks    []int
	Gigabits []int // per second, of links
	Latency  float64
	JSON     bool
	Training booster.Params
}

// defaultPlan returns the default values.
func defaultPlan() *planParams {
	return &planParams{
		Layout: data.DefaultLayout(), Ranks: []int{1, 2, 4, 8, 16}, Gigabits: []int{10, 25, 100}, Latency: 25,
		Training: booster.DefaultParams(),
	}
}

// Table implements [cli.Task].
func (p *planParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			{Name: "ranks", Group: cli.GroupPlan,
				Help:  "Numbers of processes to plan for, separated by commas.",
				Value: bind.Ints(&p.Ranks, bind.AtLeast(1))},
			{Name: "num_rows", Group: cli.GroupPlan,
				Help:  "Rows to plan for; 0: as many as the data has.",
				Value: bind.Int(&p.Rows, bind.AtLeast(0))},
			{Name: "num_features", Group: cli.GroupPlan,
				Help:  "Features to plan for, without data; each has max_bin bins.",
				Value: bind.Int(&p.Features, bind.AtLeast(0))},
			{Name: "gbit", Group: cli.GroupPlan,
				Help:  "Gbit/s that the link of a machine carries, separated by commas.",
				Value: bind.Ints(&p.Gigabits, bind.AtLeast(1))},
			{Name: "latency", Group: cli.GroupPlan,
				Help:  "Microseconds that a message takes from one machine to another.",
				Value: bind.Float(&p.Latency, bind.AtLeast(0), bind.AtMost(1e9))},
			cli.JSON(&p.JSON),
		},
		p.Layout.Table(),
		cli.Without(cli.BinRows(&p.Training), "query_context", "query_context_features"),
		cli.Rows(p.Training.Table(), "num_leaves", "min_data_in_leaf", "active_fraction", "feature_fraction",
			"data_sample_strategy"),
	)
}

// Run implements [cli.Task].
func (p *planParams) Run(ctx context.Context, env *cli.Env) error {
	size, err := p.size(ctx, env)
	if err != nil {
		return err
	}
	for _, n := range p.Ranks {
		if n > size.queries {
			return cli.Usagef("ranks=%d is more than the %s, which ranks share as a whole: some would have no rows; "+
				"give fewer", n, size.most())
		}
	}
	threads := p.Training.NumThreads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := &plan.Training{Params: p.Training, Shape: size.shape, Threads: threads, Text: size.text,
		Latency: time.Duration(p.Latency * float64(time.Microsecond))}
	if t.Params.MinDataInLeaf > size.shape.Rows/2 {
		env.Messages.Warn("min_data_in_leaf is more than half of the rows: no tree will have a split")
	}
	return cli.Show(env, p.document(t, size), "", p.JSON)
}

// Check implements [cli.Checker].
func (p *planParams) Check(*cli.Env) error {
	switch {
	case p.Data == "" && (p.Rows == 0 || p.Features == 0):
		return cli.Usagef("give data=FILE, or num_rows= and num_features=")
	case p.Data != "" && p.Features > 0:
		return cli.Usagef("num_features=%d with data=%s: the data says how many features there are; leave one of "+
			"them out", p.Features, p.Data)
	case len(p.Ranks) == 0 || len(p.Gigabits) == 0:
		return cli.Usagef("ranks= and gbit= need a number at least")
	}
	return cli.Usage(p.Training.Validate())
}

// size is the size for which to plan.
type size struct {
	shape   booster.Shape
	queries int  // at most the number of rows
	known   bool // queries are counted
	text    bool // the data is not binned yet
}

// most returns the bound on the number of peers as text: the number of queries or, if these are not counted,
// of rows.
func (s *size) most() string {
	if s.known {
		return count(s.queries, "query", "queries")
	}
	return count(s.queries, "row", "rows")
}

// size determines the size of the data.
func (p *planParams) size(ctx context.Context, env *cli.Env) (*size, error) {
	if p.Data == "" {
		return &size{shape: plan.ShapeFor(&p.Training, p.Rows, p.Features), queries: p.Rows}, nil
	}
	s, err := p.read(ctx, env)
	if err != nil || p.Rows == 0 {
		return s, err
	}
	s.queries = max(1, int(float64(s.queries)*float64(p.Rows)/float64(max(1, s.shape.Rows))))
	s.shape.Rows = p.Rows
	return s, nil
}

// read determines the size of the data. For stored bins it reads only the description; other data is read
// once, and only a sample of its rows is kept.
func (p *planParams) read(ctx context.Context, env *cli.Env) (*size, error) {
	if data.IsBinned(p.Data) {
		o := data.LoadOptions{Layout: p.Layout, Given: env.Given, Workers: p.Training.NumThreads}
		l := data.NewLoader(p.Training.BinParams(), o)
		defer l.Close()
		set, err := l.Training(ctx, data.Input{Path: p.Data})
		if err != nil {
			return nil, cli.DataError(err)
		}
		return sizeOf(set.Bins.Mapper, set.Meta.NumRows(), len(set.Meta.Queries)), nil
	}
	src, err := cli.Open(p.Data, data.Options{Layout: p.Layout, Categorical: p.Training.CategoricalFeature,
		Workers: p.Training.NumThreads}, env.Messages)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	sample, err := histogram.Read(ctx, src, p.Training.BinParams())
	env.Messages.EndProgress()
	if err != nil {
		return nil, err
	}
	s := sizeOf(sample.Mapper, sample.Meta.NumRows(), len(sample.Meta.Queries))
	s.text = true
	return s, nil
}

func sizeOf(m *histogram.Mapper, rows, queries int) *size {
	return &size{shape: booster.ShapeOf(m, rows), queries: queries, known: true}
}
