package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Run executes the command line args. Help and results go to stdout. Errors are returned and not printed; an
// error in the command line or a configuration file is a [*UsageError].
func (p *Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer, messages *Console) error {
	args, err := p.withCommand(args)
	if err != nil {
		return err
	}
	var e *execution // nil if what is asked for has been printed: help, or what a shell completes
	root := p.root(args, func(chosen *execution) { e = chosen })
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil || e == nil {
		return err
	}
	e.Stdout, e.Messages = stdout, messages
	release, err := e.prepare()
	if err != nil {
		return err
	}
	defer release()
	err = e.task.Run(ctx, &e.Env)
	if errors.Is(err, data.ErrBinned) || errors.Is(err, data.ErrBinning) { // a parameter caused it
		err = &UsageError{err}
	}
	if e.command.Serves {
		return err
	}
	return interrupted(ctx, err)
}

// root returns the root command, which parses a command line and passes the execution of a command to choose.
// Describing parameters takes time, so if args name a command, only that one gets its parameters.
func (p *Program) root(args []string, choose func(*execution)) *cobra.Command {
	root := &cobra.Command{
		Use:                        "lambdamart",
		Short:                      p.Short,
		Long:                       p.Long,
		Example:                    p.Example,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
	}
	named := func(c Command) bool { return len(args) > 0 && c.Name == args[0] }
	version := newVersion()
	one := slices.ContainsFunc(p.Commands, named) || len(args) > 0 && args[0] == version.Name()
	for i := range p.Commands {
		c := &p.Commands[i]
		if one && !named(*c) {
			root.AddCommand(&cobra.Command{Use: c.Use, Short: c.Short, Hidden: c.Hidden})
			continue
		}
		root.AddCommand(p.newCommand(c, choose))
	}
	root.AddCommand(version)
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return nil
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.Flags().SetInterspersed(false) // an unknown command is an error before its flags are
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return oneDash(err) })
	root.SetHelpCommand(p.newHelp(root))
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	if why := gone.Why(gone.Command, name); why != "" {
		return Usagef("there is no command %s any more: %s", name, why)
	}
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return Usagef("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return Usagef("unknown command %q; lambdamart help lists the commands", name)
}

// withCommand prepends the name of the command to a command line that has only key=value arguments, as
// LightGBM's do. The parameter task determines the command.
func (p *Program) withCommand(args []string) ([]string, error) {
	if len(args) > 0 && args[0] == "--version" {
		return append([]string{"version"}, args[1:]...), nil
	}
	given, err := param.ParseArgs(args)
	if err != nil || len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	table := p.Parameters()
	task := valueOf(table, given, taskName)
	if path := valueOf(table, given, configName); task == "" && path != "" {
		config, err := readConfig(path)
		if err != nil {
			return nil, err
		}
		task = valueOf(table, config, taskName)
	}
	command, err := p.commandOf(task)
	return append([]string{command}, args...), err
}

// commandOf returns the name of the command for one of LightGBM's tasks.
func (p *Program) commandOf(task string) (string, error) {
	var names []string
	for _, c := range p.Commands {
		if slices.Contains(c.Tasks, task) || task == "" && c.Tasks != nil {
			return c.Name, nil
		}
		if c.Tasks != nil {
			names = append(names, c.Name)
		}
	}
	if command := inOtherCommands[task]; command != "" {
		return "", Usagef("task=%s: use the command %s (lambdamart help %s)", task, command, command)
	}
	return "", Usagef("task=%s is not available; there are %s", task, strings.Join(names, " and "))
}

// inOtherCommands maps LightGBM's tasks whose parameters differ from those of the command that does the same.
var inOtherCommands = map[string]string{"convert_model": "export", "save_binary": "bin"}

// tasks returns the values of the parameter task, the default first.
func (p *Program) tasks() []string {
	var all []string
	for _, c := range p.Commands {
		all = append(all, c.Tasks...)
	}
	return all
}
