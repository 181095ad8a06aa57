package letor

import (
	"bytes"
	"math"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// maxFeature is the largest feature number: far beyond what rankers use, and small enough that a name for
// each feature costs little memory.
const maxFeature = 1<<24 - 1

// parser reads rows, one at a time. A worker has one.
type parser struct {
	prefixes []uint64 // of packPrefixes
	base     int      // number of the feature that is column 0
	infinite bool     // values may be infinite
	keepDocs bool

	path string
	text []byte // whole lines, with rows.Padding bytes after them
	size int    // of the lines
	at   int    // place in text up to which it was read
	line int    // start of the row's line in text

	row     rows.Row
	query   span    // in text: the id with its "qid:"; empty if there is none
	feature []int32 // of rows since Forget
	value   []float64
	first   int // entry of the row's first feature
	count   int // entries of all features
}

// span is a part of a text.
type span struct{ from, to int }

// knownPrefixes is the number of feature numbers that a single comparison recognizes.
const knownPrefixes = 2048

// packPrefixes returns the texts "n:" for the first n, each as rows.LoadDigits loads it, with its
// length in the highest byte. All files share them.
var packPrefixes = sync.OnceValue(func() []uint64 {
	prefixes := make([]uint64, knownPrefixes)
	for n := range prefixes {
		var packed uint64
		text := strconv.Itoa(n) + ":"
		for i := len(text) - 1; i >= 0; i-- {
			packed = packed<<8 | uint64(text[i]^'0')
		}
		prefixes[n] = packed | uint64(len(text))<<56
	}
	return prefixes
})

// newParser returns a parser with the settings of p.
func newParser(p parser) *parser {
	p.feature, p.value = make([]int32, 256), make([]float64, 256)
	return &p
}

// Open starts with the rows of a block.
func (p *parser) Open(b *rows.Text) {
	p.path, p.text, p.size, p.at = b.Path, b.Bytes, b.Size, 0
	p.Forget()
	p.row.Line, p.row.Number = b.FirstLine-1, b.FirstRow-1
}

// Forget forgets the features of all rows so far.
func (p *parser) Forget() { p.count = 0 }

// Row returns the Row that the methods below fill.
func (p *parser) Row() *rows.Row { return &p.row }

// Next goes to the next row, and reports whether there is one.
func (p *parser) Next() bool {
	for p.at < p.size {
		p.row.Line++
		if isRow(p.text[p.at:]) {
			p.line = p.at
			p.row.Number++
			return true
		}
		p.at += bytes.IndexByte(p.text[p.at:], '\n') + 1
	}
	return false
}

// Begin reads label and query id of a row.
func (p *parser) Begin() error {
	i := p.skipBlanks(p.at)
	token := p.token(i)
	label, err := rows.ParseNumber(p.text[token.from:token.to])
	if err != nil || cutByComment(p.text, token.to) {
		return p.fail(ErrLabel, p.whole(token))
	}
	if math.IsInf(label, 0) || math.IsNaN(label) {
		return p.fail(dataset.ErrLabelFinite, token)
	}
	p.row.Label, p.row.LabelColumn = label, token.from-p.line+1
	i = p.skipBlanks(token.to)
	p.query = span{i, i}
	if bytes.HasPrefix(p.text[i:], queryKey) {
		p.query = p.token(i)
		if p.query.to == i+len(queryKey) || p.text[p.query.to] == '#' {
			return p.fail(ErrQueryID, p.query)
		}
	}
	p.row.Query = nil
	if p.query.from < p.query.to {
		p.row.Query = p.text[p.query.from+len(queryKey) : p.query.to]
	}
	p.row.QueryColumn = p.query.from - p.line + 1
	p.at = p.query.to
	return nil
}

var queryKey = []byte("qid:")

// Features reads the features of a row, after Begin, up to the row's end.
func (p *parser) Features() error {
	if err := p.features(); err != nil {
		return err
	}
	p.row.Feature, p.row.Value = p.feature[p.first:p.count:p.count], p.value[p.first:p.count:p.count]
	if p.row.Last = -1; p.count > p.first {
		p.row.Last = int(p.feature[p.count-1])
	}
	return nil
}

// features is like Features. The usual forms of numbers are recognized and converted here, or in assembly if
// the CPU supports it; all other forms, and all mistakes, are left to anyFeature.
func (p *parser) features() error {
	text, i := p.text, p.at
	p.first = p.count
	last := p.base - 1 // feature number before this one
	next := p.count    // where assembly is tried again: not for each of several features that it leaves to Go
	for {
		for isBlank(text[i]) {
			i++
		}
		if hasUsual && p.count >= next {
			i, last = p.usual(i, last)
			next = p.count + lanes
			continue
		}
		if text[i] == '\n' || text[i] == '#' {
			p.comment(i)
			return nil
		}
		number, end := p.number(i, last)
		if digit := text[end] - '0'; digit < 10 && text[end+1] == ' ' && number > last {
			p.append(number, float64(digit)) // half of all values, which this makes much faster to read
			last, i = number, end+2
			continue
		}
		value, end, ok := rows.PlainNumber(text, end)
		if !ok || number <= last || !endsToken(text[end]) || cutByComment(text, end) {
			var err error
			if number, value, end, err = p.anyFeature(i, last); err != nil {
				return err
			}
		}
		p.append(number, value)
		last, i = number, end
	}
}

// lanes is the number of features that usualFeatures reads at a time.
const lanes = 8

// usual reads features with usualFeatures. The first one begins at i.
func (p *parser) usual(i, last int) (end, number int) {
	for {
		if p.count+lanes > len(p.feature) {
			p.grow()
		}
		n, read := usualFeatures(&p.text[i], &p.feature[p.count], &p.value[p.count], len(p.feature)-p.count,
			last, p.base)
		i += read
		p.count += n
		if n > 0 {
			last = int(p.feature[p.count-1]) + p.base
		}
		if p.count+lanes <= len(p.feature) {
			return i, last
		}
	}
}

// grow doubles the room for features.
func (p *parser) grow() {
	p.feature = append(p.feature, make([]int32, len(p.feature))...)
	p.value = append(p.value, make([]float64, len(p.value))...)
}

// number reads the feature number and the colon at text[i:], and returns the place after them. The number is
// -1 if it is not in a usual form. Most often it is the one that follows last, which one comparison
// recognizes.
func (p *parser) number(i, last int) (number, end int) {
	loaded := rows.LoadDigits(p.text, i)
	if last+1 < len(p.prefixes) {
		packed := p.prefixes[last+1]
		n := int(packed >> 56)
		if (loaded^packed)<<(64-8*uint(n)) == 0 {
			return last + 1, i + n
		}
	}
	n := rows.CountDigits(loaded)
	if n == 0 || n == 8 || p.text[i+n] != ':' {
		return -1, i
	}
	return int(rows.LeadingDigits(loaded, n)), i + n + 1
}

func (p *parser) append(number int, value float64) {
	if p.count == len(p.feature) {
		p.grow()
	}
	p.feature[p.count] = int32(number - p.base)
	p.value[p.count] = value
	p.count++
}

// anyFeature reads a feature in any form of the format.
func (p *parser) anyFeature(i, last int) (number int, value float64, end int, err error) {
	token := p.token(i)
	text := p.text[token.from:token.to]
	colon := bytes.IndexByte(text, ':')
	if colon < 0 {
		return 0, 0, i, p.fail(ErrFeature, token)
	}
	if string(text[:colon]) == "qid" {
		return 0, 0, i, p.fail(ErrQueryPlace, token)
	}
	number, ok := featureNumber(text[:colon])
	if !ok || number < p.base {
		return 0, 0, i, p.fail(ErrFeatureNumber, token)
	}
	if number <= last {
		fault := p.fail(ErrFeatureOrder, token)
		fault.Detail = "it follows feature " + strconv.Itoa(last)
		return 0, 0, i, fault
	}
	value, err = rows.ParseNumber(text[colon+1:])
	switch {
	case err != nil || cutByComment(p.text, token.to):
		return 0, 0, i, p.fail(dataset.ErrValue, p.whole(token))
	case math.IsInf(value, 0) && !p.infinite:
		return 0, 0, i, p.fail(dataset.ErrValueFinite, token)
	}
	return number, value, token.to, nil
}

// featureNumber converts decimal digits to a number from 0 to maxFeature.
func featureNumber(digits []byte) (int, bool) {
	number, err := strconv.ParseUint(string(digits), 10, 32)
	if err != nil || number > maxFeature {
		return 0, false
	}
	return int(number), true
}

// Skip skips the features of a row, after Begin, without converting or checking them.
func (p *parser) Skip() error {
	line := p.text[p.at : p.at+bytes.IndexByte(p.text[p.at:], '\n')]
	if hash := bytes.IndexByte(line, '#'); hash >= 0 {
		line = line[:hash]
	}
	p.comment(p.at + len(line))
	colon := bytes.LastIndexByte(line, ':')
	if p.row.Last = -1; colon < 0 {
		return nil
	}
	from := colon
	for from > 0 && !isBlank(line[from-1]) {
		from--
	}
	number, _ := featureNumber(line[from:colon])
	p.row.Last = number - p.base
	return nil
}

// comment reads the rest of a row, from its comment or its end at i on.
func (p *parser) comment(i int) {
	p.row.Doc = ""
	end := i
	if p.text[i] != '\n' {
		end += bytes.IndexByte(p.text[i:], '\n')
		if p.keepDocs {
			p.row.Doc = document(p.text[i+1 : end])
		}
	}
	p.at = end + 1
}

// document returns the document id that a comment holds; the package documentation has the rule.
func document(comment []byte) string {
	rest := trimBlanks(comment)
	if key := []byte("docid"); bytes.HasPrefix(rest, key) {
		value := trimBlanks(rest[len(key):])
		if len(value) > 0 && value[0] == '=' {
			rest = trimBlanks(value[1:])
		}
	}
	for i, c := range rest {
		if isBlank(c) {
			return string(rest[:i])
		}
	}
	return string(rest)
}

func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t\r") }

func (p *parser) skipBlanks(i int) int {
	for isBlank(p.text[i]) {
		i++
	}
	return i
}

// token returns the token that begins at i.
func (p *parser) token(i int) span {
	end := i
	for !endsToken(p.text[end]) {
		end++
	}
	return span{i, end}
}

// cutByComment reports whether a token ends with a point and the beginning of a comment, as -1.#IND and
// 1.#INF do, which programs on Windows write for NaN and infinity.
func cutByComment(text []byte, end int) bool { return text[end] == '#' && text[end-1] == '.' }

// whole returns a token with what follows it up to a blank, if a comment that is none ends it.
func (p *parser) whole(token span) span {
	if token.to > token.from && cutByComment(p.text, token.to) {
		for !isBlank(p.text[token.to]) && p.text[token.to] != '\n' {
			token.to++
		}
	}
	return token
}

// fail returns what is wrong with a token.
func (p *parser) fail(err error, token span) *dataset.Error {
	return &dataset.Error{
		Path:   p.path,
		Line:   p.row.Line,
		Column: token.from - p.line + 1,
		Token:  rows.Shorten(p.text[token.from:token.to]),
		Err:    err,
	}
}
