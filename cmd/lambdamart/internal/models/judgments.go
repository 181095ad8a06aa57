package models

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/judgments"
	"github.com/lambdamart/lambdamart/internal/judgments/featurelog"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/trec"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Judgments returns the entry of the command.
func Judgments() cli.Command {
	return cli.Command{
		Name:  "judgments",
		Use:   "judgments [data=FILE] [judged=FILE | clicks=FILE] output=FILE [key=value]...",
		Short: "Make training data from logged features, judgments and clicks",
		Long: `Make training data from what a search engine logs.

data= has the features that the learning-to-rank plug-in of Elasticsearch or OpenSearch logs: the
response of one search on each line, with the id of its query,
{"qid": "7", "response": {"hits": ...}}. judged= has grades of documents: TREC qrels, or CSV or TSV
with the columns qid, docid and grade. The output has the documents that are in both: LETOR text, or
CSV, TSV or Parquet, with the names of the features, if its name ends so.

clicks= replaces judged=: a log of clicks in CSV or TSV with the columns query, doc,
position, clicks (0 or 1, or a number beside the column impressions). click_model= says how documents
that were shown lower are made comparable. Without data=, the output has the judgments: qrels, or CSV
or TSV. bias= shows how often each position is looked at.

names_output= writes the names of the features for export features=.`,
		Example: `  lambdamart judgments data=logged.jsonl judged=judgments.csv output=train.csv
  lambdamart judgments data=logged.jsonl judged=qrels.txt feature_set=set.json ` +
			`output=train.txt names_output=names.tsv
  lambdamart judgments data=logged.jsonl judged=judgments.csv output=train.parquet
  lambdamart judgments clicks=clicks.csv click_model=pbm output=qrels.txt bias=bias.svg`,
		New: func() cli.Task { return defaultJudgments() },
	}
}

// judgmentsParams are the parameters of judgments.
type judgmentsParams struct {
	Data, Judged, Clicks    string
	Output, Names, BiasFile string
	FeatureSet, LogName     string
	MissingAsZero           bool
	Unjudged                string // dropUnjudged or zeroUnjudged
	ClickModel              string // coec or pbm
	Prior                   float64
	Levels, Fewest          int
}

// Values of parameters.
const (
	dropUnjudged = "drop"
	zeroUnjudged = "zero"
	coec         = "coec"
	pbm          = "pbm"
)

// defaultJudgments returns the default values.
func defaultJudgments() *judgmentsParams {
	return &judgmentsParams{Unjudged: dropUnjudged, ClickModel: pbm, Prior: 1, Fewest: 1}
}

// group is the heading of the parameters.
const groupJudgments = "Judgments"

// Table implements [cli.Task].
func (p *judgmentsParams) Table() param.Table {
	return slices.Concat(param.Table{
		cli.Data(&p.Data),
		cli.Output(&p.Output),
		{Name: "judged", Group: groupJudgments, File: param.Read,
			Help: "Grades of documents: TREC qrels, or CSV or TSV with columns qid, docid, grade (or names like " +
				"these).",
			Value: bind.Text(&p.Judged)},
		{Name: "unjudged", Group: groupJudgments,
			Help: "Logged documents without a judgment in queries that have some. drop: left out. zero: they get " +
				"the grade 0.",
			Value: bind.Choice(&p.Unjudged, dropUnjudged, zeroUnjudged)},
		cli.FeatureSet(&p.FeatureSet),
		{Name: "log_name", Group: groupJudgments,
			Help:  "Name of the log of each document, where there are several.",
			Value: bind.Text(&p.LogName)},
		{Name: "missing_as_zero", Group: groupJudgments,
			Help: "Features without a value in the log are 0, as in the plug-in if it says so too; otherwise they " +
				"are missing.",
			Value: bind.Bool(&p.MissingAsZero)},
		{Name: "names_output", Group: groupJudgments, File: param.Written,
			Help:  "File to write: the names of the features, by their numbers in LETOR text, for export features=.",
			Value: bind.Text(&p.Names)},
	}, p.clickRows())
}

// clickRows are the rows about clicks.
func (p *judgmentsParams) clickRows() param.Table {
	return param.Table{
		{Name: "clicks", Group: groupJudgments, File: param.Read,
			Help:  "Log of clicks, CSV or TSV with columns query, doc, position, clicks and perhaps impressions.",
			Value: bind.Text(&p.Clicks)},
		{Name: "click_model", Group: groupJudgments,
			Help: "How clicks become grades. pbm: the attractiveness of the position-based model. coec: " +
				"clicks divided by the clicks expected at the positions.",
			Value: bind.Choice(&p.ClickModel, pbm, coec)},
		{Name: "click_prior", Group: groupJudgments,
			Help: "Impressions (pbm) or clicks (coec) at the average rate, added to each document's own " +
				"to smooth estimates from few impressions.",
			Value: bind.Float(&p.Prior, bind.Above(0))},
		{Name: "click_levels", Group: groupJudgments,
			Help: "Number of grades, from 0, in equal steps of the estimates; below 2: the estimates " +
				"themselves.",
			Value: bind.Int(&p.Levels, bind.AtLeast(0), bind.AtMost(31))},
		{Name: "min_impressions", Group: groupJudgments,
			Help:  "Documents that were shown less often in a query get no grade.",
			Value: bind.Int(&p.Fewest, bind.AtLeast(1))},
		{Name: "bias", Group: groupJudgments, File: param.Written,
			Help: "File to write: how often each position is looked at, relative to the most looked at; a picture " +
				"(.svg), or CSV.",
			Value: bind.Text(&p.BiasFile)},
	}
}

// Run implements [cli.Task].
func (p *judgmentsParams) Run(ctx context.Context, env *cli.Env) error {
	set, err := p.featureSet()
	if err != nil {
		return err
	}
	if p.Output != "" {
		q, err := p.judgments(ctx, env.Messages)
		if err != nil {
			return err
		}
		if p.Data == "" {
			write := func(w io.Writer) error { return writeJudgments(w, q, data.FormatOf(p.Output)) }
			return cli.SaveFile(p.Output, write, env.Messages)
		}
		if set, err = p.join(ctx, q, set, env.Messages); err != nil {
			return err
		}
	}
	if p.Names == "" {
		return nil
	}
	return cli.SaveFile(p.Names, func(w io.Writer) error { return writeNames(w, set) }, env.Messages)
}

// Check implements [cli.Checker]. Parameters without effect are errors.
func (p *judgmentsParams) Check(env *cli.Env) error {
	switch {
	case p.Judged != "" && p.Clicks != "":
		return cli.Usagef("judged and clicks exclude each other: give one of them")
	case p.Output == "" && (p.Data != "" || p.Judged != "" || p.Clicks != ""):
		return cli.Usagef("output is missing: give output=FILE, or - for standard output")
	case p.Output != "" && p.Judged == "" && p.Clicks == "":
		return cli.Usagef("there are no judgments: give judged=FILE or clicks=FILE")
	case p.Output == "" && (p.FeatureSet == "" || p.Names == ""):
		return cli.Usagef("there is nothing to do: give data, judged or clicks and output, or feature_set and " +
			"names_output")
	case p.Output != "" && p.Data == "" && p.Clicks == "":
		return cli.Usagef("data is missing: give data=FILE with the logged features")
	case p.Names != "" && p.Data == "" && p.FeatureSet == "":
		return cli.Usagef("names_output=%s: there are no features; give data=FILE or feature_set=FILE", p.Names)
	}
	if err := p.checkEffect(env); err != nil {
		return err
	}
	for _, out := range []string{p.Output, p.Names, p.BiasFile} {
		if err := cli.CheckPlain(out); err != nil {
			return err
		}
		if data.FormatOf(out) == data.Parquet && (out != p.Output || p.Data == "") {
			return cli.Usagef("%s: only training data is written as Parquet; name a file that ends in .csv", out)
		}
	}
	return nil
}

// checkEffect returns an error for parameters that belong to a file that is not given.
func (p *judgmentsParams) checkEffect(env *cli.Env) error {
	for _, file := range []struct {
		needed string
		names  []string
	}{
		{"clicks", []string{"click_model", "click_prior", "click_levels", "min_impressions", "bias"}},
		{"data", []string{"unjudged", "log_name", "missing_as_zero"}},
	} {
		if slices.Contains(env.Given, file.needed) {
			continue
		}
		for _, name := range file.names {
			if slices.Contains(env.Given, name) {
				return cli.Usagef("%s has no effect without %s; give %s=FILE", name, file.needed, file.needed)
			}
		}
	}
	return nil
}

// featureSet returns the names in the feature set, or nil if none is given.
func (p *judgmentsParams) featureSet() (names []string, err error) {
	if p.FeatureSet == "" {
		return nil, nil
	}
	return stream.Read(p.FeatureSet, featurelog.ReadSet)
}

// judgments returns the grades of documents.
func (p *judgmentsParams) judgments(ctx context.Context, messages *cli.Console) (q *trec.Qrels, err error) {
	if p.Clicks != "" {
		return p.fromClicks(ctx, messages)
	}
	return stream.Read(p.Judged, judgments.Read)
}

// join writes the training data, and returns the names of its features.
func (p *judgmentsParams) join(ctx context.Context, q *trec.Qrels, set []string, messages *cli.Console) (
	[]string, error) {
	if err := cli.CheckCompanions(p.Output); err != nil {
		return nil, err
	}
	log, err := stream.Read(p.Data, func(r io.Reader, name string) (*featurelog.Log, error) {
		return featurelog.Read(r, name, featurelog.Options{Features: set, Name: p.LogName,
			MissingAsZero: p.MissingAsZero})
	})
	if err != nil {
		return nil, err
	}
	j, err := judgments.Join(log, q, p.Unjudged == zeroUnjudged)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Data, err)
	}
	p.show(log, j, messages)
	o := data.WriteOptions{Format: data.FormatOf(p.Output), FeatureBase: 1, Names: log.Features}
	write := func(w io.Writer) error { return data.Write(ctx, w, j.Data, o) }
	return log.Features, cli.SaveFile(p.Output, write, messages)
}

// show reports how many documents were joined, and how many were not.
func (p *judgmentsParams) show(log *featurelog.Log, j *judgments.Joined, messages *cli.Console) {
	messages.Note(fmt.Sprintf("%s documents of %s queries, %d features", wording.Thousands(j.Rows),
		wording.Thousands(j.Queries), len(log.Features)))
	if j.Unlogged > 0 {
		messages.Warn(fmt.Sprintf("%s judged documents have no logged features and are left out, such as %s",
			wording.Thousands(j.Unlogged), j.Example))
	}
	if j.Unjudged > 0 {
		messages.Note(fmt.Sprintf("%s logged documents have no judgment (unjudged=%s)",
			wording.Thousands(j.Unjudged), p.Unjudged))
	}
	if len(log.Absent) > 0 {
		messages.Warn(fmt.Sprintf("features of the feature set that no document was logged with, and that are "+
			"missing everywhere: %s", strings.Join(log.Absent, ", ")))
	}
}
