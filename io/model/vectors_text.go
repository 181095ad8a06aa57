package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// vectorsText is the JSON form of test vectors. In the file, each row is on its own line.
type vectorsText struct {
	Form string `json:"form"`
	Vectors
	Rows []vectorText `json:"rows"`
}

type vectorText struct {
	Values     []*float64 `json:"values"`
	Score      *float64   `json:"score"`
	ModelScore *float64   `json:"model_score"`
}

// Write writes the vectors in the format of the package documentation. All numbers except missing values must
// be finite. Errors come from w.
func (s *Vectors) Write(w io.Writer) error {
	t := vectorsText{Form: vectorsForm, Vectors: *s}
	t.Features = append([]string{}, s.Features...) // [], not null
	head, err := json.Marshal(t)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	const end = "null}" // the rows, which follow separately, and the closing brace
	out.Write(head[:len(head)-len(end)])
	out.WriteString("[\n")
	for i, row := range s.Rows {
		end := ",\n"
		if i == len(s.Rows)-1 {
			end = "\n"
		}
		values := document.FormatList(row.Values, appendNumber)
		score, ofModel := appendNumber(nil, row.Score), appendNumber(nil, row.ModelScore)
		fmt.Fprintf(out, `{"values":%s,"score":%s,"model_score":%s}%s`, values, score, ofModel, end)
	}
	out.WriteString("]}\n")
	return out.Flush() // a bufio.Writer keeps its first error
}

func appendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// readVectors reads test vectors. A file in another form is an [ErrFormat].
func readVectors(r io.Reader) (*Vectors, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	t, err := parseVectors(content)
	if err != nil {
		return nil, err
	}
	s := &t.Vectors
	for i, row := range t.Rows {
		if len(row.Values) != len(t.Features) || row.Score == nil || row.ModelScore == nil {
			return nil, fmt.Errorf("vectors: rows[%d]: %w: %s for %s, with score and model_score", i,
				errVectors, wording.Count(len(row.Values), "value"), wording.Count(len(t.Features), "feature"))
		}
		values := make([]float64, len(row.Values))
		for j, v := range row.Values {
			if values[j] = math.NaN(); v != nil {
				values[j] = *v
			}
		}
		s.Rows = append(s.Rows, Vector{values, *row.Score, *row.ModelScore})
	}
	return s, nil
}

// parseVectors returns what the file says, after a check of everything but the rows.
func parseVectors(content []byte) (*vectorsText, error) {
	var t vectorsText
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil {
		return nil, fmt.Errorf("vectors: byte %d: %w: %w", decoder.InputOffset(), errVectors, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("vectors: byte %d: %w: more text after the vectors", decoder.InputOffset(),
			errVectors)
	}
	switch {
	case t.Form != vectorsForm:
		return nil, fmt.Errorf("vectors: form: %w: %.60q; %q is read", errVectors, t.Form, vectorsForm)
	case !slices.Contains([]string{inFloat64, inFloat32, float64ToFloat32}, t.Arithmetic):
		return nil, fmt.Errorf("vectors: arithmetic: %w: %.60q; there are %q, %q and %q", errVectors, t.Arithmetic,
			inFloat64, inFloat32, float64ToFloat32)
	case len(t.Rows) == 0:
		return nil, fmt.Errorf("vectors: rows: %w: there are none", errVectors)
	}
	return &t, checkQueries(t.Queries, len(t.Rows))
}

// checkQueries refuses queries that do not divide the rows.
func checkQueries(sizes []int, rows int) error {
	left := rows
	for i, size := range sizes {
		if size < 1 || size > left {
			return fmt.Errorf("vectors: queries[%d]: %w: %s, and %d are left", i, errVectors,
				wording.Count(size, "row"), left)
		}
		left -= size
	}
	if sizes != nil && left > 0 {
		return fmt.Errorf("vectors: queries: %w: %s left, in no query", errVectors, wording.Count(left, "row"))
	}
	return nil
}
