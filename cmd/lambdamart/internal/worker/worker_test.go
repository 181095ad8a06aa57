package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/tree"
)

// The test data has 40 rows in 8 queries, 3 features, and labels that follow the first feature.
const (
	testRows     = 40
	testFeatures = 3
	testQueries  = 8
)

func testValues() (values, labels []float64) {
	for i := range testRows * testFeatures {
		values = append(values, float64(i*7919%101)/4)
	}
	for r := range testRows {
		labels = append(labels, math.Floor(values[r*testFeatures]/9))
	}
	return values, labels
}

// talk sends requests, each followed by its payload, to a worker, and returns its events.
func talk(t *testing.T, requests ...any) []map[string]any {
	t.Helper()
	var in, out bytes.Buffer
	for _, r := range requests {
		if payload, ok := r.([]byte); ok {
			in.Write(payload)
			continue
		}
		line, err := json.Marshal(r)
		require.NoError(t, err)
		in.Write(append(line, '\n'))
	}
	// The worker stops as soon as its input ends, so the input must stay open until the answers have arrived.
	wait, end := io.Pipe()
	done := make(chan error)
	reader, writer := io.Pipe()
	go func() {
		done <- serve(context.Background(), program, io.MultiReader(&in, wait), writer, io.Discard)
		writer.Close()
	}()
	var events []map[string]any
	lines := bufio.NewReader(io.TeeReader(reader, &out))
	answers := 0
	for _, r := range requests {
		if m, ok := r.(map[string]any); ok && m["op"] != "go" && m["op"] != "stop" {
			answers++
		}
	}
	for answers > 0 {
		line, err := lines.ReadBytes('\n')
		require.NoError(t, err)
		var e map[string]any
		require.NoError(t, json.Unmarshal(line, &e))
		if n, ok := e["payload"].(float64); ok {
			payload := make([]byte, int(n))
			_, err := io.ReadFull(lines, payload)
			require.NoError(t, err)
			e["bytes"] = payload
		}
		events = append(events, e)
		if e["event"] == "result" || e["event"] == "error" {
			answers--
		}
	}
	end.Close()
	require.NoError(t, <-done)
	return events
}

// arraysFile writes the test data to a file, by row or by column, and returns the set that describes it.
func arraysFile(t *testing.T) map[string]any {
	t.Helper()
	values, labels := testValues()
	path := filepath.Join(t.TempDir(), "arrays")
	require.NoError(t, os.WriteFile(path, arraysOf(t, values, labels), 0o600))
	return map[string]any{"name": "training", "arrays": map[string]any{"path": path}}
}

// arraysOf returns the content of an arrays file.
func arraysOf(t *testing.T, values, labels []float64) []byte {
	t.Helper()
	b := bytes.NewBuffer(make([]byte, 24))
	put := func(numbers any) (at int) {
		at = b.Len()
		require.NoError(t, binary.Write(b, binary.LittleEndian, numbers))
		return at
	}
	sizes := slices.Repeat([]int64{testRows / testQueries}, testQueries)
	text, err := json.Marshal(map[string]any{"rows": testRows, "features": testFeatures, "queries": testQueries,
		"dense": map[string]any{"offset": put(values)}, "labels": put(labels), "groups": put(sizes)})
	require.NoError(t, err)
	at := b.Len()
	b.Write(text)
	copy(b.Bytes(), "\x8bLMA\r\n\x1a\n")
	binary.LittleEndian.PutUint64(b.Bytes()[8:], uint64(at))
	binary.LittleEndian.PutUint64(b.Bytes()[16:], uint64(len(text)))
	return b.Bytes()
}

// program returns a program with the command that the tests run.
func program() *cli.Program {
	return &cli.Program{Commands: []cli.Command{train.Command(), train.Bin()}}
}

// trainOn returns a request to train on sets, the training data first.
func trainOn(parameters string, sets ...map[string]any) map[string]any {
	args := append([]string{"train", "output_model=-", "min_data_in_leaf=2"}, strings.Fields(parameters)...)
	parameter := "data="
	for _, set := range sets {
		for _, kind := range []string{"arrays", "stored"} {
			if file, ok := set[kind].(map[string]any); ok {
				args, parameter = append(args, parameter+file["path"].(string)), "valid="
			}
		}
	}
	return map[string]any{"op": "run", "trains": true, "args": args}
}

func TestTrainingOnArraysEqualsTheLibrary(t *testing.T) {
	values, labels := testValues()
	sizes := slices.Repeat([]int{testRows / testQueries}, testQueries)
	source, err := dataset.FromRows(slices.Collect(slices.Chunk(values, len(values)/testRows)), labels, sizes)
	require.NoError(t, err)
	p := lambdamart.DefaultParams()
	p.NumIterations, p.MinDataInLeaf = 5, 2
	all, err := lambdamart.Bin(t.Context(), p, source)
	require.NoError(t, err)
	result, err := lambdamart.Train(t.Context(), p, all)
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&want, result.Model))
	events := talk(t, trainOn("num_iterations=5", arraysFile(t)))
	last := events[len(events)-1]
	require.Equal(t, "result", last["event"], last["message"])
	assert.Equal(t, want.String(), string(last["bytes"].([]byte)))
	of := map[any]int{}
	for _, e := range events {
		of[e["event"]]++
	}
	assert.Equal(t, 5, of["iteration"])
}

func TestTheParentEndsTrainingAfterAnIteration(t *testing.T) {
	train := trainOn("num_iterations=50", arraysFile(t))
	train["ask"] = true
	events := talk(t, train, map[string]any{"op": "go"}, map[string]any{"op": "stop"})
	stopped := slices.IndexFunc(events, func(e map[string]any) bool { return e["event"] == "stopped" })
	require.Positive(t, stopped)
	assert.Equal(t, 2.0, events[stopped]["kept"])
	assert.Equal(t, "cancelled", events[stopped]["reason"])
}

func TestTrainingOnBinnedArraysEqualsTrainingOnThem(t *testing.T) {
	set := arraysFile(t)
	stored := map[string]any{"path": filepath.Join(t.TempDir(), "bins")}
	require.NoError(t, os.WriteFile(stored["path"].(string), nil, 0o600))
	args := []string{"bin", "data=" + set["arrays"].(map[string]any)["path"].(string), "max_bin=7", "output=-"}
	binned := talk(t, map[string]any{"op": "run", "args": args, "store": stored})
	require.Equal(t, "result", binned[len(binned)-1]["event"], binned[len(binned)-1]["message"])
	inMemory := map[string]any{"name": "training", "stored": stored}
	want := talk(t, trainOn("num_iterations=5 max_bin=7", set, set))
	for _, valid := range []map[string]any{set, inMemory} {
		events := talk(t, trainOn("num_iterations=5", inMemory, valid))
		assert.Equal(t, want[len(want)-1]["bytes"], events[len(events)-1]["bytes"],
			events[len(events)-1]["message"])
	}
	refused := talk(t, trainOn("max_bin=9", inMemory))
	assert.Contains(t, refused[len(refused)-1]["message"], "was binned with max_bin=7")
}

// trainedModel returns the text of a model, and the model.
func trainedModel(t *testing.T) (text []byte, model lambdamart.Model) {
	t.Helper()
	trained := talk(t, trainOn("num_iterations=5", arraysFile(t)))
	text = trained[len(trained)-1]["bytes"].([]byte)
	model, err := lambdamart.ReadModelFrom(bytes.NewReader(text))
	require.NoError(t, err)
	return text, model
}

func TestModelsAreScoredInTheBuffer(t *testing.T) {
	text, model := trainedModel(t)
	values, _ := testValues()
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
		values[i] = float64(single[i])
	}
	want := make([]float64, testRows)
	require.NoError(t, model.Score(want, values))
	for _, rows := range []any{values, single} {
		var buffer bytes.Buffer
		require.NoError(t, binary.Write(&buffer, binary.LittleEndian, rows))
		behind := buffer.Len()
		buffer.Write(make([]byte, 8*testRows))
		path := filepath.Join(t.TempDir(), "buffer")
		require.NoError(t, os.WriteFile(path, buffer.Bytes(), 0o600))
		t.Setenv(bufferName, path)
		_, isSingle := rows.([]float32)
		events := talk(t, map[string]any{"op": "load", "payload": len(text)}, text,
			map[string]any{"op": "score", "model": 1, "output": "scores", "rows": testRows, "size": buffer.Len(),
				"n": -1, "single": isSingle, "numbers": behind})
		require.Equal(t, "result", events[1]["event"], events[1]["message"])
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, littleEndian(want), data[behind:], "%T", rows)
	}
	for _, request := range []map[string]any{{"op": "scorefile", "path": "x"},
		{"op": "score", "output": "scores"},
		{"op": "score", "output": "leaves"}, {"op": "score", "output": "contributions"}} {
		request["model"], request["from"], request["n"] = 1, 5, -1
		events := talk(t, map[string]any{"op": "load", "payload": len(text)}, text, request)
		assert.Contains(t, events[1]["message"], "start_iteration=5: the model has 5 trees, numbered from 0")
	}
}

// TestErrorsNameTheRowOfTheRequest: also in the batches after the first one.
func TestErrorsNameTheRowOfTheRequest(t *testing.T) {
	values, labels := testValues()
	meta := dataset.Meta{Labels: labels, Queries: []dataset.Query{{ID: "q", Len: testRows}}}
	src, err := dataset.NewDense(meta, values)
	require.NoError(t, err)
	p := lambdamart.DefaultNetworkParams()
	p.Epochs = 1
	d, err := lambdamart.ReadNetworkData(t.Context(), src)
	require.NoError(t, err)
	trained, err := lambdamart.TrainNetwork(t.Context(), p, d)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&text, trained.Model))
	const rows, wrong = 3 * batchRows, batchRows + 44
	many := make([]float64, rows*(testFeatures+1)) // with room for the scores
	many[wrong*testFeatures] = math.NaN()
	path := filepath.Join(t.TempDir(), "buffer")
	require.NoError(t, os.WriteFile(path, littleEndian(many), 0o600))
	t.Setenv(bufferName, path)
	events := talk(t, map[string]any{"op": "load", "payload": text.Len()}, text.Bytes(),
		map[string]any{"op": "score", "model": 1, "output": "scores", "rows": rows, "size": 8 * len(many), "n": -1,
			"numbers": 8 * rows * testFeatures})
	assert.Contains(t, events[1]["message"], fmt.Sprintf("of row %d is NaN", wrong))
}

// TestUnknownCategoriesOfSeveralRequests: what is watched goes on until a request begins anew. One known
// category is enough, in whichever request it is.
func TestUnknownCategoriesOfSeveralRequests(t *testing.T) {
	_, model := trainedModel(t)
	e := *model.(*tree.Ensemble)
	brand := tree.Tree{Feature: []int32{1}, Threshold: []float64{0}, Decision: []tree.Decision{tree.Categorical},
		Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{-1, 1}, LeafCount: []int64{1, 1},
		CategoryStart: []int32{0, 1}, Categories: []uint32{1 << 31}, InternalCount: []int64{2}, Gain: []float64{1},
		InternalValue: []float64{0}, InternalWeight: []float64{1}, LeafWeight: []float64{1, 1}}
	e.Trees = []tree.Tree{brand}
	var b bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&b, &e))
	text := b.Bytes()
	values := slices.Repeat([]float64{0, 50, 0}, testRows)
	path, behind := filepath.Join(t.TempDir(), "buffer"), 8*len(values)
	require.NoError(t, os.WriteFile(path, append(littleEndian(values), make([]byte, 8*testRows)...), 0o600))
	t.Setenv(bufferName, path)
	score := func(watch, rows int) map[string]any {
		return map[string]any{"op": "score", "model": 1, "output": "scores", "rows": rows, "n": -1, "watch": watch,
			"size": behind + 8*testRows, "numbers": behind}
	}
	events := talk(t, map[string]any{"op": "load", "payload": len(text)}, text, score(beginWatch, 40),
		score(goOnWatch, 40), score(goOnWatch, 20), score(beginWatch, 40), score(0, 40), score(goOnWatch, 40))
	assert.EqualValues(t, 100, events[0]["watched"])
	for i, want := range []int{0, 0, 1, 0, 0, 0} {
		assert.Len(t, events[1+i]["warnings"], want, i)
	}
	assert.Contains(t, events[3]["warnings"].([]any)[0], "(100 cells, such as 50; it knows 31)")
}

// TestScoresAreAskedForInCompactForm: a request and its answer, which is written without another goroutine,
// need not be JSON. An error is JSON nonetheless.
func TestScoresAreAskedForInCompactForm(t *testing.T) {
	text, model := trainedModel(t)
	values, _ := testValues()
	want := make([]float64, testRows)
	require.NoError(t, model.Score(want, values))
	path, behind := filepath.Join(t.TempDir(), "buffer"), 8*len(values)
	require.NoError(t, os.WriteFile(path, append(littleEndian(values), make([]byte, 8*testRows)...), 0o600))
	t.Setenv(bufferName, path)
	var in, out, direct bytes.Buffer
	fmt.Fprintf(&in, `{"op":"load","payload":%d}`+"\n%s", len(text), text)
	for _, handle := range []int{1, 7} {
		in.WriteByte(compact)
		for _, number := range []int{handle, testRows, 0, -1, 1, behind + 8*testRows, behind, 0} {
			require.NoError(t, binary.Write(&in, binary.LittleEndian, int64(number)))
		}
	}
	require.NoError(t, serve(t.Context(), program, &in, &out, &direct))
	assert.Equal(t, []byte{compact}, direct.Bytes())
	assert.Contains(t, out.String(), "there is no model 7")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, littleEndian(want), data[behind:])
}

func TestFaultsAreExplained(t *testing.T) {
	set := arraysFile(t)
	for want, request := range map[string]map[string]any{
		"different versions":            {"op": "nothing"},
		"data is missing":               trainOn(""),
		"did you mean num_leaves":       trainOn("num_leafs=3", set),
		"patience=3 needs":              trainOn("patience=3", set),
		"no such file":                  trainOn("valid=x", set),
		"there is no model 7":           {"op": "score", "model": 7, "output": "scores"},
		"not recognized|format|unknown": {"op": "load", "path": "worker.go"},
	} {
		events := talk(t, request)
		last := events[len(events)-1]
		assert.Equal(t, "error", last["event"], want)
		found := false
		for _, w := range strings.Split(want, "|") {
			found = found || strings.Contains(fmt.Sprint(last["message"]), w)
		}
		assert.True(t, found, "%v does not say %s", last["message"], want)
	}
}

func TestTheWorkerEndsWithItsInput(t *testing.T) {
	work := func(input string) error {
		return serve(t.Context(), program, strings.NewReader(input), io.Discard, io.Discard)
	}
	for _, input := range []string{"", "\x01abc", `{"op":"parameters"`,
		`{"op":"load","payload":100}` + "\nabc"} {
		assert.NoError(t, work(input), input)
	}
	assert.ErrorContains(t, work("nonsense\n"), "not JSON")
}

// Ctrl-C may end the input right after a request: the request is answered nevertheless.
func TestARequestIsAnsweredWhenTheInputEndsAfterIt(t *testing.T) {
	line, err := json.Marshal(map[string]any{"op": "run", "trains": true,
		"args": []string{"train", "data=absent"}})
	require.NoError(t, err)
	for range 300 {
		var out bytes.Buffer
		in := bytes.NewReader(append(line, '\n'))
		require.NoError(t, serve(context.Background(), program, in, &out, io.Discard))
		require.Contains(t, out.String(), `"event":"error"`)
	}
}

// TestPiecesStayInTheirMemory writes parts of all sizes around that of a piece.
func TestPiecesStayInTheirMemory(t *testing.T) {
	const size = 1 << 16
	var p pieces
	var want []byte
	for i, n := range []int{0, 1, size - 2, 2, size, 3*size + 5, 7} {
		part := bytes.Repeat([]byte{byte(i)}, n)
		var before *byte
		if len(p) > 0 {
			before = &p[0][0]
		}
		written, err := p.Write(part)
		require.NoError(t, err)
		require.Equal(t, n, written)
		if before != nil {
			assert.Same(t, before, &p[0][0])
		}
		want = append(want, part...)
		assert.Equal(t, len(want), p.Len())
	}
	assert.Equal(t, want, slices.Concat(p...))
	assert.Len(t, p, (len(want)+size-1)/size)
}
