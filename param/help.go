package param

import (
	"fmt"
	"strings"
)

// Groups returns the headings of the table in the order of their first
// parameters.
func (t Table) Groups() []string {
	var groups []string
	seen := map[string]bool{}
	for i := range t {
		if g := t[i].Group; !seen[g] {
			seen[g] = true
			groups = append(groups, g)
		}
	}
	return groups
}

// In returns the parameters under a heading, in their order.
func (t Table) In(group string) Table {
	var found Table
	for _, p := range t {
		if p.Group == group {
			found = append(found, p)
		}
	}
	return found
}

const (
	helpIndent = 30  // column where explanations begin
	helpWidth  = 100 // columns of a terminal line
)

// Help returns the table as text for a terminal, group by group, without inert
// parameters.
func (t Table) Help() string {
	var b strings.Builder
	for _, group := range t.Groups() {
		lines := t.helpGroup(group)
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s:\n%s\n", group, strings.Join(lines, ""))
		}
	}
	return b.String()
}

// Pick returns the parameters with the given names, in the order of the names. Names that the table does not
// have are left out.
func (t Table) Pick(names ...string) Table {
	var picked Table
	for _, name := range names {
		if row := t.Find(name); row != nil {
			picked = append(picked, *row)
		}
	}
	return picked
}

// Brief returns a line for each parameter: its name, its default, and the first sentence of its explanation,
// as far as it fits into a line of a terminal.
func (t Table) Brief() string {
	var b strings.Builder
	for i := range t {
		text, _, _ := strings.Cut(t[i].Help, ". ")
		lines := wrap(strings.TrimSuffix(text, "."), helpWidth-helpIndent-2)
		if len(lines) > 1 {
			lines[0] += " …"
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpIndent, "  "+t[i].Name+"="+t[i].Value.String(), lines[0])
	}
	return b.String()
}

func (t Table) helpGroup(group string) []string {
	var lines []string
	for i := range t {
		if t[i].Group == group && !t[i].Inert {
			lines = append(lines, t[i].help())
		}
	}
	return lines
}

func (p *Parameter) help() string {
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

// Markdown returns the table as documentation, one section a group.
func (t Table) Markdown() string {
	var b strings.Builder
	for _, group := range t.Groups() {
		fmt.Fprintf(&b, "## %s\n\n| parameter | default | allowed | meaning |\n|---|---|---|---|\n", group)
		for i := range t {
			if t[i].Group == group {
				b.WriteString(t[i].markdown())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Parameter) markdown() string {
	meaning := p.Help
	if len(p.Aliases) > 0 {
		meaning += " Aliases: `" + strings.Join(p.Aliases, "`, `") + "`."
	}
	initial := ""
	if v := p.Value.String(); v != "" {
		initial = "`" + v + "`"
	}
	allowed := p.Value.Range()
	if allowed == "" {
		allowed = p.Value.Type()
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", p.Name, initial, allowed, strings.TrimSpace(meaning))
}
