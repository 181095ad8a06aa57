package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lambdamart/lambdamart/param"
)

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
