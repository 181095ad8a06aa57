package judging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// system is a system to judge. It is opened by its name just before it is judged, and closed afterwards.
type system struct {
	name string
	open func(name string) (evaluate.Ranking, io.Closer, error) // the open file is nil if there is none
}

// systemsOf returns a system for each name.
func systemsOf(names []string, open func(name string) (evaluate.Ranking, io.Closer, error)) (all []system) {
	for _, name := range names {
		all = append(all, system{name, open})
	}
	return all
}

// systems returns the systems that the parameters name, at least one.
func (p *common) systems(metrics []metric.Metric) ([]system, error) {
	if err := p.checkUnused(); err != nil {
		return nil, err
	}
	switch {
	case p.env.Peers.Size() > 1 && len(p.Models)+len(p.ScoreFiles) == 0:
		return nil, cli.Usagef("a run and a table with a column of scores are judged by one process, and a "+
			"launcher has started %d; start one, or give input_model=FILE or scores=FILE, and data=FILE",
			p.env.Peers.Size())
	case p.Data != "" && p.Qrels != "":
		return nil, cli.Usagef("give either data=FILE or qrels=FILE")
	case p.Data != "" && len(p.Runs) > 0:
		return nil, cli.Usagef("run=%s is judged by qrels=FILE, not by data; give scores=FILE for scores of data, "+
			"one a line", p.Runs[0])
	case (p.Qrels == "") != (len(p.Runs) == 0):
		return nil, cli.Usagef("qrels=FILE and run=FILE belong together")
	case p.Qrels != "":
		return p.runSystems()
	case p.Data == "":
		return nil, cli.Usagef("data is missing: give data=FILE, or qrels=FILE and run=FILE")
	}
	if len(p.ScoreColumns) > 0 {
		if err := p.checkTable(); err != nil {
			return nil, err
		}
	}
	p.byPairs = slices.ContainsFunc(metrics, metric.ReadsPairs)
	p.docs = needsDocuments(metrics) || p.pairs != nil && p.pairs.ByID
	all := slices.Concat(systemsOf(p.ScoreColumns, p.openTable), systemsOf(p.Models, p.openModel),
		systemsOf(p.ScoreFiles, p.openScores))
	if len(all) == 0 {
		return nil, cli.Usagef("give either input_model=FILE or scores=FILE")
	}
	return all, nil
}

// checkUnused returns an error for parameters of another kind of system than those that are judged.
func (p *common) checkUnused() (err error) {
	if len(p.Models) == 0 {
		err = p.env.NoEffect("without a model", "feature_base", "feature_names", "start_iteration_predict",
			"num_iteration_predict", "context")
	}
	if err == nil && len(p.ScoreColumns) == 0 {
		err = p.env.NoEffect("without a table with a column of scores", "query_field", "target_field",
			"score_field")
	}
	return err
}

// needsDocuments reports whether a metric orders equal scores by document id.
func needsDocuments(metrics []metric.Metric) bool {
	byDocument := func(m metric.Metric) bool { return m.Convention().Ties == metric.ByDocument }
	return slices.ContainsFunc(metrics, byDocument)
}

// runSystems returns the runs, which are judged by the same qrels.
func (p *common) runSystems() ([]system, error) {
	qrels, err := stream.Read(p.Qrels, evaluate.ReadQrels)
	if err != nil {
		return nil, err
	}
	qrels.LeaveOutAbsent = p.AbsentQueries == absentLeaveOut
	return systemsOf(p.Runs, func(path string) (evaluate.Ranking, io.Closer, error) {
		return evaluate.FromRun(path, path, qrels), nil, nil
	}), nil
}

// checkTable returns an error for parameters of data with features, which a table of scores does not have.
func (p *common) checkTable() error {
	for _, c := range []struct{ name, value, instead string }{
		{"label_column", p.Layout.Label, "give target_field="},
		{"group_column", p.Layout.Query, "give query_field="},
		{"label_columns", p.Layout.Labels, "leave it out"},
		{"position_column", p.Layout.Position, "leave it out"},
		{"docid_column", p.Layout.Document, "leave it out"},
		{"ignore_column", p.Layout.Ignore, "leave it out"},
	} {
		if c.value != "" {
			return cli.Usagef("%s=%s has no effect on a table with a column of scores; %s", c.name, c.value, c.instead)
		}
	}
	return nil
}

// openTable opens the data as a table of which a column has the scores.
func (p *common) openTable(column string) (evaluate.Ranking, io.Closer, error) {
	if arrays.Is(p.Data) {
		return p.openArrays(column)
	}
	t, err := data.OpenScores(p.Data, data.ScoreOptions{Query: p.QueryColumn, Target: p.TargetColumn,
		Score: column, Weight: strings.TrimPrefix(p.Layout.Weight, "name:"), Format: p.Layout.Format})
	if err != nil {
		return evaluate.Ranking{}, nil, err
	}
	return evaluate.FromTable(column, t), t, nil
}

// openModel opens the data to be scored by a model.
func (p *common) openModel(path string) (evaluate.Ranking, io.Closer, error) {
	m := p.read[path]
	src, err := cli.OpenFor(m, path, p.Data, p.options(), p.env.Messages)
	if err != nil {
		return evaluate.Ranking{}, nil, err
	}
	judged := m
	if p.event != nil {
		judged, err = lambdamart.Probabilities(m)
	}
	var scorer lambdamart.Model
	if err == nil {
		scorer, err = lambdamart.Compile(judged)
	}
	if err != nil {
		return evaluate.Ranking{}, src, fmt.Errorf("%s: %w", path, err)
	}
	return evaluate.FromModel(path, src, scorer), src, nil
}

// readModel reads a model, and returns the requested part.
func (p *common) readModel(path string) (lambdamart.Model, error) {
	m, err := p.env.ReadShared(path)
	if err != nil {
		return nil, err
	}
	if m, err = p.Part.Of(m, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// options returns the options of reading data to score.
func (p *common) options() data.Options {
	return data.Options{Layout: p.Layout, Docs: p.docs, Pairs: p.byPairs, Peers: p.env.Peers,
		Workers: p.NumThreads}
}

// openScores opens the data for which a file has the scores.
func (p *common) openScores(path string) (evaluate.Ranking, io.Closer, error) {
	o := p.options()
	o.Features = &dataset.Features{Used: []int{}} // none is needed
	src, err := cli.Open(p.Data, o, p.env.Messages)
	if err != nil {
		return evaluate.Ranking{}, nil, err
	}
	if err := data.SameFile(path, p.env.Peers); err != nil {
		return evaluate.Ranking{}, src, err
	}
	return evaluate.FromScoreFile(path, src, path), src, nil
}

// judge judges a system, and reports its gaps.
func (p *common) judge(ctx context.Context, s system, metrics []metric.Metric) (*evaluate.Judgment, error) {
	ranking, from, err := s.open(s.name)
	if from != nil {
		defer from.Close()
	}
	var j *evaluate.Judgment
	if err == nil {
		o := evaluate.Options{Workers: p.NumThreads, Keep: p.keep, Event: p.event}
		if p.pairs != nil {
			o.Pairs = p.pairs.Of
		}
		j, err = evaluate.Judge(ctx, ranking, metrics, o)
	}
	p.env.Messages.EndProgress()
	if errors.Is(err, data.ErrNoColumn) && slices.Contains(p.ScoreColumns, s.name) {
		return nil, fmt.Errorf("%w; query_field=, target_field=, score_field= and weight_column= name them (%s "+
			"was taken for a column of scores, since there is no such file)", err, s.name)
	}
	switch {
	case errors.Is(err, evaluate.ErrNoProbabilities):
		return nil, fmt.Errorf("%s: %w", s.name, err)
	case errors.Is(err, dataset.ErrNoLabel):
		return nil, fmt.Errorf("%s: %w", p.Data, err)
	case err != nil:
		return nil, metric.InFile(err, cmp.Or(p.Qrels, p.Data))
	}
	if j.Scoring != nil {
		cli.ShowSummary(*j.Scoring, p.env.Messages)
		if text := cli.OfTraining(p.read[s.name], j.Scoring.Rows, j.Results[0].Queries, "the values are not those "+
			"of queries that the model has not seen; judge it by other data"); text != "" {
			p.env.Messages.Note(s.name + ": " + text)
		}
	}
	p.showAnomalies(s.name, j.Anomalies)
	return j, nil
}

// showAnomalies reports the gaps of a ranking. All systems share the targets and the order of the rows, which
// are in the data, except that a run has rows of its own.
func (p *common) showAnomalies(system string, ranking evaluate.Anomalies) {
	shared, messages := cmp.Or(p.Data, system), p.env.Messages
	targets := evaluate.Anomalies{MissingTargets: ranking.MissingTargets, NaNTargets: ranking.NaNTargets,
		NoneRelevant: ranking.NoneRelevant}
	ranking.MissingTargets, ranking.NaNTargets, ranking.NoneRelevant = 0, 0, false
	ofTargets, _ := targets.Remarks()
	ofRanking, notes := ranking.Remarks()
	for _, sentence := range ofTargets {
		messages.Warn(shared + ": " + sentence)
	}
	for _, sentence := range ofRanking {
		messages.Warn(system + ": " + sentence)
	}
	for _, sentence := range notes {
		messages.Note(shared + ": " + sentence)
	}
}

// hasDocuments reports whether the input names documents.
func (p *common) hasDocuments() bool { return p.Qrels != "" || !p.Layout.IsTable(p.Data) }

// openArrays opens arrays of another program, of which a column has the scores.
func (p *common) openArrays(column string) (evaluate.Ranking, io.Closer, error) {
	rows, err := arrays.Open(p.Data, arrays.Options{Workers: p.NumThreads, Infinite: true})
	if err != nil {
		return evaluate.Ranking{}, nil, err
	}
	at := slices.Index(rows.Names(), column)
	if at < 0 {
		return evaluate.Ranking{}, rows, fmt.Errorf("the data has no column %q; score_field= names "+
			"one of its columns", column)
	}
	scores := make([]float64, rows.Meta().NumRows())
	meta, err := dataset.Scan(context.Background(), rows, nil, func(_ int, row dataset.Row) error {
		if i, found := slices.BinarySearch(row.Feature, int32(at)); found {
			scores[row.Number] = row.Value[i]
		}
		return nil
	})
	if err != nil {
		return evaluate.Ranking{}, rows, err
	}
	return evaluate.FromScores(column, meta, scores), rows, nil
}
