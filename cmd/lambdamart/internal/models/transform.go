package models

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Transform returns the entry of the command.
func Transform() cli.Command {
	return cli.Command{
		Name:  "transform",
		Use:   "transform data=FILE output=FILE query_context=KIND,... [key=value]...",
		Short: "Write data with columns of query context, for other programs",
		Long: `Write data with columns of query context after its features, so that LightGBM and other
programs train on them and score with them. query_context= names the columns for training
data; input_model= takes those of a model, for data that the model is to score.

The output is LETOR text, LETOR text as LightGBM reads it (without query ids, which are in
the companion .query), CSV, TSV or Parquet. Weights, initial scores, further labels and
positions are written beside it, as .weight, .init, .label.NAME and .position. Our own commands
do not need the file: they compute query context as they read data. To score it
nevertheless, set context=precomputed.`,
		Example: `  lambdamart transform data=train.txt output=wide.txt query_context=rank,zscore
  lambdamart transform data=train.txt output=wide.csv query_context=rank query_context_features=1-20
  lambdamart transform data=train.txt output=wide.parquet query_context=gap_to_best
  lambdamart transform data=test.txt output=wide-test.txt input_model=model.txt output_format=lightgbm`,
		Needs: []string{"data"},
		New: func() cli.Task {
			return &transformParams{Layout: data.DefaultLayout(), Format: formatAuto,
				Training: booster.DefaultParams()}
		},
	}
}

// transformParams are the parameters of transform.
type transformParams struct {
	Data     string
	Layout   data.Layout
	Model    string
	Output   string
	Format   string         // formatAuto or one of data.WriteFormats
	Training booster.Params // only query context and the threads are used
}

// formatAuto derives the format from the name of the output.
const formatAuto = "auto"

// Table implements [cli.Task].
func (p *transformParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			cli.InputModel(&p.Model),
			cli.Output(&p.Output),
			{Name: "output_format", Group: cli.GroupFiles,
				Help: "How transform writes data. auto: csv, tsv or parquet if the name of the output ends so, and " +
					"else letor. lightgbm: LETOR text without query ids, which go to the companion .query.",
				Value: bind.Choice(&p.Format, append([]string{formatAuto}, data.WriteFormats()...)...)},
		},
		p.Layout.Table(),
		cli.Rows(p.Training.Table(), "query_context", "query_context_features", "num_threads"),
	)
}

// Run implements [cli.Task].
func (p *transformParams) Run(ctx context.Context, env *cli.Env) error {
	messages := env.Messages
	columns, err := p.contextual()
	if err != nil {
		return err
	}
	src, err := p.open(ctx, columns, messages)
	if err != nil {
		return err
	}
	defer src.Close()
	companions, err := p.companions(src.meta)
	if err != nil {
		return err
	}
	if err := p.write(ctx, src, messages); err != nil {
		return err
	}
	for _, c := range companions {
		if err := cli.SaveFile(p.Output+c.Ending, c.Write, messages); err != nil {
			return err
		}
	}
	return nil
}

// write writes the data.
func (p *transformParams) write(ctx context.Context, src *source, messages *cli.Console) error {
	if src.Numbering == dataset.FromOne { // the model's, too
		p.Layout.FeatureBase = 1
	}
	options := data.WriteOptions{Format: p.format(), FeatureBase: p.Layout.FeatureBase, Numbering: src.Numbering,
		Names: src.names, Absent: src.absent}
	write := func(w io.Writer) error {
		defer messages.EndProgress()
		return data.Write(ctx, w, src.rows, options)
	}
	if p.Output == "-" {
		return cli.WriteOutput(p.Output, write)
	}
	return cli.SaveFile(p.Output, write, messages)
}

// format returns the format of the output.
func (p *transformParams) format() string {
	if p.Format != formatAuto {
		return p.Format
	}
	return formatOf(p.Output)
}

// formatOf returns the form of a file by the ending of its name, in upper or lower case: CSV, TSV,
// Parquet, or LETOR for any other ending.
func formatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return data.CSV
	case ".tsv":
		return data.TSV
	case ".parquet":
		return data.Parquet
	}
	return data.LETOR
}

// Check implements [cli.Checker].
func (p *transformParams) Check(*cli.Env) error {
	if p.Output == "" {
		return cli.Usagef("output is missing: give output=FILE, or - for standard output")
	}
	if named := formatOf(p.Output); named != data.LETOR && named != p.format() {
		return cli.Usagef("output=%s: a file of that name would be read as %s, not as output_format=%s; change "+
			"one of them", p.Output, named, p.Format)
	}
	if p.Training.QueryContextFeatures != "" && len(p.Training.QueryContext) == 0 {
		return cli.Usagef("query_context_features=%s has no effect without query_context; give query_context=rank",
			p.Training.QueryContextFeatures)
	}
	switch given := len(p.Training.QueryContext) > 0; {
	case given && p.Model != "":
		return cli.Usagef("query_context and input_model exclude each other: a model brings its columns")
	case !given && p.Model == "":
		return cli.Usagef("give query_context=KIND,..., or input_model=FILE of a model that has query context")
	}
	return cli.Usage(p.Training.Validate(nil))
}

// source is the data with its new columns.
type source struct {
	*data.File
	rows   dataset.Source
	meta   *dataset.Meta
	names  []string // of all columns
	absent []int    // columns that no row has
}

// contextual returns the model whose query context is written, or nil if there is none.
func (p *transformParams) contextual() (lambdamart.Model, error) {
	if p.Model == "" {
		return nil, nil
	}
	m, err := lambdamart.ReadModel(p.Model)
	if err != nil {
		return nil, err
	}
	if widened.Of(m) == nil {
		return nil, fmt.Errorf("%s: the model has no query context, so that its data needs no other columns",
			p.Model)
	}
	return m, nil
}

// open opens the data, with the query context columns of the model of or, if of is nil, the requested ones.
func (p *transformParams) open(ctx context.Context, of lambdamart.Model, messages *cli.Console) (_ *source,
	err error) {
	o := data.Options{Layout: p.Layout, Docs: p.format() == data.LETOR, Workers: p.Training.NumThreads}
	if p.Layout.IsTable(p.Data) {
		o.FeatureBase = 0 // feature_base numbers the features of the output
	}
	if of != nil {
		o.Features = data.FeaturesOf(of)
		o.Features.Used = nil // all columns are written
	}
	s := &source{}
	if s.File, err = cli.Open(p.Data, o, messages); err != nil {
		return nil, err
	}
	if err := s.widen(ctx, p, of, messages); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// widen adds the columns to the rows.
func (s *source) widen(ctx context.Context, p *transformParams, of lambdamart.Model,
	messages *cli.Console) error {
	var wide *widened.Source
	var err error
	if of != nil {
		wide = widened.New(s.File, widened.Of(of), nil)
	} else if wide, err = widened.Ask(ctx, s.File, widened.Request{Kinds: p.Training.QueryContext,
		Features: p.Training.QueryContextFeatures}); err != nil {
		return err
	}
	if s.meta, err = dataset.Describe(ctx, wide); err != nil {
		return err
	}
	c := wide.Context()
	s.rows = widened.New(s.File, c, nil)
	s.names, s.absent = s.meta.Features[:c.Len()], s.AbsentFeatures()
	if of != nil {
		s.names, s.absent = of.FeatureNames(), nil
		if more := wide.Raw().NumFeatures() - c.Raw; more > 0 {
			messages.Warn(fmt.Sprintf("%s: has %s more than the model; %s left out", p.Data,
				wording.Count(more, "feature"), wording.Agree(more, "it is", "they are")))
		}
	}
	messages.Warn(s.meta.Remarks...)
	return nil
}

// companions returns the files to write beside the output. It returns an error if companions of an earlier
// output exist, because they would be read with the new one.
func (p *transformParams) companions(m *dataset.Meta) ([]data.Companion, error) {
	all := data.CompanionsOf(m, p.format())
	if p.Output == "-" {
		if len(all) > 0 {
			return nil, cli.Usagef("output=-: the data has a %s file, which needs a name: give output=FILE",
				all[0].Ending)
		}
		return nil, nil
	}
	var written []string
	for _, c := range all {
		written = append(written, c.Ending)
	}
	return all, cli.CheckCompanions(p.Output, written...)
}
