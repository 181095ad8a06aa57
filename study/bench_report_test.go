package study

import (
	"encoding/xml"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOf runs a small experiment and returns its report.
func pageOf(t *testing.T) string {
	t.Helper()
	o := preparedComparison(t, twoFolds(t))
	var b strings.Builder
	s := compared(t, o)
	s.Program = `lambdamart <test> & "co"`
	require.NoError(t, s.Write(&b))
	return b.String()
}

// TestReportIsWellFormed: the page and its figures are well-formed XML.
func TestReportIsWellFormed(t *testing.T) {
	// in XML these would be closed
	page := regexp.MustCompile(`<(!DOCTYPE|meta|link)[^>]*>`).ReplaceAllString(pageOf(t), "")
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Entity = xml.HTMLEntity
	ids, figures, headings := map[string]bool{}, 0, 0
	var links []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "svg":
			figures++
		case "h2":
			headings++
		case "script", "img", "iframe", "object":
			t.Errorf("<%s> in the page", start.Name.Local)
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				assert.False(t, ids[a.Value], "id %s comes twice", a.Value)
				ids[a.Value] = true
			case "href":
				links = append(links, a.Value)
			}
		}
	}
	assert.Equal(t, 1+2*2, figures, "curves, two figures of each of two differences")
	assert.Equal(t, 6, headings)
	for _, link := range links {
		assert.True(t, ids[strings.TrimPrefix(link, "#")], link)
	}
}

// TestReportStandsAlone: the page loads nothing, is complete, and escapes text.
func TestReportStandsAlone(t *testing.T) {
	page := pageOf(t)
	rest := strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "")
	for _, foreign := range []string{"http:", "https:", "@import", "url(", "src="} {
		assert.NotContains(t, rest, foreign)
	}
	for _, word := range []string{"NaN", "%!", "ZgotmplZ", "<no value>", "+Inf"} {
		assert.NotContains(t, page, word)
	}
	assert.Contains(t, page, "lambdamart &lt;test&gt; &amp; &#34;co&#34;")
	for _, id := range []string{"results", "curves", "differences", "data", "settings", "method"} {
		assert.Contains(t, page, `id="`+id+`"`)
	}
}

// TestReportOfOneRanker: with one ranker and one seed, sections without content are omitted.
func TestReportOfOneRanker(t *testing.T) {
	o := preparedComparison(t, filepath.Join(twoFolds(t), "Fold1"))
	o.Seeds = 1
	var b strings.Builder
	o.ofTrees("only")
	require.NoError(t, compared(t, o).Write(&b))
	assert.NotContains(t, b.String(), "NaN")
	assert.NotContains(t, b.String(), `id="differences"`)
	assert.Contains(t, b.String(), "on Fold1")
}

func TestCounts(t *testing.T) {
	assert.Equal(t, []string{"0 pairs", "1 pair", "2 pairs"},
		[]string{counted(0, "pair"), counted(1, "pair"), counted(2, "pair")})
}
