package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderToServe returns a folder with a model, models/shop.txt.
func folderToServe(t *testing.T) string {
	t.Helper()
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=model.txt"}, fewRows...)...)
	return dir
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// serving starts the server, and returns its address and a reader of the rest of its log.
func serving(t *testing.T, c *exec.Cmd) (address string, log *bufio.Reader) {
	t.Helper()
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	log = bufio.NewReader(stderr)
	for {
		line, err := log.ReadString('\n')
		require.NoError(t, err)
		if m := listening.FindStringSubmatch(line); m != nil {
			return m[1], log
		}
	}
}

func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SIGTERM cannot be sent there")
	}
	dir := folderToServe(t)
	c := command(t, dir, "serve", "model.txt", "address=127.0.0.1:0", "verbosity=2")
	address, log := serving(t, c)
	response, err := http.Get("http://" + address + "/v2/health/ready")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
	response, err = http.Get("http://" + address + "/v2/models/model")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(log)
	require.NoError(t, err)
	assert.Contains(t, string(rest), "msg=ended")
	require.NoError(t, c.Wait(), "a graceful end is not a failure")
}

// TestServeCountsFeatures: the query, the weight and an ignored column of the training table are not
// features of a
// request, whether the model was trained on the table or on stored bins.
func TestServeCountsFeatures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SIGTERM cannot be sent there")
	}
	dir := t.TempDir()
	table := "label,a,query,weight,b,note\n"
	for row := range 200 {
		table += fmt.Sprintf("%d,%d,q%d,%d,%d,%d\n", row%3, row%7, row/10, 1+row/100, row%3*2+row%2, row)
	}
	writeFile(t, dir, "t.csv", table)
	columns := []string{"weight_column=name:weight", "ignore_column=name:note"}
	succeed(t, dir, append([]string{"train", "data=t.csv", "output_model=model.txt", "min_data_in_leaf=2",
		"num_iterations=3"}, columns...)...)
	succeed(t, dir, append([]string{"bin", "data=t.csv", "output=t.bin"}, columns...)...)
	succeed(t, dir, "train", "data=t.bin", "output_model=binned.txt", "min_data_in_leaf=2", "num_iterations=3")
	assert.Equal(t, readFile(t, dir, "model.txt"), readFile(t, dir, "binned.txt"))

	address, _ := serving(t, command(t, dir, "serve", "model.txt", "address=127.0.0.1:0"))
	response, err := http.Get("http://" + address + "/v2/models/model")
	require.NoError(t, err)
	defer response.Body.Close()
	var described struct {
		Inputs []struct{ Shape []int }
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&described))
	assert.Equal(t, []int{-1, 2}, described.Inputs[0].Shape, "a and b")
}

func TestServeRefusesATakenAddress(t *testing.T) {
	dir := folderToServe(t)
	taken, _ := serving(t, command(t, dir, "serve", "model.txt", "address=127.0.0.1:0"))
	refuseAll(t, dir, refusal{1, "serve model.txt address=" + taken, "address already in use"})
}

// TestServeBest serves a model of preset=best with query context. Scores depend on the queries of a
// request, and equal predict's.
func TestServeBest(t *testing.T) {
	dir := t.TempDir()
	text := shiftedText(90, true)
	writeFile(t, dir, "train.txt", text)
	succeed(t, dir, "train", "data=train.txt", "num_iterations=10", "preset=best")
	require.Contains(t, readFile(t, dir, "model.txt"), "[query_context_columns: ")
	var want []float64
	for _, line := range strings.Fields(succeed(t, dir, "predict", "data=train.txt", "input_model=model.txt",
		"output_result=-").stdout)[:16] {
		score, err := strconv.ParseFloat(line, 64)
		require.NoError(t, err)
		want = append(want, score)
	}
	var values, queries []string
	for _, line := range strings.Split(text, "\n")[:16] { // two queries
		words := strings.Fields(line)
		values = append(values, "[0,"+words[2][2:]+","+words[3][2:]+"]")
		queries = append(queries, strconv.Quote(words[1]))
	}
	address, _ := serving(t, command(t, dir, "serve", "model.txt", "address=127.0.0.1:0"))
	infer := func(inputs string) (scores []float64) {
		t.Helper()
		response, err := http.Post("http://"+address+"/v2/models/model/infer", "application/json",
			strings.NewReader(`{"inputs":[`+inputs+`]}`))
		require.NoError(t, err)
		defer response.Body.Close()
		var got struct{ Outputs []struct{ Data []float64 } }
		require.NoError(t, json.NewDecoder(response.Body).Decode(&got))
		require.Len(t, got.Outputs, 1)
		return got.Outputs[0].Data
	}
	features := `{"name":"features","datatype":"FP64","shape":[16,3],"data":[` + strings.Join(values, ",") + `]}`
	query := `{"name":"query","datatype":"BYTES","shape":[16],"data":[` + strings.Join(queries, ",") + `]}`
	assert.Equal(t, want, infer(features+","+query))
	assert.NotEqual(t, want, infer(features), "all documents are of one query")
}
