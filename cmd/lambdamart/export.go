package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/internal/target"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/solr"
	"github.com/lambdamart/lambdamart/io/model/vectors"
	"github.com/lambdamart/lambdamart/tree"
)

func newExport(messages *console) *cobra.Command {
	o := newOptions()
	var targets strings.Builder
	for _, t := range exportTargets {
		fmt.Fprintf(&targets, "  %-13s %s\n", t.name, t.help)
	}
	cmd := &cobra.Command{
		Use:   "export FILE to=TARGET output=FILE [key=value]...",
		Short: "Write a model in the form that another engine loads",
		Long: `Write a model in the form that another engine loads:

` + targets.String() + `
Every value goes the same way as in the model: thresholds are converted to the
numbers and comparisons of the engine. What an engine cannot hold is refused by name.
With vectors=N, rows and the scores that the engine must give them are written to a
second file; what is written is read back and checked in any case.`,
		Example: `  lambdamart export model.txt to=solr features=names.tsv output=model.json vectors=200
  lambdamart export model.txt --to xgboost-json --engine opensearch-3.5 --output model.json`,
	}
	withParameters(cmd, o, o.tableFor("input_model", "config", "to", "output", "features", "vectors", "vectors_file", "engine", "version",
		"model_name", "feature_store", "number_type", "no_missing", "feature_base", "num_iteration_predict", "seed", "log_json", "verbosity"), messages, func(context.Context) error {
		return o.runExport(messages)
	})
	filesFirst(cmd, "input_model")
	return cmd
}

// filesFirst lets the values of some parameters stand first, without their names.
func filesFirst(cmd *cobra.Command, parameters ...string) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for i := range min(len(args), len(parameters)) {
			if strings.Contains(args[i], "=") {
				break
			}
			args[i] = parameters[i] + "=" + args[i]
		}
		return run(cmd, args)
	}
}

func (o *options) runExport(messages *console) error {
	x := &o.export
	t, err := o.checkExport()
	if err != nil {
		return err
	}
	original, hash, err := readModel(o.inputModel)
	if err != nil {
		return err
	}
	e, err := x.prepared(original.First(o.numIterations))
	if err != nil {
		return err
	}
	text, err := x.render(t, e)
	if err != nil {
		return fmt.Errorf("%s: %w", o.inputModel, err)
	}
	if err := x.checkWritten(t, e, text, o.train.Seed); err != nil {
		return err
	}
	if err := saveFile(o.output, func(w io.Writer) error { _, err := w.Write(text); return err }, messages); err != nil {
		return err
	}
	x.remarks(t, e, len(text), messages)
	if x.vectors == 0 {
		return nil
	}
	set := x.vectorsOf(t, e, x.vectors, o.train.Seed)
	set.Model = hash
	taken, sides := set.Coverage(e)
	messages.emit(noteEvent{fmt.Sprintf("%d vectors take %d of the %d ways out of the model's splits", x.vectors, taken, sides)})
	return saveFile(x.vectorsPath(o.output), set.Write, messages)
}

// prepared returns the model with the engine's names.
func (x *exportOptions) prepared(e *tree.Ensemble) (*tree.Ensemble, error) {
	e, err := renamed(e, x.features)
	if err == nil && x.to == toRankLib && x.features != "" {
		return withOrdinals(e, x.features)
	}
	return e, err
}

// checkExport finds what is wrong before anything is read.
func (o *options) checkExport() (t *exportTarget, err error) {
	x := &o.export
	t = x.findTarget()
	if t == nil {
		return nil, usagef("to is missing: give one of %s", strings.Join(targetNames(), ", "))
	}
	if err := checkPaths(o.output, input{"input_model", o.inputModel}); err != nil {
		return nil, err
	}
	if x.vectors > 0 && x.vectorsFile == "" && (o.output == "" || o.output == "-") {
		return nil, usagef("vectors=%d: the model goes to standard output; name a file for the vectors: vectors_file=FILE", x.vectors)
	}
	for _, other := range []string{"version", "model_name", "feature_store", "number_type", "feature_base"} {
		if slices.Contains(o.given, other) && !slices.Contains(t.parameters, other) {
			return nil, usagef("%s has no meaning for to=%s", other, x.to)
		}
	}
	if x.firstOrdinal = o.layout.FeatureBase; x.features != "" && slices.Contains(o.given, "feature_base") {
		return nil, usagef("features and feature_base both number the features; give one of them")
	}
	if x.loadedBy, err = parseEngine(x.engine); err != nil {
		return nil, err
	}
	return t, t.checkEngine(x.loadedBy)
}

// checkEngine refuses an engine that does not load the form.
func (t *exportTarget) checkEngine(e engine) error {
	var names []string
	for _, each := range t.engines {
		switch v := each.version; {
		case each.name != e.name:
			names = append(names, each.name)
		case e.before(v[0], v[1], v[2]):
			return usagef("engine=%v: to=%s is loaded from %v on", e, t.name, each)
		default:
			return nil
		}
	}
	if e.name == "" {
		return nil
	}
	return usagef("engine=%v: to=%s is loaded by %s", e, t.name, cmp.Or(strings.Join(names, " and "), "no engine whose version matters"))
}

// render returns the file's content.
func (x *exportOptions) render(t *exportTarget, e *tree.Ensemble) ([]byte, error) {
	if err := x.checkMissing(t, e); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err := t.write(&text, e, x)
	if errors.Is(err, target.ErrMissing) && t.name == toSolr && x.loadedBy.name == "" {
		err = fmt.Errorf("%w; engine=solr-9.2 writes it for Solr 9.2 and newer", err)
	}
	return text.Bytes(), err
}

// checkMissing refuses a model whose missing values the given engine sends elsewhere.
// All else is the writers' matter.
func (x *exportOptions) checkMissing(t *exportTarget, e *tree.Ensemble) error {
	rule := t.missing(x.loadedBy)
	if x.noMissing || rule == target.MissingSide || x.loadedBy.name == "" {
		return nil
	}
	able := target.Abilities{Engine: x.loadedBy.String(), Missing: rule, ZeroMissing: true, Categorical: true, Linear: true, Average: true}
	if err := able.Check(e); err != nil {
		return fmt.Errorf("%w; with no_missing=true it is written for rows without missing values", err)
	}
	return nil
}

// vectorsOf makes test vectors for a model with the engine's names.
func (x *exportOptions) vectorsOf(t *exportTarget, e *tree.Ensemble, rows int, seed uint64) *vectors.Set {
	options := vectors.Options{
		Rows: rows, Seed: seed, Arithmetic: t.arithmetic, Float32: t.float32, InOrder: t.inOrder, Missing: !x.noMissing,
	}
	if t.name == toSolr {
		options.Exclude = astray(solr.Inexact(e))
	}
	set := vectors.Generate(e, options)
	set.Target = t.name
	return set
}

// astray tells which values Solr sends the other way.
func astray(list []solr.Astray) func(feature int, x float64) bool {
	return func(feature int, x float64) bool {
		return slices.ContainsFunc(list, func(a solr.Astray) bool {
			return a.Feature == feature && float64(a.Above) < x && x <= float64(a.To)
		})
	}
}

// checkWritten reads the content back and scores test vectors: a mistake of ours
// must not get to an engine.
func (x *exportOptions) checkWritten(t *exportTarget, e *tree.Ensemble, text []byte, seed uint64) error {
	back, _, err := model.Read(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("what would be written cannot be read back; please report this: %w", err)
	}
	report, err := x.vectorsOf(t, e, max(x.vectors, 200), seed).Check(back)
	if err != nil {
		return fmt.Errorf("what would be written has other features; please report this: %w", err)
	}
	if report.Different > 0 {
		return fmt.Errorf("what would be written scores %d of %d test vectors otherwise, by up to %g; nothing was written; please report this", report.Different, report.Rows, report.Worst)
	}
	return nil
}

// zooKeeperLimit is the default size of what Solr's managed store keeps, in bytes.
const zooKeeperLimit = 1 << 20

// remarks tells what the user should know about the file.
func (x *exportOptions) remarks(t *exportTarget, e *tree.Ensemble, size int, messages *console) {
	if t.name == toSolr {
		if list := solr.Inexact(e); len(list) > 0 {
			widest := slices.MaxFunc(list, func(a, b solr.Astray) int { return cmp.Compare(a.To-a.Above, b.To-b.Above) })
			messages.emit(noteEvent{fmt.Sprintf("Solr adds 1e-6 to thresholds, which cannot be made up for at %d of them: float32 values just beside these go the other way; the widest gap is that of %q, above %g up to %g",
				len(list), e.Features[widest.Feature].Name, widest.Above, widest.To)})
		}
		if size > zooKeeperLimit {
			messages.emit(noteEvent{"the file is larger than 1 MB, which ZooKeeper refuses by default: raise jute.maxbuffer, or use Solr's DefaultWrapperModel"})
		}
	}
	x.remarkOnVersions(t, e, messages)
}

// remarkOnVersions tells of engines that would score missing values otherwise, if no
// engine is given.
func (x *exportOptions) remarkOnVersions(t *exportTarget, e *tree.Ensemble, messages *console) {
	if x.noMissing || x.loadedBy.name != "" {
		return
	}
	for _, each := range []struct {
		engine engine
		name   string
	}{
		{engine{elasticsearch, [3]int{8, 11, 3}}, "Elasticsearch LTR before 8.11.4"},
		{engine{opensearch, [3]int{3, 1, 0}}, "OpenSearch LTR before 3.2"},
		{engine{opensearch, [3]int{3, 7, 0}}, "OpenSearch LTR 3.2 to 3.7"},
	} {
		able := target.Abilities{Missing: t.missing(each.engine), ZeroMissing: true, Categorical: true, Linear: true, Average: true}
		if t.checkEngine(each.engine) == nil && able.Check(e) != nil {
			messages.emit(noteEvent{fmt.Sprintf("%s sends missing values elsewhere than this model does: %v; engine=%v checks for that version", each.name, able.Missing, each.engine)})
		}
	}
}

func (x *exportOptions) vectorsPath(output string) string {
	return cmp.Or(x.vectorsFile, output+vectorsEnding)
}

// vectorsEnding is added to the name of an exported file.
const vectorsEnding = ".vectors.json"
