package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// The errors of a line. Their texts say what is allowed. They are wrapped in a [*dataset.Error], which has
// the place.
var (
	ErrFields       = errors.New("a line of a run is: query Q0 document rank score tag")
	ErrQrelsFields  = errors.New("a line of qrels is: query 0 document relevance")
	ErrScore        = errors.New("the score is neither a finite number nor NaN")
	ErrWrittenScore = errors.New("the score is not a finite number")
	ErrNoJudgments  = errors.New("there are no judgments; a line of qrels is: query 0 document relevance")
	ErrRelevance    = errors.New("the relevance is not a finite number")
	ErrRepeated     = errors.New("the document was in this query before; keep one of the two lines")
	ErrWrittenTwice = errors.New("a run cannot have two documents of one id in a query; leave one of them " +
		"out, or choose a column whose ids differ (docid_column)")
	ErrQueryReturns = errors.New("the lines of a query are not consecutive; sort the run by query")
	ErrWord         = errors.New("a query, document or tag must be a word without blanks")
	ErrLong         = errors.New("a line is too long for this kind of file; it is damaged, or it is " +
		"something else")
)

// line is one line that is not blank, and its place.
type line struct {
	path   string
	number int
	text   string
	fields []string
}

// fault returns err with the place of a field.
func (l *line) fault(field int, err error) error {
	token := l.fields[field]
	column, rest := 1, l.text
	for i := range field + 1 {
		trimmed := strings.TrimLeft(rest, blanks)
		column += len(rest) - len(trimmed)
		rest = trimmed
		if i < field {
			column += len(l.fields[i])
			rest = rest[len(l.fields[i]):]
		}
	}
	return &dataset.Error{Path: l.path, Line: l.number, Column: column, Token: token, Err: err}
}

const blanks = " \t\r"

// longestLine bounds the bytes of a line.
const longestLine = 1 << 20

// lines returns the lines of r that are neither blank nor comments. Each is valid until the next one. A read
// error comes last. fields is the number of fields that a line has.
func lines(r io.Reader, path string, fields int) iter.Seq2[*line, error] {
	return func(yield func(*line, error) bool) {
		in := bufio.NewScanner(stream.WithoutMark(r))
		in.Buffer(nil, longestLine)
		l := &line{path: path}
		for in.Scan() && in.Err() == nil { // with an error, the line is not whole
			l.number++
			l.text = in.Text()
			l.fields = strings.FieldsFunc(l.text, func(c rune) bool { return strings.ContainsRune(blanks, c) })
			if len(l.fields) == 0 || l.isComment(fields) {
				continue
			}
			if strings.HasPrefix(l.text, stream.Mark) {
				yield(nil, l.fault(0, stream.ErrMark))
				return
			}
			if !yield(l, nil) {
				return
			}
		}
		switch err := in.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, &dataset.Error{Path: path, Line: l.number + 1, Err: ErrLong})
		case err != nil:
			yield(nil, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// isComment reports whether a line is a comment: it begins with a number sign, and is not a line with that
// many fields whose query begins so.
func (l *line) isComment(fields int) bool {
	return l.fields[0] == "#" || l.fields[0][0] == '#' && len(l.fields) != fields
}

// value returns the number in a field. If the field is not a finite number, or NaN where that is accepted, it
// returns the error wrong with the field's place.
func (l *line) value(field int, acceptNaN bool, wrong error) (float64, error) {
	x, err := strconv.ParseFloat(l.fields[field], 64)
	if strings.Contains(l.fields[field], "_") { // 12_3 is an id, and a number to strconv
		err = wrong
	}
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) && !acceptNaN {
		return 0, l.fault(field, wrong)
	}
	return x, nil
}

// appendLine appends the fields that both formats begin with.
func appendLine(dst []byte, query, second, doc string) []byte {
	dst = append(append(dst, query...), ' ')
	dst = append(append(dst, second...), ' ')
	return append(dst, doc...)
}

// appendFloat appends x with the fewest digits that are read back as x.
func appendFloat(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }

// checkWords returns an error for a word that would not be read back as one field.
func checkWords(words []string) error {
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, blanks+"\n") {
			return fmt.Errorf("trec: %q: %w", word, ErrWord)
		}
	}
	return nil
}

// checkDistinct returns an error for a document that occurs twice, which no reader of runs accepts.
func checkDistinct(q Query) error {
	present := make(map[string]struct{}, len(q.Docs))
	for _, doc := range q.Docs {
		if _, twice := present[doc]; twice {
			return fmt.Errorf("trec: query %q, document %q: %w", q.ID, doc, ErrWrittenTwice)
		}
		present[doc] = struct{}{}
	}
	return nil
}

// checkScore returns an error for a score that is not finite: a document that is not ranked is not written.
func checkScore(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("trec: score %v: %w", x, ErrWrittenScore)
	}
	return nil
}
