package report

import (
	"regexp"
	"slices"
	"strings"
)

// Styles of the tables that [Document.Text] writes. "" is StyleText.
const (
	StyleText     = "text"
	StyleMarkdown = "markdown"
	StyleLaTeX    = "latex" // with the rules of the package booktabs
)

// Styles are all styles.
var Styles = []string{StyleText, StyleMarkdown, StyleLaTeX}

// text renders the table for a terminal, or in another style: then there is a line for each row, also of a
// tall one.
func (t *Table) text(style string) string {
	if t.Shown != nil {
		t = t.Pick(t.Shown)
	}
	g := t.grid(Terminal)
	lines := slices.Concat([][]string{g.Head}, g.Rows)
	above, below := strings.TrimSpace(t.Above), strings.TrimSpace(t.Below)
	switch {
	case style == StyleLaTeX:
		return comment(above) + latex(lines, t.left()) + comment(below)
	case style != StyleMarkdown && t.Tall:
		return t.Above + tall(g) + t.Below
	case style != StyleMarkdown:
		return t.Above + aligned(lines, t.left(), t.Bars) + t.Below
	}
	text := aligned(lines, t.left(), true)
	if above != "" {
		text = above + "\n\n" + text
	}
	if below != "" {
		text += "\n" + below + "\n"
	}
	return text
}

// comment returns the lines of a text as comments of LaTeX.
func comment(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("% " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// latex returns a table of LaTeX, whose first line is the head.
func latex(lines [][]string, left []bool) string {
	var b strings.Builder
	b.WriteString(`\begin{tabular}{`)
	for _, isLeft := range left {
		if isLeft {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n\\toprule\n")
	for number, line := range lines {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = negative.ReplaceAllString(special.Replace(cell), "$1$$-$$$2")
		}
		if strings.HasPrefix(cells[0], "[") || strings.HasPrefix(cells[0], "*") {
			cells[0] = "{}" + cells[0] // the end of the line before would take them for its argument
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		if number == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

var (
	special = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`,
		"#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|",
		`$|$`,
		"−", `$-$`, "–", "--", "µ", `$\mu$`, "·", `$\cdot$`, "\u00a0", "~")
	// a number gets a minus, and not a hyphen
	negative = regexp.MustCompile(`(^|[ \[(])-([0-9])`)
)
