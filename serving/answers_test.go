package serving

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

var update = flag.Bool("update", false, "rewrite testdata/answers.txt")

// stump returns a tree that compares one feature with a threshold: -value at or below it, else value.
func stump(feature int32, threshold, value float64, d tree.Decision) tree.Tree {
	return tree.Tree{
		Feature: []int32{feature}, Threshold: []float64{threshold}, Decision: []tree.Decision{d},
		Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{-value, value},
		InternalCount: []int64{2}, LeafCount: []int64{1, 1}, Gain: []float64{1},
		InternalValue: []float64{0}, InternalWeight: []float64{2}, LeafWeight: []float64{1, 1},
	}
}

func named(names ...string) (features []tree.Feature) {
	for _, name := range names {
		features = append(features, tree.Feature{Name: name})
	}
	return features
}

// bytesOf returns the text of a model.
func bytesOf(t testing.TB, m *tree.Ensemble) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&b, m))
	return b.Bytes()
}

// shops are the models of the golden answers, by file.
func shops(t *testing.T) map[string]*tree.Ensemble {
	t.Helper()
	columns, err := querycontext.ParseColumns("1;zscore=0", 2)
	require.NoError(t, err)
	brand := stump(0, 0, 1, tree.Categorical|tree.MissingNaN)
	brand.CategoryStart, brand.Categories = []int32{0, 1}, []uint32{1 << 1} // category 1 goes left
	usesThree := []tree.Tree{stump(0, 3, 1, tree.MissingNone), stump(2, 5, 0.1, tree.MissingNaN)}
	return map[string]*tree.Ensemble{
		// b is not used, and c may be missing
		"shop.txt":  {Trees: usesThree, Features: named("a", "b", "c")},
		"twice.txt": {Trees: usesThree, Features: named("a", "a", "c")},
		"letor.txt": {Trees: []tree.Tree{stump(1, 3, 1, tree.MissingNone)},
			Features: named("x0", "x1", "x2")},
		"query.txt": {Trees: []tree.Tree{stump(1, 0, 1, tree.MissingNone)}, Features: named("a", "zscore"),
			Context: columns},
		"news/2/model.txt":  {Trees: []tree.Tree{stump(0, 3, 2, tree.MissingNone)}, Features: named("a")},
		"news/10/model.txt": {Trees: []tree.Tree{stump(0, 3, 10, tree.MissingNone)}, Features: named("a")},
		"brand.txt": {Trees: []tree.Tree{brand}, Features: named("brand"),
			Dictionaries: map[int][]string{0: {"acme", "best"}}},
		"sizes.txt": {Trees: []tree.Tree{brand}, Features: named("size"),
			Dictionaries: map[int][]string{0: {"0", "5"}}},
	}
}

var sums = regexp.MustCompile(`[0-9a-f]{64}`)

// TestAnswers compares the answers to the requests in testdata/answers.txt, a line each, with the lines that
// follow the requests. The flag -update writes them.
func TestAnswers(t *testing.T) {
	folder := t.TempDir()
	for name, m := range shops(t) {
		replace(t, filepath.Join(folder, filepath.FromSlash(name)), bytesOf(t, m))
	}
	s, err := New(Config{Models: folder, Version: "v", MaxRequestBytes: 2000,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	const path = "testdata/answers.txt"
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		method, rest, found := strings.Cut(line, " ")
		if !found || method != "GET" && method != "POST" {
			continue
		}
		target, body, _ := strings.Cut(rest, " ")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
		fmt.Fprintf(&got, "%s\n%d %s\n", line, w.Code, sums.ReplaceAllString(w.Body.String(), "SHA256"))
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o666))
	}
	want, answers := strings.Split(string(file), "\n"), strings.Split(got.String(), "\n")
	require.Len(t, answers, len(want))
	for i := range want {
		assert.Equal(t, want[i], answers[i], "line %d", i+1)
	}
}

// TestUnknownCategories: a feature of which the model knows none of the last hundred categories is warned
// about once, whether they are texts or numbers, in one tensor or several; missing values do not count.
func TestUnknownCategories(t *testing.T) {
	folder := t.TempDir()
	all := shops(t)
	all["ids.txt"] = &tree.Ensemble{Trees: all["sizes.txt"].Trees, Features: named("id")}
	for _, name := range []string{"brand.txt", "sizes.txt", "ids.txt"} {
		replace(t, filepath.Join(folder, name), bytesOf(t, all[name]))
	}
	var log bytes.Buffer
	s, err := New(Config{Models: folder, Version: "v", Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	ask := func(model, input, kind, values string, times int) int {
		shape := "[2]"
		if input == featuresInput {
			shape = "[2,1]"
		}
		body := fmt.Sprintf(`{"inputs":[{"name":%q,"datatype":%q,"shape":%s,"data":[%s]}]}`, input, kind, shape,
			values)
		for range times {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", "/v2/models/"+model+"/infer", strings.NewReader(body))
			s.Handler().ServeHTTP(w, r)
			require.Equal(t, 200, w.Code, w.Body.String())
		}
		return strings.Count(log.String(), "none of the last categories")
	}
	assert.Zero(t, ask("brand", "brand", "BYTES", `"other","best"`, 200))
	assert.Zero(t, ask("brand", "brand", "BYTES", `"","other"`, 99))
	assert.Zero(t, ask("brand", "brand", "BYTES", `"acme","other"`, 1))
	assert.Zero(t, ask("brand", "brand", "BYTES", `"",""`, 200))
	assert.Zero(t, ask("brand", "brand", "BYTES", `"","other"`, 99))
	assert.Equal(t, 1, ask("brand", "brand", "BYTES", `"","other"`, 1))
	assert.Equal(t, 1, ask("brand", "brand", "BYTES", `"others","other"`, 200), "once")
	assert.Equal(t, 1, ask("sizes", "size", "FP64", `5,7`, 200))
	assert.Equal(t, 2, ask("sizes", "size", "FP64", `7,8`, 50))
	assert.Contains(t, log.String(), "feature=brand categories=100 example=other")
	assert.Contains(t, log.String(), "feature=size categories=100 example=8")
	for _, input := range []string{"id", featuresInput} { // the second after another start
		s, err = New(Config{Models: folder, Version: "v", Log: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		log.Reset()
		assert.Zero(t, ask("ids", input, "FP64", `1,7`, 200), input)
		assert.Zero(t, ask("ids", input, "FP64", `8,7`, 49), input)
		assert.Zero(t, ask("ids", input, "FP64", `null,-1`, 49), input)
		assert.Equal(t, 1, ask("ids", input, "FP64", `8,7`, 200), input)
		assert.Contains(t, log.String(), "feature=id categories=100 example=7", input)
	}
}
