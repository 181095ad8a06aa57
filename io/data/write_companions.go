package data

import (
	"bufio"
	"io"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
)

// Companion is a file beside the data, with the name of the data and an ending.
type Companion struct {
	Ending string // such as ".weight"
	Write  func(w io.Writer) error
}

// CompanionsOf returns the companions that hold what the text of data does not: the weights, initial scores,
// further labels and positions of rows, if there are any, and for [LightGBM] the numbers of rows of the
// queries.
func CompanionsOf(m *dataset.Meta, format string) []Companion {
	var all []Companion
	if format == LightGBM {
		all = append(all, Companion{".query", func(w io.Writer) error {
			return writeLines(w, len(m.Queries), func(b []byte, i int) []byte {
				return strconv.AppendInt(b, int64(m.Queries[i].Len), 10)
			})
		}})
	}
	if m.Weights != nil {
		all = append(all, numberLines(".weight", m.Weights))
	}
	if m.InitialScores != nil {
		all = append(all, numberLines(".init", m.InitialScores))
	}
	for _, l := range m.More {
		all = append(all, numberLines(".label."+l.Name, l.Values))
	}
	if m.Positions != nil {
		all = append(all, Companion{".position", func(w io.Writer) error {
			return writeLines(w, len(m.Positions), func(b []byte, i int) []byte {
				return append(b, m.PositionNames[m.Positions[i]]...)
			})
		}})
	}
	return all
}

func numberLines(ending string, values []float64) Companion {
	return Companion{ending, func(w io.Writer) error {
		return writeLines(w, len(values), func(b []byte, i int) []byte { return appendNumber(b, values[i]) })
	}}
}

// writeLines writes n lines.
func writeLines(w io.Writer, n int, add func(b []byte, i int) []byte) error {
	out := bufio.NewWriter(w)
	var line []byte
	for i := range n {
		line = append(add(line[:0], i), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
