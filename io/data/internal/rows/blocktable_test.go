package rows

import (
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/test/aid"
)

// letorLike is text with comments and blank lines, which are not rows; tableLike is text with quotes.
var (
	letorLike = Lines{IsRow: func(text []byte) bool { return isRow(text, "\n#") }}
	tableLike = Lines{IsRow: func(text []byte) bool { return isRow(text, "\n") }, Quotes: true}
)

func isRow(text []byte, none string) bool {
	rest := strings.TrimLeft(string(text), " \t\r")
	return rest != "" && !strings.ContainsRune(none, rune(rest[0]))
}

// open opens a file to find its rows, without a parser.
func open(t testing.TB, path string, lines Lines, size int) *File {
	in, err := stream.Open(path, stream.Options{})
	require.NoError(t, err)
	text, err := SkipMark(in)
	require.NoError(t, err)
	return NewFile(path, []Input{text}, lines, nil, Options{BlockSize: size, Workers: 2})
}

// TestOpenQuote: to find that a quote is never closed takes no more memory for a larger file.
func TestOpenQuote(t *testing.T) {
	path := aid.File(t, "data.csv", `"`)
	require.NoError(t, os.Truncate(path, 2*longestQuoted+1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := open(t, path, tableLike, 1<<18).NumRows(context.Background())
	runtime.ReadMemStats(&after)
	require.NoError(t, err) // reading the row reports that
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5*longestQuoted/2))
}

// TestTable compares the table of blocks, which is made in parallel, with a sequential reading, for texts
// whose rows are difficult to find at block boundaries.
func TestTable(t *testing.T) {
	texts := []string{
		"", "\n", " ", "1", "1\n", "\n\n1\n", "   1\n  \n  #\n#1\n 1 #\n", "\ufeff", "\ufeff1\n1", "1\n   ",
		"\r\n1\r\n",
		"1 qid:1 1:1\n          1 qid:1 1:1\n          # 1\n1\n\n\n\n\n1", strings.Repeat(" ", 50) + "1\n1",
	}
	for _, text := range texts {
		path := aid.File(t, "data.txt", text)
		for size := 1; size < 40; size++ {
			f := open(t, path, letorLike, size)
			rows, known, err := f.NumRows(context.Background())
			require.NoError(t, err)
			assert.True(t, known)
			whole := []byte(strings.TrimPrefix(text, "\ufeff"))
			if n := len(whole); n > 0 && whole[n-1] != '\n' {
				whole = append(whole, '\n')
			}
			assert.Equal(t, letorLike.count(whole).rows, rows, "%q in blocks of %d", text, size)
			line, at := 1, f.parts[0].In.Size()-int64(len(strings.TrimPrefix(text, "\ufeff")))
			for _, e := range f.parts[0].table.entries {
				assert.Equal(t, line, e.firstLine, "%q in blocks of %d", text, size)
				assert.Equal(t, at, e.offset)
				b := []byte(text[at : at+int64(e.size)])
				if b[len(b)-1] != '\n' {
					b = append(b, '\n')
				}
				c := letorLike.count(b)
				line, at = line+c.lines, at+int64(e.size)
				assert.Equal(t, c, e.counted)
			}
			assert.Equal(t, f.parts[0].In.Size(), max(at, f.parts[0].In.Size()))
			f.Close()
		}
	}
}

// TestQuotes: line ends within quotes do not end a row, wherever blocks are split. The naive reader goes
// byte by byte.
func TestQuotes(t *testing.T) {
	texts := []string{
		"a,b\n1,\"x\ny\"\n2,z\n", "\"\n\n\n\"\n\n\"\"\"\n\"\n3", "\"a\"\"b\nc\",1\n\n \n2,\"\n\"", "1\n2\n3\n",
		"\"" + strings.Repeat("\n", 30) + "\"\n1\n",
		"x\n\"never closed\n1\n2",
	}
	for _, text := range texts {
		path := aid.File(t, "data.txt", text)
		want := naiveQuoted(text)
		for size := 1; size < 40; size++ {
			f := open(t, path, tableLike, size)
			rows, _, err := f.NumRows(context.Background())
			require.NoError(t, err)
			require.Equal(t, len(want), rows, "%q in blocks of %d", text, size)
			row := 0
			for _, e := range f.parts[0].table.entries {
				if e.counted.rows > 0 {
					first := e.firstLine
					if want[row] != first { // blank lines may precede the row
						between := strings.Split(text, "\n")[first-1 : want[row]-1]
						assert.Empty(t, strings.TrimSpace(strings.Join(between, "")), "%q in blocks of %d", text, size)
					}
				}
				row += e.counted.rows
			}
			s, err := newSequence(f.parts[0], tableLike, size, func(int64, int64) {})
			require.NoError(t, err)
			var b Text
			row = 0
			for s.next(&b) == nil {
				row += b.Rows
			}
			s.close()
			f.Close()
			require.Equal(t, len(want), row, "%q in sequences of %d", text, size)
		}
	}
}

// naiveQuoted returns the line number of each row, by reading byte by byte.
func naiveQuoted(text string) (lines []int) {
	inside, line, begun := false, 1, 0
	for i := range len(text) {
		c := text[i]
		if begun == 0 && c != ' ' && c != '\r' && c != '\n' {
			begun = line
			lines = append(lines, line)
		}
		if c == '"' {
			inside = !inside
		}
		if c == '\n' {
			line++
			if !inside {
				begun = 0
			}
		}
	}
	return lines
}

func TestSumBefore(t *testing.T) {
	for _, size := range []int{1, 2, 3} {
		assert.NoError(t, aid.Peers(size, func(g peers.Group) error {
			before, all := sumBefore(g, g.Rank()+1)
			assert.Equal(t, g.Rank()*(g.Rank()+1)/2, before)
			assert.Equal(t, size*(size+1)/2, all)
			return nil
		}))
	}
}

// TestBlocksOfPartsAreNumberedThrough: blocks of all parts, and the end, are numbered consecutively. Rows are
// emitted in this order, and none after the end.
func TestBlocksOfPartsAreNumberedThrough(t *testing.T) {
	const size = 64
	var f *File
	for _, lines := range []int{50, 1, 20} {
		part := open(t, aid.File(t, "data.txt", strings.Repeat("1 2 3\n", lines)), letorLike, size)
		if f == nil {
			f = part
		} else {
			f.parts = append(f.parts, part.parts...)
		}
	}
	defer f.Close()
	c := &chain{file: f, left: f.parts}
	defer c.close()
	rows := 0
	for index := 0; ; index++ {
		var b Text
		err := c.next(&b)
		assert.Equal(t, index, b.index)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		assert.Equal(t, rows, b.FirstRow)
		rows += b.Rows
	}
	assert.Equal(t, 71, rows)
}

// TestNextEndOfManyQuotes: a line is searched once, not from each of its quotes, which took a minute for the
// heading of half a million quoted names.
func TestNextEndOfManyQuotes(t *testing.T) {
	line := strings.Repeat("\"a\n\",", 1<<18) + "\"name of a feature\"" + strings.Repeat(",\"b\"", 1<<18)
	assert.Equal(t, len(line), tableLike.NextEnd([]byte(line+"\n1\n"), 0))
	assert.Equal(t, -1, tableLike.NextEnd([]byte(line+"\"\n"), 0))
}
