package train

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// writeReport writes the page of the trained model, or says that there is none because of a signal.
func (r *run) writeReport(ctx context.Context, all *data.Loaded, result *booster.Result) error {
	if r.Report == "" || result.Kept == 0 || r.Peers.Rank() > 0 {
		return nil
	}
	err := r.writePage(ctx, all, result)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		r.Messages.Warn("report=" + r.Report +
			": not written, because of the signal; lambdamart explain report= writes " +
			"such a page of a model and data")
		return cause
	}
	return err
}

// writePage writes the page. It explains the model for documents of the first validation set or, without one,
// of the training data.
func (r *run) writePage(ctx context.Context, all *data.Loaded, result *booster.Result) error {
	report := ofTraining(&r.Trees, all, r.judged, result)
	report.Path = r.OutputModel
	if r.Caller.Output != nil {
		report.Path = "of " + all.Training.Name
		ctx = context.WithoutCancel(ctx) // results are written even if the run was canceled
	} else if r.OutputModel != "-" {
		m, hash, err := cli.ReadModel(r.OutputModel, r.Messages)
		if err != nil {
			return err
		}
		if trees, ok := m.(*tree.Ensemble); ok {
			report.Model, report.Hash = trees, hash
		}
	}
	for _, set := range report.Sets {
		if r.Caller.IsPrivate(set[1]) {
			set[1] = ""
		}
	}
	documents := PageDocuments{Path: r.Data, Layout: r.Layout, Workers: r.Trees.NumThreads}
	documents.Name = r.Caller.Name(0, r.Data)
	documents.Sets = slices.DeleteFunc(append([]string{r.Data}, r.Valid...), r.Caller.IsPrivate)
	if len(r.Valid) > 0 {
		documents.Path, documents.Name = r.Valid[0], r.Caller.Name(1, r.Valid[0])
	}
	return WritePage(ctx, r.Report, report, documents, r.Messages)
}

// ofTraining returns the page of a model that was just trained, without its path and without figures of
// documents.
func ofTraining(p *booster.Params, all *data.Loaded, judged history, result *booster.Result) (
	report *explain.ModelReport) {
	report = &explain.ModelReport{Model: result.Model, Kept: result.Kept, Rounds: judged}
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		rows, queries := wording.Thousands(s.Meta.NumRows()), wording.Thousands(len(s.Meta.Queries))
		report.Sets = append(report.Sets, []string{s.Name, s.Path, rows, queries})
	}
	for _, row := range p.Table() {
		report.Settings = append(report.Settings, param.Setting{Name: row.Name, Value: row.Value.String()})
	}
	return report
}

// history holds the rounds of a training run in which metrics were evaluated.
type history []training.Round

// Add adds a round if it was evaluated. It drops the values of single queries, which would take much memory
// over many rounds.
func (h *history) Add(r training.Round) {
	if len(r.Evaluations) == 0 {
		return
	}
	r.Evaluations = slices.Clone(r.Evaluations)
	for i := range r.Evaluations {
		r.Evaluations[i].Result.PerQuery = nil
	}
	*h = append(*h, r)
}

// PageDocuments is the data for which a model is explained.
type PageDocuments struct {
	Path    string
	Name    string   // of the documents on the page; empty: Path
	Sets    []string // paths of all data of the page, including Path
	Layout  data.Layout
	Workers int
}

// WritePage writes the page of a model. Without documents, the page states the reason instead of figures.
func WritePage(ctx context.Context, path string, r *explain.ModelReport, d PageDocuments,
	messages *cli.Console) error {
	if r.Settings == nil {
		parameters, facts, _ := provenance.Parse(r.Model.Parameters) // empty for a model of another program
		r.Settings = append(facts, parameters...)
	}
	if err := addDocuments(ctx, r, d, messages); err != nil {
		return err
	}
	if err := addFiles(ctx, r, d.Sets); err != nil {
		return err
	}
	switch text := "report=" + path + ": " + r.Why; {
	case r.Why == "":
	case d.Path == "":
		messages.Note(text)
	default: // there is data, but not what the user asked for
		messages.Warn(text)
	}
	return cli.SaveFile(path, func(w io.Writer) error { return r.WriteHTML(w, cli.Identity()) }, messages)
}

// addDocuments explains the model for the documents, if possible.
func addDocuments(ctx context.Context, r *explain.ModelReport, d PageDocuments, messages *cli.Console) error {
	switch d.Path {
	case "":
		r.Why = "There is no data, so that figures of documents are left out; data= names it."
		return nil
	case "-":
		r.Why = "Data from standard input cannot be read again, so that figures of documents are left out."
		return nil
	}
	name := cmp.Or(d.Name, d.Path)
	src, err := data.OpenFor(r.Model, d.Path, data.Options{Layout: d.Layout, Workers: d.Workers, Docs: true,
		Progress: messages.Reading()})
	if errors.Is(err, data.ErrBinned) {
		r.Why = name + " is stored as bins, which have no values, so that figures of documents " +
			"are left out."
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	defer messages.EndProgress()
	o := explain.DefaultOptions()
	o.Workers, o.Progress = d.Workers, messages.Steadily()
	loaded, err := explain.Load(ctx, src, r.Model, o)
	overview := &explain.Report{Data: name}
	if err == nil {
		err = overview.Overview(ctx, loaded, 0.95)
	}
	if err == nil {
		r.Documents, r.Overview = loaded, overview
	}
	for _, unexplained := range []error{tree.ErrLinear, tree.ErrCounts, tree.ErrLarge, explain.ErrNoGrades,
		explain.ErrGrade} {
		if errors.Is(err, unexplained) {
			r.Why = "Figures of documents are left out: " + err.Error() + "."
			return nil
		}
	}
	return err
}

// addFiles adds the files of the sets, each once, with their checksums.
func addFiles(ctx context.Context, r *explain.ModelReport, sets []string) error {
	var all []string
	for _, path := range sets {
		files, err := filesOf(path)
		if err != nil {
			return err
		}
		all = append(all, files...)
	}
	for i, file := range all {
		if slices.Contains(all[:i], file) {
			continue
		}
		size, sum, err := stream.Checksum(ctx, file)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, []string{file, wording.Thousands(size), sum})
	}
	return nil
}

// filesOf returns the files of the data at path: the file, or the files in the folder in the order of their
// names, and existing companions. Standard input has none.
func filesOf(path string) (files []string, err error) {
	if path == "-" {
		return nil, nil
	}
	err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	for _, ending := range data.Companions(path) {
		companion := filepath.Clean(path) + ending
		if _, err := os.Stat(companion); err == nil {
			files = append(files, companion)
		}
	}
	return files, err
}
