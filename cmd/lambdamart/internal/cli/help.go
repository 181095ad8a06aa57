package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/internal/gone"
	"github.com/lambdamart/lambdamart/param"
)

// newHelp returns the command that prints the help of the program, of a command, or of a parameter.
func (p *Program) newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or PARAMETER] [all or HEADING]",
		Short: "Explain a command or a parameter",
		Example: "  lambdamart help train\n  lambdamart help train all\n  lambdamart help train " +
			"sampling\n  lambdamart help num_leaves",
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			cmd, _, err := root.Find(args[:1])
			switch isCommand := err == nil && cmd != root; {
			case isCommand && len(args) == 1:
				return cmd.Help()
			case isCommand:
				return p.explainAll(cmd, strings.Join(args[1:], " "))
			}
			return p.explain(root, args[0])
		},
	}
}

// explainAll prints the help of the parameters of a command: which is "all" or the beginning of headings. If
// the command also trains trees, "all" leaves out the parameters of networks.
func (p *Program) explainAll(cmd *cobra.Command, which string) error {
	at := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == cmd.Name() && c.New != nil })
	if at < 0 {
		return Usagef("help %s %s: the command has no parameters", cmd.Name(), which)
	}
	c := &p.Commands[at]
	table := p.ownTable(c, c.New(), new(common))
	if which == "all" {
		shown := table
		if len(c.Main) > 0 {
			shown = slices.DeleteFunc(slices.Clone(table),
				func(row param.Parameter) bool { return strings.HasPrefix(row.Group, networks) })
		}
		cmd.Printf("%s\n\n%s", c.Long, usage(cmd, helpOf(shown)))
		if len(shown) < len(table) {
			cmd.Printf("lambdamart help %s networks explains the parameters of networks.\n", c.Name)
		}
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(table), func(row param.Parameter) bool {
		return !strings.HasPrefix(strings.ToLower(row.Group), strings.ToLower(which))
	})
	if len(shown) == 0 {
		return Usagef("help %s %s: the headings of its parameters are %s; all shows all", c.Name, which,
			strings.Join(headings(table), ", "))
	}
	cmd.Print(helpOf(shown))
	return nil
}

// networks begins the headings of parameters of networks.
const networks = "Networks"

// explain prints the help of a parameter and the commands that have it.
func (p *Program) explain(root *cobra.Command, name string) error {
	all := p.Parameters()
	row := all.Find(strings.TrimLeft(name, "-"))
	switch {
	case row == nil && (gone.Why(gone.Command, name) != "" || len(root.SuggestionsFor(name)) > 0):
		return unknownCommand(root, name)
	case row == nil:
		return Usagef("%s: it is not a command, and an %w", name, all.Unknown(name))
	case row.Inert && gone.Why(gone.Parameter, row.Name) != "":
		root.Printf("%s is gone: %s\n", row.Name, gone.Why(gone.Parameter, row.Name))
	case row.Inert:
		root.Printf("%s is accepted for LightGBM's configuration files and has no effect [%s]. %s\n", row.Name,
			row.Value.Range(), row.Help)
	default:
		root.Printf("%sCommands: %s\n", helpOf(param.Table{*row}), p.names(func(c *Command) bool {
			return c.New != nil && !c.Hidden && p.ownTable(c, c.New(), new(common)).Find(row.Name) != nil
		}))
	}
	return nil
}
