package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
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
		if c.New == nil {
			continue
		}
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
