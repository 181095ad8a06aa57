package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/letor"
	"github.com/lambdamart/lambdamart/io/stream"
)

func newPredict(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "predict data=FILE input_model=FILE [output_result=FILE] [key=value]...",
		Short: "Score documents with a model",
		Long: `Score documents with a model: one score a line in the order of the data, in the
fewest digits that read back to the same number, or a TREC run (format=trec).`,
		Example: `  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  zstdcat test.zst | lambdamart predict data=- input_model=model.txt format=trec > run.txt`,
	}
	table := o.tableFor("task", "config", "data", "input_model", "output_result", "feature_base", "format", "run_tag",
		"start_iteration_predict", "num_iteration_predict", "num_threads", "log_json", "verbosity")
	return withParameters(cmd, o, table, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runPredict(ctx, cmd.OutOrStdout(), messages))
	})
}

func (o *options) runPredict(ctx context.Context, stdout io.Writer, messages *console) error {
	if err := checkPaths(o.outputResult, input{"data", o.data}, input{"input_model", o.inputModel}); err != nil {
		return err
	}
	if strings.ContainsAny(o.runTag, " \t\r\n") || o.runTag == "" {
		return usagef("run_tag=%s: must be one word", o.runTag)
	}
	model, _, err := readModel(o.inputModel)
	if err != nil {
		return err
	}
	src, err := o.open(o.data, scoringRead, messages)
	if err != nil {
		return err
	}
	defer src.Close()
	s, err := o.newScorer(model, src.Workers())
	if err != nil {
		return fmt.Errorf("%s: %w", o.inputModel, err)
	}
	err = stream.WriteFile(o.outputResult, func(w io.Writer) error {
		if o.format == formatTREC {
			return s.writeRun(ctx, w, src, o.runTag)
		}
		return s.writeScores(ctx, w, src)
	})
	messages.endProgress()
	if err == nil {
		s.remarks(messages)
	}
	return err
}

// writeScores writes one score a line, block by block, so that memory does not
// grow with the data.
func (s *scorer) writeScores(ctx context.Context, w io.Writer, src *letor.File) error {
	scoreBlock := func(worker int, b *letor.Block) error {
		for i := range b.Len() {
			if err := s.add(worker, b.Row(i)); err != nil {
				return err
			}
		}
		_, scores, err := s.take(worker)
		copy(b.Scores, scores)
		return err
	}
	var text []byte
	return src.Stream(ctx, scoreBlock, func(b *letor.Block) error {
		text = text[:0]
		for _, score := range b.Scores {
			text = append(appendScore(text, score), '\n')
		}
		_, err := w.Write(text)
		return err
	})
}

// writeRun writes "qid Q0 docid rank score tag" for each document, each query's
// by rank. Equal scores keep the order of the data. A document without an id is
// named by the number of its row, from 1.
func (s *scorer) writeRun(ctx context.Context, w io.Writer, src dataset.Source, tag string) error {
	meta, scores, err := s.scoreAll(ctx, src)
	if err != nil {
		return err
	}
	for _, q := range meta.Queries {
		rows := make([]int, q.Len)
		for i := range rows {
			rows[i] = q.First + i
		}
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		for rank, row := range rows {
			_, err := fmt.Fprintf(w, "%s Q0 %s %d %s %s\n", q.ID, document(meta, row), rank+1, appendScore(nil, scores[row]), tag)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func document(meta *dataset.Meta, row int) string {
	if meta.Docs != nil && meta.Docs[row] != "" {
		return meta.Docs[row]
	}
	return strconv.Itoa(row + 1)
}

// appendScore appends the fewest digits that read back to the same float64.
func appendScore(dst []byte, score float64) []byte {
	return strconv.AppendFloat(dst, score, 'g', -1, 64)
}
