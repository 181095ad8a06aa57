package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/param"
)

// newHelp returns the command that prints the help of the program, of a command, or of a parameter.
func (p *Program) newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND or PARAMETER]",
		Short:                 "Explain a command or a parameter",
		Example:               "  lambdamart help train\n  lambdamart help num_leaves",
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if cmd, _, err := root.Find(args[:1]); err == nil && cmd != root {
				return cmd.Help()
			}
			return p.explain(root, args[0])
		},
	}
}

// explain prints the help of a parameter and the commands that have it.
func (p *Program) explain(root *cobra.Command, name string) error {
	all := p.Documented()
	row := all.Find(strings.TrimLeft(name, "-"))
	switch {
	case row == nil && len(root.SuggestionsFor(name)) > 0:
		return unknownCommand(root, name)
	case row == nil:
		return Usagef("%s: it is not a command, and an %w", name, all.Unknown(name))
	case row.Inert:
		root.Printf("%s is accepted for LightGBM's configuration files and has no effect [%s]. %s\n", row.Name, row.Value.Range(), row.Help)
	default:
		root.Printf("%sCommands: %s\n", param.Table{*row}.Help(), strings.Join(p.with(row.Name), ", "))
	}
	return nil
}

// with returns the names of the commands that have a parameter.
func (p *Program) with(parameter string) []string {
	var names []string
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.New != nil && !c.Hidden && p.ownTable(c, c.New(), new(common)).Find(parameter) != nil {
			names = append(names, c.Name)
		}
	}
	return names
}
