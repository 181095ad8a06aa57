package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
)

func newPredict(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "predict data=FILE input_model=FILE [output_result=FILE] [key=value]...",
		Short: "Score documents with a model",
		Long: `Score documents with a model: one score a line in the order of the data, in the
fewest digits that read back to the same number, or a TREC run (format=trec). With
predict_leaf_index a line has the leaf of each tree instead, and with predict_contrib
what each feature adds to the score, and last the mean score (SHAP values), with
tabs between.

The columns of a table are matched to the model's features by name, in any order; one
that the model uses must be there. Labels are not needed.`,
		Example: `  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart predict data=test.parquet input_model=model.txt group_column=name:query format=trec
  zstdcat test.zst | lambdamart predict data=- input_model=model.txt format=trec > run.txt`,
	}
	table := o.tableFor("task", "config", "data", "input_model", "output_result", "feature_base", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "format", "run_tag",
		"start_iteration_predict", "num_iteration_predict", "predict_leaf_index", "predict_contrib", "num_threads", "log_json", "verbosity")
	return withParameters(cmd, o, table, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runPredict(ctx, messages))
	})
}

func (o *options) runPredict(ctx context.Context, messages *console) error {
	if err := o.checkPredict(); err != nil {
		return err
	}
	model, _, err := readRanker(o.inputModel)
	if err != nil {
		return err
	}
	src, err := o.open(o.data, scoringRead, model.features(), messages)
	if err != nil {
		return err
	}
	defer src.Close()
	s, err := o.newScorer(model, src)
	if err != nil {
		return fmt.Errorf("%s: %w", o.inputModel, err)
	}
	start, documents := time.Now(), 0
	err = stream.WriteFile(o.outputResult, func(w io.Writer) (err error) {
		if o.format == formatTREC {
			documents, err = s.writeRun(ctx, w, src, o.runTag)
		} else {
			documents, err = s.writeLines(ctx, w, src)
		}
		return err
	})
	messages.endProgress()
	if err != nil {
		return err
	}
	s.remarks(messages)
	messages.emit(scoredEvent{Documents: documents, Seconds: number(time.Since(start).Seconds())})
	return nil
}

// checkPredict finds what is wrong before anything is read.
func (o *options) checkPredict() error {
	if err := checkPaths(o.outputResult, input{"data", o.data}, input{"input_model", o.inputModel}); err != nil {
		return err
	}
	if strings.ContainsAny(o.runTag, " \t\r\n") || o.runTag == "" {
		return usagef("run_tag=%s: must be one word", o.runTag)
	}
	if o.leafIndex && o.contributions || o.format == formatTREC && (o.leafIndex || o.contributions) {
		return usagef("format=trec, predict_leaf_index and predict_contrib exclude each other")
	}
	return nil
}

// writeLines writes the results of one row a line, with tabs between, and returns
// the number of rows. It goes block by block, so that memory does not grow with
// the data.
func (s *scorer) writeLines(ctx context.Context, w io.Writer, src *source) (documents int, err error) {
	var texts sync.Map // of the blocks that are under way, *dataset.Block to []byte
	work := func(worker int, b *dataset.Block) error {
		for i := range b.Len() {
			if err := s.add(worker, b.Row(i)); err != nil {
				return err
			}
		}
		_, results, err := s.take(worker)
		old, _ := texts.Load(b)
		text, _ := old.([]byte)
		texts.Store(b, appendLines(text[:0], results, s.width))
		return err
	}
	err = src.Stream(ctx, work, func(b *dataset.Block) error {
		documents += b.Len()
		text, _ := texts.Load(b)
		_, err := w.Write(text.([]byte))
		return err
	})
	return documents, err
}

// appendLines appends a line for each width numbers. Every number has the fewest
// digits that read back to the same float64.
func appendLines(dst []byte, numbers []float64, width int) []byte {
	for i, v := range numbers {
		dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		if (i+1)%width == 0 {
			dst = append(dst, '\n')
		} else {
			dst = append(dst, '\t')
		}
	}
	return dst
}

// writeRun writes "qid Q0 docid rank score tag" for each document, each query's
// by rank, and returns their number. Equal scores keep the order of the data. A
// document without an id is named by the number of its row, from 1.
func (s *scorer) writeRun(ctx context.Context, w io.Writer, src dataset.Source, tag string) (rows int, err error) {
	meta, scores, err := s.scoreAll(ctx, src)
	if err != nil {
		return 0, err
	}
	for _, q := range meta.Queries {
		rows := make([]int, q.Len)
		for i := range rows {
			rows[i] = q.First + i
		}
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		for rank, row := range rows {
			score := strconv.FormatFloat(scores[row], 'g', -1, 64)
			if _, err := fmt.Fprintln(w, q.ID, "Q0", document(meta, row), rank+1, score, tag); err != nil {
				return 0, err
			}
		}
	}
	return len(scores), nil
}

// document returns the name of a row's document.
func document(meta *dataset.Meta, row int) string {
	if meta.Docs != nil && meta.Docs[row] != "" {
		return meta.Docs[row]
	}
	return strconv.Itoa(row + 1)
}

// scoredEvent says how fast documents were scored, reading and writing included.
type scoredEvent struct {
	Documents int    `json:"documents"`
	Seconds   number `json:"seconds"`
}

func (e scoredEvent) kind() string { return "scored" }
func (e scoredEvent) level() int   { return 1 }

func (e scoredEvent) String() string {
	rate := float64(e.Documents) / max(float64(e.Seconds), 1e-9)
	return fmt.Sprintf("%s documents in %.3g s (%s a second)", thousands(e.Documents), float64(e.Seconds), thousands(int64(rate)))
}
