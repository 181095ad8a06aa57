package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/param"
)

// withParameters makes cmd read its parameters from key=value arguments, flags
// and a configuration file, and then run.
func withParameters(cmd *cobra.Command, o *options, table param.Table, messages *console, run func(context.Context) error) *cobra.Command {
	var flags []param.Setting
	addFlags(cmd.Flags(), table, &flags)
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		remarks, err := o.read(cmd.Name(), table, flags, args)
		if err != nil {
			return err
		}
		messages.configure(o.logJSON, o.verbosity)
		for _, remark := range remarks {
			messages.emit(noteEvent{Message: remark})
		}
		return run(cmd.Context())
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(table, err) })
	cmd.ValidArgsFunction = completeWith(table)
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		cmd.Printf("Usage:\n  %s\n\nExample:\n%s\n\nParameters, with their defaults; also as flags (--num-leaves 63):\n\n%s", cmd.UseLine(), cmd.Example, table.Help())
		return nil
	})
	return cmd
}

// read sets the options, and returns remarks for the user.
func (o *options) read(command string, table param.Table, flags []param.Setting, args []string) ([]string, error) {
	given, err := param.ParseArgs(args)
	if err != nil {
		return nil, &usageError{err}
	}
	given = append(flags, given...)
	var config []param.Setting
	if path := valueOf(table, given, "config"); path != "" {
		if config, err = o.readSettings(command, path); err != nil {
			return nil, err
		}
		if nested := valueOf(table, config, "config"); nested != "" {
			return nil, usagef("%s: a configuration file cannot name another (config=%s)", path, nested)
		}
	}
	o.layers = [2][]param.Setting{config, given}
	effective, err := table.Apply(config, given)
	if err != nil {
		return nil, &usageError{err}
	}
	for _, s := range effective {
		o.given = append(o.given, s.Name)
	}
	if task := valueOf(table, given, "task"); task != "" {
		if wanted, err := commandOf(task); err != nil || wanted != command {
			return nil, usagef("task=%s contradicts the command %s", task, command)
		}
	}
	return withoutEffect(table, effective), nil
}

// readSettings reads a configuration file, or the experiment of bench.
func (o *options) readSettings(command, path string) ([]param.Setting, error) {
	if command != "bench" {
		return readConfig(path)
	}
	file, err := experiment.ReadFile(path)
	if err != nil {
		return nil, &usageError{err}
	}
	o.bench = file
	return file.Settings, nil
}

// withoutEffect returns a remark on the inert parameters among the settings, if
// there are any.
func withoutEffect(table param.Table, effective []param.Setting) []string {
	var names []string
	for _, s := range effective {
		if table.Find(s.Name).Inert {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []string{"accepted without effect: " + strings.Join(names, ", ")}
}

// flagError explains what pflag found wrong.
func flagError(table param.Table, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		err = fmt.Errorf("--%s: %w", name, table.Unknown(name))
	}
	return &usageError{err}
}

// completeWith offers the parameters for shell completion, as "name=". Values
// are left to the shell, which completes files.
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
