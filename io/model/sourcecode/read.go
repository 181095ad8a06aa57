package sourcecode

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Read reads a model from code that [Write] has written. The ensemble is valid and equals the one
// that was written, except for the statistics, ranges and names that code does not have. Errors
// are [*Error], or those of r.
func Read(r io.Reader) (*tree.Ensemble, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	f, err := sniff(string(text))
	if err != nil {
		return nil, err
	}
	s, err := f.parse(string(text))
	if err != nil {
		return nil, err
	}
	e, err := s.ensemble()
	if err != nil {
		return nil, err
	}
	return e, f.checkUnchanged(text, e)
}

// sniff returns the form of the language that the first line names.
func sniff(text string) (*form, error) {
	for _, f := range []*form{&goForm, &cForm, &javaForm} {
		if strings.HasPrefix(text, f.first) {
			return f, nil
		}
	}
	return nil, &Error{1, fmt.Errorf("%w: the first line is none of\n%s%s%s", errFormat, goForm.first, cForm.first, javaForm.first)}
}

// Is reports whether data, the content of a file or its first 200 bytes, looks like code in the
// given language that [Write] has written.
func Is(data []byte, l Language) bool {
	f, err := sniff(string(data[:min(len(data), 200)]))
	return err == nil && f.language == l
}

// parse reads the rows of the tables. It ignores the text between the tables, which checkUnchanged
// compares.
func (f *form) parse(text string) (*tables, error) {
	s := &tables{}
	open, number := -1, 0 // the current table, and the line number
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		row, isRow := f.row(line)
		switch {
		case open < 0:
			open = f.opens(line)
		case line == f.closing:
			open = -1
		case isRow:
			if err := s.addRow(open, row, f.unquote); err != nil {
				return nil, &Error{number, err}
			}
		default:
			return nil, &Error{number, fmt.Errorf("%w: %.60q in a table", errFormat, line)}
		}
	}
	if open >= 0 {
		return nil, &Error{number, fmt.Errorf("%w: the file ends within a table: %w", errFormat, io.ErrUnexpectedEOF)}
	}
	s.average = strings.Contains(text[max(0, len(text)-100):], "return sum / ")
	return s, nil
}

// opens returns the table whose rows follow the line, or -1 if the line does not open a table.
// Names and counts within the line do not matter.
func (f *form) opens(line string) int {
	if !strings.HasSuffix(line, "= {") && !strings.HasPrefix(line, "var ") {
		return -1
	}
	name := declared(line)
	for i := range f.tables {
		want := declared(f.tables[i].opening)
		ending, isPart := strings.CutPrefix(want, "NAME")
		if name == want || isPart && strings.HasSuffix(name, ending) {
			return i
		}
	}
	return -1
}

// declared returns the identifier in the declaration of an array.
func declared(line string) string {
	if rest, isGo := strings.CutPrefix(line, "var "); isGo {
		line, _, _ = strings.Cut(rest, " ")
		return line
	}
	line = strings.TrimSuffix(line, " = {")
	name, _, _ := strings.Cut(line[strings.LastIndexByte(line, ' ')+1:], "[")
	return name
}

func (s *tables) addRow(table int, row string, unquote func(string) (string, error)) (err error) {
	if table == featureTable {
		name, err := unquote(row)
		if err != nil {
			return fmt.Errorf("%w: %.60q", ErrName, row)
		}
		s.features = append(s.features, name)
		return nil
	}
	row = strings.TrimSuffix(row, " ")
	switch table {
	case rootTable:
		s.roots, err = appendInteger(s.roots, row)
	case nodeTable:
		return s.addNode(row)
	case leafTable:
		s.leaves, err = appendDecimal(s.leaves, row)
	case setTable:
		s.setStarts, err = appendInteger(s.setStarts, row)
	case wordTable:
		word, failed := strconv.ParseUint(row, 10, 32)
		s.words, err = append(s.words, uint32(word)), numberError(row, failed)
	case linearStartTable:
		s.linearStarts, err = appendInteger(s.linearStarts, row)
	case linearFeatureTable:
		s.linearFeatures, err = appendInteger(s.linearFeatures, row)
	case coefficientTable:
		s.coefficients, err = appendDecimal(s.coefficients, row)
	case contextTable:
		return s.addContext(row)
	default:
		s.missingLeaves, err = appendDecimal(s.missingLeaves, row)
	}
	return err
}

// addNode reads "{feature, threshold, decision, left, right}", or the same numbers separated by blanks.
func (s *tables) addNode(row string) error {
	cells := strings.FieldsFunc(row, isSeparator)
	if len(cells) != 5 {
		return fmt.Errorf("%w: a node has 5 numbers, and this has %d: %.60q", errFormat, len(cells), row)
	}
	integers := []int32(nil)
	for _, cell := range []string{cells[0], cells[3], cells[4]} {
		var err error
		if integers, err = appendInteger(integers, cell); err != nil {
			return err
		}
	}
	threshold, err := appendDecimal(nil, cells[1])
	if err != nil {
		return err
	}
	decision, err := strconv.ParseUint(cells[2], 10, 8)
	if err != nil {
		return numberError(cells[2], err)
	}
	s.nodes = append(s.nodes, node{integers[0], threshold[0], uint8(decision), integers[1], integers[2]})
	return nil
}

func appendInteger(dst []int32, text string) ([]int32, error) {
	v, err := strconv.ParseInt(text, 10, 32)
	return append(dst, int32(v)), numberError(text, err)
}

func appendDecimal(dst []float64, text string) ([]float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	return append(dst, v), numberError(text, err)
}

func numberError(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %.60q", ErrNumber, text)
}

// checkUnchanged writes e again and compares the text with the file.
func (f *form) checkUnchanged(text []byte, e *tree.Ensemble) error {
	var again bytes.Buffer
	if err := Write(&again, e, Options{f.language, f.nameOf(string(text))}); err != nil {
		return err
	}
	if line, err := fault.Changed(text, again.Bytes(), ErrChanged); err != nil {
		return &Error{line, err}
	}
	return nil
}
