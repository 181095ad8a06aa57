package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	at := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == cmd.Name() })
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
	case row == nil && gone.Why(gone.Parameter, name) == "" &&
		(gone.Why(gone.Command, name) != "" || len(root.SuggestionsFor(name)) > 0):
		return unknownCommand(root, name)
	case row == nil:
		return Usagef("%s: it is not a command, and an %w", name, all.Unknown(name))
	case row.Inert && gone.Why(gone.Parameter, row.Name) != "":
		root.Printf("%s is gone: %s\n", row.Name, gone.Why(gone.Parameter, row.Name))
	case row.Inert:
		root.Printf("%s is accepted for LightGBM's configuration files and has no effect [%s]. %s\n", row.Name,
			cmp.Or(row.Value.Range(), "any value"), row.Help)
	default:
		root.Printf("%sCommands: %s\n", helpOf(param.Table{*row}), p.names(func(c *Command) bool {
			return !c.Hidden && p.ownTable(c, c.New(), new(common)).Find(row.Name) != nil
		}))
	}
	return nil
}

// headings returns the headings of a table in the order of their first parameters.
func headings(t param.Table) []string {
	var groups []string
	for i := range t {
		if !slices.Contains(groups, t[i].Group) {
			groups = append(groups, t[i].Group)
		}
	}
	return groups
}

const (
	helpIndent = 30  // column where explanations begin
	helpWidth  = 100 // columns of a terminal line
)

// helpOf returns the help of the parameters that have an effect, for a terminal, heading by heading.
func helpOf(t param.Table) string {
	var b strings.Builder
	for _, group := range headings(t) {
		lines := ""
		for _, row := range t.In(group) {
			if !row.Inert {
				lines += helpOfRow(&row)
			}
		}
		if lines != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", group, lines)
		}
	}
	return b.String()
}

// briefHelp returns a line for each named parameter that the table has: its name, its default, and as much of
// the first sentence of its help as fits.
func briefHelp(t param.Table, names []string) string {
	var b strings.Builder
	for _, name := range names {
		p := t.Find(name)
		if p == nil {
			continue
		}
		text, _, _ := strings.Cut(p.Help, ". ")
		lines := wrap(strings.TrimSuffix(text, "."), helpWidth-helpIndent-2)
		if len(lines) > 1 {
			lines[0] += " …"
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpIndent, "  "+p.Name+"="+p.Value.String(), lines[0])
	}
	return b.String()
}

func helpOfRow(p *param.Parameter) string {
	first := "  " + p.Name + "=" + p.Value.String()
	text := p.Help
	if r := p.Value.Range(); r != "" {
		text += " [" + r + "]"
	}
	if len(p.Aliases) > 0 {
		text += " (also " + strings.Join(p.Aliases, ", ") + ")"
	}
	margin := strings.Repeat(" ", helpIndent)
	body := strings.Join(wrap(text, helpWidth-helpIndent), "\n"+margin)
	if len(first) < helpIndent {
		return first + margin[len(first):] + body + "\n"
	}
	return first + "\n" + margin + body + "\n"
}

// wrap breaks text at blanks into lines of at most width bytes, if words allow.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// addFlags defines a flag for each parameter of a table, such as "--num-leaves 31". Aliases and underscores
// work as well. Flags on the command line are appended to dst as settings, in order. Flags of parameters
// without effect are hidden.
func addFlags(flags *pflag.FlagSet, t param.Table, dst *[]param.Setting) {
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if p := t.Find(name); p != nil {
			name = p.Name
		}
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for i := range t {
		p := &t[i]
		flags.Func(p.Name, p.Help, func(text string) error {
			*dst = append(*dst, param.Setting{Name: p.Name, Value: text})
			return nil
		})
		f := flags.Lookup(p.Name)
		f.Hidden = p.Inert
		if s, ok := p.Value.(interface{ IsBoolFlag() bool }); ok && s.IsBoolFlag() {
			f.NoOptDefVal = "true"
		}
	}
}
