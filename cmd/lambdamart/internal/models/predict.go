package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Predict returns the entry of the command.
func Predict() cli.Command {
	return cli.Command{
		Name:  "predict",
		Use:   "predict data=FILE input_model=FILE [output_result=FILE] [key=value]...",
		Short: "Score documents with a model",
		Long: `Score documents with a model: one score a line in the order of the data, in the
fewest digits that read back to the same number, or a TREC run (format=trec). With
predict_leaf_index, a line has the leaf of each tree instead; with predict_contrib, what
each feature adds to the score and, last, the mean score (SHAP values). Tabs separate
the values. Scores are what LightGBM's predict gives: the sum of the trees or, of models of
objective=binary and cross_entropy, a probability.

The columns of a table are matched to the model's features by name, in any order; one
that the model uses must be there. Labels are not needed. Queries are needed for format=trec,
and for models with query context, whose scores depend on all documents of a query.`,
		Example: `  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart predict data=test.parquet input_model=model.txt group_column=name:query format=trec
  zstdcat test.zst | lambdamart predict data=- input_model=model.txt format=trec > run.txt`,
		Tasks: []string{"predict", "prediction", "test"},
		Needs: []string{"data", "input_model"},
		New: func() cli.Task {
			return &predictParams{Layout: data.DefaultLayout(), Output: "-", Format: formatScores,
				RunTag: "lambdamart", Part: cli.DefaultPart()}
		},
		Peers: true,
	}
}

// predictParams are the parameters of predict.
type predictParams struct {
	Data          string
	Layout        data.Layout
	Model         string
	Output        string
	Format        string // one of the formats below
	IDs           bool   // query and document before each line of scores
	RunTag        string
	Part          cli.Part
	Leaves        bool // the leaf of each tree instead of the score
	Contributions bool // the contributions of features instead of the score
	Raw           bool // sums of the trees, whatever the objective
	Probability   bool // of a model that has them
	Threads       int
}

// Formats of the output.
const (
	formatScores = "scores"
	formatTREC   = "trec"
)

// Table implements [cli.Task].
func (p *predictParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			cli.InputModel(&p.Model),
			{Name: "output_result", Aliases: []string{"predict_result", "prediction_result", "predict_name",
				"prediction_name", "pred_name", "name_pred"}, Group: cli.GroupFiles, File: param.Written,
				Help:  "Where scores go; - is standard output.",
				Value: bind.Text(&p.Output)},
		},
		p.Layout.Table(),
		param.Table{
			{Name: "format", Group: cli.GroupScoring,
				Help: "scores: one a line in the order of the data. trec: run lines (qid Q0 docid rank score tag), " +
					"each query's by rank.",
				Value: bind.Choice(&p.Format, formatScores, formatTREC)},
			{Name: "output_ids", Group: cli.GroupScoring,
				Help: "The ids of the query and the document (docid_column, or the comment of a line of " +
					"LETOR text), or the number of its row, before the numbers of each line, separated " +
					"by tabs.",
				Value: bind.Bool(&p.IDs)},
			{Name: "run_tag", Group: cli.GroupScoring,
				Help:  "Last word of each TREC run line.",
				Value: bind.Text(&p.RunTag)},
		},
		p.Part.Table(),
		param.Table{
			{Name: leafIndex, Aliases: []string{"is_predict_leaf_index", "leaf_index"}, Group: cli.GroupScoring,
				Help: "The leaf of each tree instead of the score, " +
					"separated by tabs.",
				Value: bind.Bool(&p.Leaves)},
			{Name: contrib, Aliases: []string{"is_predict_contrib", "contrib"}, Group: cli.GroupScoring,
				Help: "What each feature adds to the score, and the mean score, instead of the score, " +
					"separated by tabs.",
				Value: bind.Bool(&p.Contributions)},
			{Name: "predict_raw_score", Aliases: []string{"is_predict_raw_score", "predict_rawscore", "raw_score"},
				Group: cli.GroupScoring,
				Help: "The sum of the trees also where LightGBM's predict transforms it, as to a probability with " +
					"objective=binary or cross_entropy. Runs (format=trec) always have sums.",
				Value: bind.Bool(&p.Raw)},
			{Name: "probability", Group: cli.GroupScoring,
				Help: "The probability that a document is good instead of the score: of models that calibrate made, " +
					"and of objective=binary and cross_entropy.",
				Value: bind.Bool(&p.Probability)},
			cli.NumThreads(&p.Threads),
		},
	)
}

// Names of parameters that only models of trees have.
const (
	leafIndex = "predict_leaf_index"
	contrib   = "predict_contrib"
)

// Run implements [cli.Task].
func (p *predictParams) Run(ctx context.Context, env *cli.Env) error {
	messages := env.Messages
	model, err := p.model(env)
	if err != nil {
		return err
	}
	src, err := cli.OpenFor(model, p.Model, p.Data, data.Options{Layout: p.Layout, NoLabels: true,
		Docs: p.IDs || p.Format == formatTREC, Once: true, Peers: env.Peers, Workers: p.Threads}, messages)
	if err != nil {
		return err
	}
	defer src.Close()
	start := time.Now()
	var summary scoring.Summary
	err = writeParts(env, p.Output, func(w io.Writer) (err error) {
		summary, err = p.write(ctx, w, model, src)
		return err
	})
	messages.EndProgress()
	if err != nil {
		return err
	}
	summary = summary.OfAll(src.Part())
	cli.ShowSummary(summary, messages)
	seconds := time.Since(start).Seconds() // including reading and writing
	rate := int64(float64(summary.Rows) / max(seconds, 1e-9))
	messages.Say("scored", fmt.Sprintf("%s in %.3g s (%s a second)", wording.Count(summary.Rows, "document"),
		seconds, wording.Thousands(rate)), "documents", summary.Rows, "seconds", seconds)
	return nil
}

// Check implements [cli.Checker].
func (p *predictParams) Check(env *cli.Env) error {
	if strings.ContainsAny(p.RunTag, " \t\r\n") || p.RunTag == "" {
		return cli.Usagef("run_tag=%s: must be one word", p.RunTag)
	}
	if p.Leaves && p.Contributions || p.Format == formatTREC && (p.Leaves || p.Contributions) {
		return cli.Usagef("format=trec, predict_leaf_index and predict_contrib exclude each other")
	}
	if p.Probability && (p.Raw || p.Leaves || p.Contributions || p.Format == formatTREC) {
		return cli.Usagef("probability=true excludes predict_raw_score, predict_leaf_index, predict_contrib and " +
			"format=trec, whose scores are sums: documents have the same order by both")
	}
	if strings.HasSuffix(p.Output, ".parquet") {
		return cli.Usagef("output_result=%s: results are written as text, one line for each document: name a "+
			"text file", p.Output)
	}
	if p.IDs && p.Format == formatTREC {
		return cli.Usagef("output_ids=true has no effect on format=trec, whose lines have ids: leave it out")
	}
	if p.Format != formatTREC {
		return env.NoEffect("without format=trec", "run_tag")
	}
	return nil
}

// model reads the model, and returns the requested part.
func (p *predictParams) model(env *cli.Env) (lambdamart.Model, error) {
	m, err := env.ReadShared(p.Model)
	if err != nil {
		return nil, err
	}
	m, err = p.Part.Of(m, cmp.Or(cli.When(p.Leaves, leafIndex), cli.When(p.Contributions, contrib)))
	switch {
	case err != nil:
	case p.Probability:
		m, err = lambdamart.Probabilities(m)
	case !p.Raw && p.Format != formatTREC:
		m = lambdamart.Predictions(m)
	}
	if err != nil {
		return nil, p.ofModel(err)
	}
	return m, nil
}

// ofModel adds the name of the model to an error about it.
func (p *predictParams) ofModel(err error) error { return fmt.Errorf("%s: %w", p.Model, err) }

// write writes the scores, or the requested alternative, of the rows of src.
func (p *predictParams) write(ctx context.Context, w io.Writer, m lambdamart.Model, src *data.File) (
	scoring.Summary, error) {
	if trees, ok := m.(*tree.Ensemble); ok && p.Leaves {
		return scoring.Leaves(trees).WriteLines(ctx, w, src, p.IDs)
	} else if ok && p.Contributions {
		return scoring.Contributions(trees).WriteLines(ctx, w, src, p.IDs)
	}
	scorer, err := lambdamart.Compile(m)
	if err != nil {
		return scoring.Summary{}, p.ofModel(err)
	}
	if p.Format == formatTREC {
		return scoring.WriteRun(ctx, w, src, scorer, p.RunTag)
	}
	return scoring.Scores(scorer).WriteLines(ctx, w, src, p.IDs)
}

// writeParts writes the output of all peers. Peer 0 writes its own part while the others write theirs to
// temporary files, and then appends their parts.
func writeParts(env *cli.Env, output string, write func(io.Writer) error) error {
	if env.Peers.Rank() > 0 {
		return sendPart(env, write)
	}
	return cli.WriteOutput(output, func(w io.Writer) error {
		if err := write(w); err != nil {
			return err
		}
		return env.Peers.CopyToFirst(w, nil, 0)
	})
}

// sendPart writes the part of a peer other than 0, and sends it to peer 0.
func sendPart(env *cli.Env, write func(io.Writer) error) error {
	g := env.Peers
	own, err := stream.Temporary()
	if err != nil {
		return fmt.Errorf("a temporary file for the scores of peer %d (TMPDIR chooses its folder): %w", g.Rank(),
			err)
	}
	defer own.Close()
	if err := write(own); err != nil {
		return err
	}
	size, err := own.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return g.CopyToFirst(nil, io.NewSectionReader(own, 0, size), size)
}
