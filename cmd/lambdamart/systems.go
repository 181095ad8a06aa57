package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/format"
	"github.com/lambdamart/lambdamart/io/data/scored"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/io/trec"
	"github.com/lambdamart/lambdamart/metric"
)

// system is what eval and compare judge. It is opened when its turn has come, and closed after it.
type system struct {
	name string
	open func() (evaluate.Ranking, closers, error)
}

// closers are what a ranking is read from.
type closers []io.Closer

func (c closers) close() {
	for _, closer := range c {
		closer.Close()
	}
}

// systems returns what the parameters ask to judge, at least one system.
func (p *judgeParams) systems(metrics []metric.Metric, messages *console) ([]system, error) {
	if err := p.checkStandardInput(); err != nil {
		return nil, err
	}
	switch {
	case (p.qrels == "") != (len(p.runs) == 0):
		return nil, usagef("qrels=FILE and run=FILE belong together")
	case p.qrels != "" && p.data != "":
		return nil, usagef("give either data=FILE or qrels=FILE")
	case p.qrels != "":
		return p.runSystems()
	case p.data == "":
		return nil, usagef("data is missing: give data=FILE, or qrels=FILE and run=FILE")
	}
	var all []system
	for _, column := range p.scoreColumns {
		all = append(all, p.tableSystem(column))
	}
	docs := needsDocuments(metrics)
	for _, path := range p.models {
		all = append(all, p.modelSystem(path, docs, messages))
	}
	for _, path := range p.scoreFiles {
		all = append(all, p.scoresSystem(path, docs, messages))
	}
	if len(all) == 0 {
		return nil, usagef("give either input_model=FILE or scores=FILE")
	}
	return all, nil
}

// checkStandardInput refuses to read standard input more than once: for several files, or for
// several systems.
func (p *judgeParams) checkStandardInput() error {
	systems := slices.Concat(p.runs, p.scoreColumns, p.models, p.scoreFiles)
	shared := []string{p.data, p.qrels}
	if p.data == "-" {
		shared = slices.Repeat(shared[:1], max(1, len(systems)))
	}
	used := 0
	for _, path := range append(shared, systems...) {
		if path == "-" {
			used++
		}
	}
	if used > 1 {
		return usagef("standard input can be read once only; save it to a file")
	}
	return nil
}

// needsDocuments reports whether a metric ranks equal scores by document id.
func needsDocuments(metrics []metric.Metric) bool {
	return slices.ContainsFunc(metrics, func(m metric.Metric) bool { return m.Convention().Ties == metric.ByDocument })
}

// runSystems returns the runs, which are judged by the same qrels.
func (p *judgeParams) runSystems() ([]system, error) {
	var qrels *trec.Qrels
	err := stream.ReadFile(p.qrels, func(r io.Reader, name string) (err error) {
		qrels, err = trec.ReadQrels(r, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	absent := evaluate.AbsentZero
	if p.absentQueries == absentLeaveOut {
		absent = evaluate.AbsentLeftOut
	}
	var all []system
	for _, path := range p.runs {
		all = append(all, system{path, func() (evaluate.Ranking, closers, error) {
			run, err := stream.Open(path, stream.Options{})
			if err != nil {
				return evaluate.Ranking{}, nil, err
			}
			return evaluate.FromRunFile(path, run, qrels, absent), closers{run}, nil
		}})
	}
	return all, nil
}

// tableSystem is a column of scores in a table.
func (p *judgeParams) tableSystem(column string) system {
	return system{column, func() (evaluate.Ranking, closers, error) {
		t, err := scored.Open(p.data, scored.Options{
			Columns: scored.Columns{Query: p.queryColumn, Target: p.targetColumn, Score: column},
			Format:  p.reading.layout.Format,
		})
		if err != nil {
			return evaluate.Ranking{}, nil, err
		}
		return evaluate.FromTable(column, t), closers{t}, nil
	}}
}

// modelSystem is a model that scores data.
func (p *judgeParams) modelSystem(path string, docs bool, messages *console) system {
	return system{path, func() (evaluate.Ranking, closers, error) {
		model, _, err := readRanker(path)
		if err != nil {
			return evaluate.Ranking{}, nil, err
		}
		src, err := p.reading.open(p.data, data.Options{Features: model.features(), Docs: docs}, messages)
		if err != nil {
			return evaluate.Ranking{}, nil, err
		}
		if model, err = p.part.take(model, src, p.reading.layout.FeatureBase); err != nil {
			return evaluate.Ranking{}, closers{src}, fmt.Errorf("%s: %w", path, err)
		}
		scorer, err := model.scorer()
		if err != nil {
			return evaluate.Ranking{}, closers{src}, fmt.Errorf("%s: %w", path, err)
		}
		return evaluate.FromModel(path, src, scorer), closers{src}, nil
	}}
}

// scoresSystem is a file of scores of data.
func (p *judgeParams) scoresSystem(path string, docs bool, messages *console) system {
	return system{path, func() (evaluate.Ranking, closers, error) {
		src, err := p.reading.open(p.data, data.Options{Features: &table.Features{Used: []int{}}, Docs: docs}, messages)
		if err != nil {
			return evaluate.Ranking{}, nil, err
		}
		scores, err := stream.Open(path, stream.Options{})
		if err != nil {
			return evaluate.Ranking{}, closers{src}, err
		}
		return evaluate.FromScoreFile(path, src, scores), closers{scores, src}, nil
	}}
}

// judge judges a system, and reports what is unusual about it.
func (p *judgeParams) judge(ctx context.Context, s system, metrics []metric.Metric, messages *console) (*evaluate.Judgment, error) {
	j, err := p.judgeOpened(ctx, s, metrics)
	messages.endProgress()
	if err != nil {
		return nil, columnHint(err)
	}
	if j.Scoring != nil {
		remark(*j.Scoring, messages)
	}
	for _, sentence := range j.Anomalies.Warnings() {
		messages.emit(warningEvent{Message: s.name + ": " + sentence})
	}
	for _, sentence := range j.Anomalies.Notes() {
		messages.emit(noteEvent{Message: s.name + ": " + sentence})
	}
	return j, nil
}

func (p *judgeParams) judgeOpened(ctx context.Context, s system, metrics []metric.Metric) (*evaluate.Judgment, error) {
	ranking, from, err := s.open()
	defer from.close()
	if err != nil {
		return nil, err
	}
	return evaluate.Judge(ctx, ranking, metrics, evaluate.Options{Workers: p.threads, SortMemory: int64(p.sortMemory) << 20})
}

// columnHint adds which parameters name columns.
func columnHint(err error) error {
	if errors.Is(err, scored.ErrNoColumn) {
		return fmt.Errorf("%w; query_field=, target_field= and score_field= name them", err)
	}
	return err
}

// isTable reports whether data= is a table.
func (p *judgeParams) isTable() bool {
	if form := p.reading.layout.Format; !form.IsAuto() {
		return form.IsTable()
	}
	return p.data != "" && p.data != "-" && format.IsTablePath(p.data)
}

// hasDocuments reports whether the input names documents.
func (p *judgeParams) hasDocuments() bool { return p.qrels != "" || !p.isTable() }
