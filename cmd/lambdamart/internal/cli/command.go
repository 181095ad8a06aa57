package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// newCommand returns the command of an entry, which passes its execution to choose.
func (p *Program) newCommand(c *Command, choose func(*execution)) *cobra.Command {
	cmd := &cobra.Command{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example, Hidden: c.Hidden}
	e := &execution{program: p, command: c, task: c.New(), Env: Env{Peers: p.Peers, Caller: &p.Caller}}
	if e.Table = p.ownTable(c, e.task, &e.common); !c.Hidden {
		e.Table = WithLightGBM(e.Table)
	}
	e.defineFlags(cmd)
	cmd.Run = func(_ *cobra.Command, args []string) {
		e.args = args
		choose(e)
	}
	return cmd
}

// names lists the names of the commands that have a property.
func (p *Program) names(have func(*Command) bool) string {
	var names []string
	for i := range p.Commands {
		if c := &p.Commands[i]; have(c) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// execution is a command with its task, before and while it runs.
type execution struct {
	program *Program
	command *Command
	task    Task
	common
	Env
	flags []param.Setting // that were given as flags
	args  []string        // the other arguments
}

// defineFlags defines flags for the parameters, and their help.
func (e *execution) defineFlags(cmd *cobra.Command) {
	addFlags(cmd.Flags(), e.Table, &e.flags)
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagsInUseLine = true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return e.flagError(err) })
	cmd.ValidArgsFunction = completeWith(e.Table)
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		cmd.Print(usage(cmd, e.help()))
		return nil
	})
	if e.command.Main != nil {
		cmd.Long, _, _ = strings.Cut(cmd.Long, "\n\n")
	}
}

// usage returns how a command is called, with the help of parameters.
func usage(cmd *cobra.Command, parameters string) string {
	return fmt.Sprintf("Usage:\n  %s\n\nExample:\n%s\n\nParameters, with their defaults; also as flags "+
		"(--num-leaves 63):\n\n%s", cmd.UseLine(), cmd.Example, parameters)
}

// help returns the help of the most important parameters.
func (e *execution) help() string {
	if e.command.Main == nil {
		return helpOf(e.Table)
	}
	return fmt.Sprintf("%s\nlambdamart help %s all explains all parameters, help num_leaves one of them.\n",
		briefHelp(e.Table, e.command.Main), e.command.Name)
}

// prepare sets the parameters, reserves the outputs until release is called, and validates everything that
// can be checked before data is read.
func (e *execution) prepare() (release func(), err error) {
	if err := e.checkCaller(); err != nil {
		return nil, err
	}
	if err := e.configure(); err != nil {
		return nil, err
	}
	if err := checkFiles(e.Table, e.Words); err != nil {
		return nil, err
	}
	if release, err = e.reserve(); err != nil {
		return nil, err
	}
	if err = e.check(); err != nil {
		release()
	}
	return release, err
}

// checkCaller returns an error if the command runs in one process and a launcher has started several, or if
// it takes no functions and the caller has some.
func (e *execution) checkCaller() error {
	c := e.command
	if n := e.Peers.Size(); n > 1 && !c.Peers {
		return Usagef("%s runs in one process, and a launcher has started %d; several can share the work of %s",
			c.Name, n, e.program.names(func(c *Command) bool { return c.Peers }))
	}
	if own := &e.Caller.Own; !c.Functions && (own.Objective != nil || own.Metrics != nil) {
		return Usagef("%s takes no functions: name an objective and metrics that are built in", c.Name)
	}
	return nil
}

// check returns an error for invalid parameters of the task, or if its outputs cannot be written.
func (e *execution) check() error {
	for _, name := range e.command.Needs {
		if e.Table.Find(name).Value.String() == "" {
			return Usagef("%s is missing: give %s=FILE", name, name)
		}
	}
	if checker, ok := e.task.(Checker); ok {
		if err := checker.Check(&e.Env); err != nil {
			return err
		}
	}
	if e.Peers.Rank() > 0 { // peer 0 writes
		return nil
	}
	return e.probe()
}

// configure sets the parameters from all settings, and adds the settings to e.
func (e *execution) configure() error {
	if err := e.read(e.arguments()); err != nil {
		return err
	}
	if _, err := e.Table.Apply(e.Caller.Defaults); err != nil {
		return err
	}
	config, others := e.ofOthers(e.Config)
	line, foreign := e.ofOthers(e.Line)
	effective, err := e.Table.Apply(config, line)
	if err != nil {
		return &UsageError{err}
	}
	for _, s := range slices.Concat(effective, others, foreign) {
		if why := e.command.Refused[s.Name]; why != "" && s.Value != "" {
			return Usagef("%s=%s: %s", s.Name, s.Value, why)
		}
	}
	if err := e.checkTask(line); err != nil {
		return err
	}
	var errs []error
	for _, s := range foreign {
		errs = append(errs, e.errForeign(s.String(), s.Name))
	}
	if err := Usage(errors.Join(errs...)); err != nil {
		return err
	}
	for _, s := range effective {
		e.Given = append(e.Given, s.Name)
	}
	e.Messages.json = e.logJSON || e.Messages.texts
	e.Messages.level = slog.LevelWarn - 4*slog.Level(max(-1, min(e.verbosity, 2))) // levels are 4 apart
	e.tellIgnored(others, effective)
	return nil
}

// ofOthers divides settings into those of parameters that the command has, or that no command has, and those,
// under their proper names, that only other commands have. A strict caller has no configuration files that
// serve several commands, so that the latter are unknown.
func (e *execution) ofOthers(settings []param.Setting) (own, others []param.Setting) {
	for _, s := range settings {
		row := (*param.Parameter)(nil)
		if e.Table.Find(s.Name) == nil && !e.Caller.Strict {
			row = e.program.Parameters().Find(s.Name)
		}
		if row == nil {
			own = append(own, s)
			continue
		}
		others = append(others, param.Setting{Name: row.Name, Value: s.Value, Place: s.Place})
	}
	return own, others
}

// errForeign is the error for a parameter that only other commands have.
func (e *execution) errForeign(setting, name string) error {
	return fmt.Errorf("%s: %s has no such parameter%s", setting, e.command.Name, e.suggestion(name))
}

// arguments returns the arguments as key=value, converting parameters in other forms.
func (e *execution) arguments() []string {
	args := slices.Clone(e.args)
	for i := range min(len(args), len(e.command.Files)) {
		if strings.Contains(args[i], "=") {
			break
		}
		args[i] = e.command.Files[i] + "=" + args[i]
	}
	if !e.command.Words {
		return args
	}
	var settings []string
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			settings = append(settings, arg)
		} else {
			e.Words = append(e.Words, arg)
		}
	}
	return settings
}

// read reads the settings of the configuration file, if one is named, and of the command line.
func (e *execution) read(args []string) error {
	if err := e.checkWords(args); err != nil {
		return err
	}
	given, err := param.ParseArgs(args)
	if err != nil {
		return &UsageError{err}
	}
	e.Line = append(slices.Clone(e.flags), given...)
	path := valueOf(e.Table, e.Line, configName)
	if path == "" {
		return nil
	}
	if e.Config, err = readConfig(path); err != nil {
		return err
	}
	if nested := valueOf(e.Table, e.Config, configName); nested != "" {
		return Usagef("%s: a configuration file cannot name another (config=%s)", path, nested)
	}
	return checkContents(e.Table, e.Config, e.Line)
}

// checkWords returns an error for arguments without "=", with a suggestion.
func (e *execution) checkWords(args []string) error {
	var errs []error
	for _, arg := range args {
		if !strings.Contains(arg, "=") {
			errs = append(errs, fmt.Errorf("%q: expected key=value; %s", arg, e.remedy(arg)))
		}
	}
	return Usage(errors.Join(errs...))
}

// remedy returns what to write instead of an argument without "=".
func (e *execution) remedy(word string) string {
	if isYAML(word) {
		return gone.Why(gone.File, gone.YAML)
	}
	if row := e.Table.Find(word); row != nil {
		return fmt.Sprintf("write %s=VALUE, without blanks around the '='", row.Name)
	}
	_, err := os.Stat(word)
	var ways []string
	for _, file := range []struct{ name, is string }{{"data", "the data"}, {"input_model", "the model"}} {
		if row := e.Table.Find(file.name); err == nil && row != nil && !row.Inert {
			ways = append(ways, fmt.Sprintf("if this is %s, write %s=%s", file.is, file.name, word))
		}
	}
	if ways == nil {
		return fmt.Sprintf("lambdamart help %s lists the parameters", e.command.Name)
	}
	return strings.Join(ways, "; ")
}

// checkTask returns an error if task= on the command line names another command.
func (e *execution) checkTask(line []param.Setting) error {
	task := valueOf(e.Table, line, taskName)
	if task == "" {
		return nil
	}
	if wanted, err := e.program.commandOf(task); err != nil || wanted != e.command.Name {
		return Usagef("task=%s contradicts the command %s", task, e.command.Name)
	}
	return nil
}

// tellIgnored reports the settings without an effect: those of parameters that only other commands have, in a
// configuration file, which may serve several commands, and those that only LightGBM has.
func (e *execution) tellIgnored(others, effective []param.Setting) {
	var names []string
	for _, s := range others {
		if e.Table.Like(s.Name) != "" {
			e.Messages.Warn(fmt.Sprintf("%v has no effect: %s has no such parameter%s", s, e.command.Name,
				e.suggestion(s.Name)))
		} else if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	for _, s := range effective {
		switch hint := wording.Hint(s.Name); {
		case !e.Table.Find(s.Name).Inert:
		case hint != "" && gone.Why(gone.Parameter, s.Name) == "":
			e.Messages.Warn(fmt.Sprintf("%v has no effect; %s", s, hint))
		default:
			names = append(names, s.Name)
		}
	}
	if names != nil {
		e.Messages.Note("accepted without effect: " + strings.Join(names, ", "))
	}
}

// suggestion ends the message about a parameter that the command lacks.
func (e *execution) suggestion(name string) string {
	outputs := []string{"output_model", "output_result", "output"} // a command has one of them
	if slices.Contains(outputs, name) {
		for _, output := range outputs {
			if e.Table.Find(output) != nil {
				return "; did you mean " + output + "?"
			}
		}
	}
	if instead := e.command.Instead[name]; instead != "" {
		return "; " + instead
	}
	if why := OfModels(name); why != "" {
		return "; " + why
	}
	if like := e.Table.Like(name); like != "" {
		return "; did you mean " + like + "?"
	}
	return "; lambdamart help " + name + " lists the commands that have it"
}

// OfModels says why what reads a model lacks a parameter of reading data for training, or returns "". Others,
// such as ignore_column, say what is in a file: a column of texts must be left out whatever reads it.
func OfModels(name string) string {
	if name == "categorical_feature" {
		return "a model knows which of its features are categorical: leave it out"
	}
	return ""
}

// flagError explains an error of pflag.
func (e *execution) flagError(err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		err = fmt.Errorf("--%s: %w%s", name, e.Table.Unknown(name), fileHint("--"+name))
		if row := e.program.Parameters().Find(name); row != nil && !e.Caller.Strict {
			err = e.errForeign("--"+name, row.Name)
		}
	}
	return oneDash(err)
}

// oneDash explains an error of pflag about an argument with one dash, which no parameter has: it is a file
// whose name begins so, or a parameter.
func oneDash(err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "" {
		arg := "-" + unknown.GetSpecifiedShortnames()
		err = fmt.Errorf("%s: parameters are written key=value or with two dashes; for a file of this "+
			"name, write ./%s", arg, arg)
	}
	return &UsageError{err}
}

// fileHint says how to name the file of a name that begins with a dash, if there is one.
func fileHint(name string) string {
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return "; if the file is meant, write ./" + name
}

// completeWith offers the parameters for shell completion, as "name=". The shell completes values, as file
// names.
func completeWith(table param.Table) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(text, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var names []string
		for i := range table {
			if !table[i].Inert && strings.HasPrefix(table[i].Name, text) {
				names = append(names, cobra.CompletionWithDesc(table[i].Name+"=", table[i].Help))
			}
		}
		return names, cobra.ShellCompDirectiveNoSpace
	}
}
