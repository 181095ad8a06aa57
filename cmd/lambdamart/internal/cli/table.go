package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// The headings of parameters, in the order of help. Other headings follow in the order of their first
// parameters.
const (
	GroupFiles    = "Files"
	GroupScoring  = "Scoring"
	GroupMessages = "Messages"
	GroupBench    = "Bench"
	GroupJudging  = "Judging"
	GroupExport   = "Export"
)

var groups = []string{GroupFiles, GroupScoring, GroupMessages, GroupBench, GroupJudging, GroupExport}

// common holds the values of the parameters that the frame adds to those of a command.
type common struct {
	task      string
	config    string
	logJSON   bool
	verbosity int
}

// The names of parameters that determine the command and its settings.
const (
	taskName   = "task"
	configName = "config"
)

// ownTable returns the parameters that have an effect on a command, bound to its task and to shared.
func (p *Program) ownTable(c *Command, task Task, shared *common) param.Table {
	*shared = common{verbosity: 1}
	var t param.Table
	if c.Tasks != nil {
		tasks := p.tasks()
		shared.task = tasks[0]
		t = append(t, param.Parameter{Name: taskName, Aliases: []string{"task_type"}, Group: GroupFiles,
			Help:  "The command to run where the command line does not name one.",
			Value: bind.Choice(&shared.task, tasks...)})
	}
	t = append(t, param.Parameter{Name: configName, Aliases: []string{"config_file"}, Group: GroupFiles,
		File:  param.Read,
		Help:  "File of key = value lines, as LightGBM's train.conf. The command line takes precedence.",
		Value: bind.Text(&shared.config)})
	t = append(t, task.Table()...)
	return grouped(append(t,
		param.Parameter{Name: "log_json", Group: GroupMessages,
			Help:  "Messages as JSON, one object a line.",
			Value: bind.Bool(&shared.logJSON)},
		param.Parameter{Name: "verbosity", Aliases: []string{"verbose"}, Group: GroupMessages,
			Help: "Below 0: errors only; 0: warnings too; 1: everything; 2: also each request of serve and each " +
				"checkpoint.",
			Value: bind.Int(&shared.verbosity)},
	))
}

// grouped sorts a table by heading. The order of rows under a heading is kept.
func grouped(t param.Table) param.Table {
	order := slices.Concat(groups, headings(t))
	slices.SortStableFunc(t, func(a, b param.Parameter) int {
		return slices.Index(order, a.Group) - slices.Index(order, b.Group)
	})
	return t
}

// Parameters returns the parameters of all commands, without duplicates, and the parameters of LightGBM that
// are accepted without effect. The help of a row lists the commands in which it has another default.
func (p *Program) Parameters() param.Table {
	var all param.Table
	for i := range p.Commands {
		c := &p.Commands[i]
		for _, own := range p.ownTable(c, c.New(), new(common)) {
			row := all.Find(own.Name)
			if row == nil {
				all = append(all, own)
			} else if value := own.Value.String(); value != row.Value.String() && !c.Hidden {
				row.Help += fmt.Sprintf(" In %s, the default is %s.", c.Name, cmp.Or(value, "empty"))
			}
		}
	}
	return WithLightGBM(grouped(all))
}

// WithLightGBM adds the parameters of LightGBM that a table lacks, without effect.
func WithLightGBM(t param.Table) param.Table {
	for _, row := range inertTable() {
		if !slices.ContainsFunc(t, func(p param.Parameter) bool { return p.Name == row.Name }) {
			t = append(t, row)
		}
	}
	return t
}

// Rows returns the rows of t with the given names, in the order of t. It panics if one is missing.
func Rows(t param.Table, names ...string) param.Table {
	var rows param.Table
	for _, p := range t {
		if slices.Contains(names, p.Name) {
			rows = append(rows, p)
		}
	}
	if len(rows) != len(names) {
		panic("cli: Rows: a name is not that of a parameter")
	}
	return rows
}

// Without returns the rows of t except those with the given names.
func Without(t param.Table, names ...string) param.Table {
	return slices.DeleteFunc(slices.Clone(t), func(p param.Parameter) bool {
		return slices.Contains(names, p.Name)
	})
}

// BinRows returns the parameters of bins and their columns, of the seed and of the number of threads.
func BinRows(p *booster.Params) param.Table {
	return Rows(p.Table(), "seed", "num_threads",
		"max_bin", "max_bin_by_feature", "min_data_in_bin", "bin_construct_sample_cnt",
		"is_enable_sparse", "use_missing", "zero_as_missing", "categorical_feature", "query_context",
		"query_context_features")
}

// Data is the row of the data that a command reads.
func Data(dst *string) param.Parameter {
	return param.Parameter{Name: "data", Aliases: []string{"train", "train_data", "train_data_file",
		"data_filename"}, Group: GroupFiles, File: param.Read,
		Help: "Data: LETOR (SVMlight) text, CSV or TSV, plain, gzip or zstd; Parquet; a folder of parts; or " +
			"what lambdamart bin stored, for commands that train. - is standard input.",
		Value: bind.Text(dst)}
}

// Valid is the row of the validation sets.
func Valid(dst *[]string) param.Parameter {
	return param.Parameter{Name: "valid", Aliases: []string{"test", "valid_data", "valid_data_file", "test_data",
		"test_data_file", "valid_filenames"}, Group: GroupFiles, File: param.Read,
		Help: "Validation sets, which messages call valid_1, valid_2 and so on: files separated by commas, or " +
			"the parameter given several times.",
		Value: bind.Texts(dst), Repeat: true}
}

// InputModel is the row of the model that a command reads.
func InputModel(dst *string) param.Parameter {
	return param.Parameter{Name: "input_model", Aliases: []string{"model_input", "model_in"}, Group: GroupFiles,
		File: param.Read,
		Help: "Model to read: of this program, trees or a network, of LightGBM, XGBoost or RankLib, " +
			"or one that was exported.",
		Value: bind.Text(dst)}
}

// OutputModel is the row of the model that a command writes.
func OutputModel(dst *string) param.Parameter {
	return param.Parameter{Name: "output_model", Aliases: []string{"model_output", "model_out"},
		Group: GroupFiles, File: param.Written,
		Help: "Model to write: trees in LightGBM's text form; a network in its own format, by default" +
			" model.nn.",
		Value: bind.Text(dst)}
}

// Output is the row of the file or folder that a command writes.
func Output(dst *string) param.Parameter {
	return param.Parameter{Name: "output", Group: GroupFiles, File: param.Written,
		Help: "bin: binned data to write; without it, the name of data with .bin at its end. bench: folder of " +
			"the results. export: the exported model; without it, standard output. model: the edited model. " +
			"transform: the data with new columns.",
		Value: bind.Text(dst)}
}

// JSON is the row of the parameter for results as JSON.
func JSON(dst *bool) param.Parameter {
	return param.Parameter{Name: "json", Group: GroupJudging,
		Help:  "Print results as one JSON object.",
		Value: bind.Bool(dst)}
}

// Tables is the row of the style of tables in results that are printed as text.
func Tables(dst *string) param.Parameter {
	return param.Parameter{Name: "tables", Group: GroupJudging,
		Help: "Style of printed tables: text, or markdown or latex (with the package booktabs; other lines are " +
			"comments) for a document.",
		Value: bind.Choice(dst, report.Styles...)}
}

// TestSeed is the row of the seed of intervals and tests.
func TestSeed(dst *uint64) param.Parameter {
	return param.Parameter{Name: "test_seed", Group: GroupJudging,
		Help:  "Seed of intervals and randomization: the same seed gives the same figures.",
		Value: bind.Uint64(dst)}
}

// Report is the row of the page that a command writes.
func Report(dst *string) param.Parameter {
	return param.Parameter{Name: "report", Group: GroupFiles, File: param.Written,
		Help: "HTML page to write, one file that needs no network: for explain, its explanations; for" +
			" train and model, the model, with learning curves, importance, contributions, a tree " +
			"and the queries that lose most; for cv, folds, learning curves and out-of-fold values;" +
			" for select, the steps and the features; for compare, differences query by query; for eval, the means, " +
			"segments and, with metric=ece, log_loss or brier, a reliability diagram.",
		Value: OwnFile(dst)}
}

// OwnFile binds the name of an output that cannot share standard output with what the command prints.
func OwnFile(dst *string) param.Value {
	return bind.Checked(bind.Text(dst), "", func() error {
		if *dst == "-" {
			return errors.New("standard output has what the command prints; name a file")
		}
		return nil
	})
}

// NumIterationPredict is the row of the number of trees to use.
func NumIterationPredict(dst *int) param.Parameter {
	return param.Parameter{Name: "num_iteration_predict", Group: GroupScoring,
		Help:  "Number of trees that are used; all if below 1.",
		Value: bind.Int(dst)}
}

// VectorsFile is the row of the file of test vectors.
func VectorsFile(dst *string) param.Parameter {
	return param.Parameter{Name: "vectors_file", Group: GroupExport, File: param.Written,
		Help:  "File of the test vectors; without it, the name of the exported file with .vectors.json at its end.",
		Value: OwnFile(dst)}
}

// Training is the row of a training parameter, bound to the command's own value.
func Training(name string, value param.Value) param.Parameter {
	p := booster.DefaultParams()
	row := *p.Table().Find(name)
	row.Value = value
	return row
}

// NumThreads is the row of the number of threads; 0 means one for each processor.
func NumThreads(dst *int) param.Parameter {
	return Training("num_threads", bind.Int(dst, bind.AtLeast(0)))
}

// GroupCalibration is the heading of parameters of probabilities.
const GroupCalibration = "Calibration"

// CalibrationLabel returns the row of the event.
func CalibrationLabel(dst *string) param.Parameter {
	return param.Parameter{Name: "calibration_label", Group: GroupCalibration,
		Help: "The event whose probability is meant: at least this grade, grade>=2, or at least this value of " +
			"one of several labels, purchase>=1. If it is empty, the event is that of the model's calibration, or " +
			"grade>=1 without one.",
		Value: bind.Text(dst)}
}

// Event returns the event in a value of calibration_label. labels are those of label_columns, if it is given.
func Event(text string, labels []string) (tree.Event, error) {
	e, err := tree.ParseEvent(strings.ReplaceAll(text, " ", ""))
	named := len(labels) > 1
	switch {
	case err != nil:
		return e, &UsageError{Err: err}
	case named && e.Label == "" && slices.Contains(labels[1:], "grade"):
		return e, Usagef("calibration_label=%s: grade stands for the first label, and another one has that name; "+
			"put it first in label_columns", text)
	case named && e.Label != "" && !slices.Contains(labels, e.Label):
		return e, Usagef("calibration_label=%s: label_columns names no %s; there are %s", text, e.Label,
			strings.Join(labels, ", "))
	}
	return e, nil
}
