package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/test/aid"
)

// onPeers runs a command line in this process on goroutines that act as the given number of peers. It
// returns what peer 0 writes to standard output. The error holds the messages of the peer that fails first.
func onPeers(t *testing.T, size int, args ...string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = aid.Peers(size, func(g peers.Group) error {
		var results io.Writer = &out
		if g.Rank() > 0 {
			results = io.Discard
		}
		if size == 1 {
			g = peers.Group{}
		}
		var messages bytes.Buffer
		if status := run(t.Context(), args, results, &messages, g); status != 0 {
			return fmt.Errorf("status %d: %s", status, messages.String())
		}
		return nil
	})
	return out.String(), err
}

// peerSizes are the numbers of peers to try commands with.
func peerSizes() []int {
	if testing.Short() {
		return []int{3}
	}
	return []int{2, 12} // 12 is more than the number of queries
}

// sameOnPeers runs a command line with output=out on one process and on several peers, and compares
// standard output and the files in the folder out.
func sameOnPeers(t *testing.T, dir string, args ...string) {
	t.Helper()
	outputs := func(size int) (string, string) {
		var line []string
		for _, arg := range args {
			line = append(line, strings.ReplaceAll(strings.ReplaceAll(arg, "DIR", dir), "OUT",
				filepath.Join(dir, "out")))
		}
		text, err := onPeers(t, size, line...)
		require.NoError(t, err, "%v on %d peers", args, size)
		file := ""
		if strings.Contains(fmt.Sprint(args), "OUT") {
			file = readFile(t, dir, "out")
		}
		return text, file
	}
	wantText, wantFile := outputs(1)
	for _, size := range peerSizes() {
		text, file := outputs(size)
		assert.Equal(t, wantText, text, "%v on %d peers", args, size)
		assert.Equal(t, wantFile, file, "%v on %d peers", args, size)
	}
}

// TestPeersScoreAndJudge: on divided data, predict and eval write the same bytes as one process.
func TestPeersScoreAndJudge(t *testing.T) {
	dir := folderWithData(t)
	_, err := onPeers(t, 1, append([]string{"train", "data=" + filepath.Join(dir, "train.txt"), "output_model=" +
		filepath.Join(dir, "m"), "verbosity=0"}, fewRows...)...)
	require.NoError(t, err)
	_, err = onPeers(t, 1, "predict", "data="+filepath.Join(dir, "test.txt"),
		"input_model="+filepath.Join(dir, "m"), "output_result="+filepath.Join(dir, "s"), "verbosity=0")
	require.NoError(t, err)
	scores := readFile(t, dir, "s")
	writeFile(t, dir, "s", strings.Replace(scores, strings.SplitN(scores, "\n", 2)[0], "nan", 1))
	given := []string{"data=DIR/test.txt", "input_model=DIR/m", "verbosity=0"}
	for _, args := range [][]string{
		{"predict", "output_result=OUT"},
		{"predict", "output_result=OUT", "predict_leaf_index=true"},
		{"predict", "output_result=OUT", "predict_contrib=true"},
		{"predict", "output_result=OUT", "format=trec"},
		{"eval", "metric=ndcg,map,mrr", "eval_at=1,3,0", "metric_convention=all"},
		{"eval", "json=true", "interval=0.9", "resamples=50", "per_query=OUT"},
	} {
		sameOnPeers(t, dir, append(args, given...)...)
	}
	_, err = onPeers(t, 1, append([]string{"train", "query_context=rank,zscore", "data=" +
		filepath.Join(dir, "train.txt"), "output_model=" + filepath.Join(dir, "wide"), "verbosity=0"},
		fewRows...)...)
	require.NoError(t, err)
	for _, args := range [][]string{{"predict", "output_result=OUT"},
		{"predict", "output_result=OUT", "format=trec"}, {"eval", "json=true"}} {
		sameOnPeers(t, dir, append(args, "data=DIR/test.txt", "input_model=DIR/wide", "verbosity=0")...)
	}
	sameOnPeers(t, dir, "eval", "data=DIR/test.txt", "scores=DIR/s", "json=true", "verbosity=0")
}

// TestPeersGoOnFromModels: on peers, initial scores and those of an initial model are those of one process.
func TestPeersGoOnFromModels(t *testing.T) {
	dir := trained(t)
	writeFile(t, dir, "train.txt.init", strings.Repeat("0\n1\n-0.5\n", 40*12/3))
	sameOnPeers(t, dir, append([]string{"train", "data=DIR/train.txt", "valid=DIR/test.txt",
		"input_model=DIR/model.txt", "output_model=OUT", "verbosity=0"}, fewRows...)...)
}

// TestPeersSeeOneModel: it is an error if peers read different models.
func TestPeersSeeOneModel(t *testing.T) {
	dir := folderWithData(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for i, name := range []string{"m0", "m1"} {
		_, err := onPeers(t, 1, append([]string{"train", "data=" + at("train.txt"), "output_model=" + at(name),
			"verbosity=0", fmt.Sprint("seed=", i), "feature_fraction=0.5"}, fewRows...)...)
		require.NoError(t, err)
	}
	for _, args := range [][]string{{"predict", "data=" + at("test.txt"), "output_result=" + at("o")},
		{"eval", "data=" + at("test.txt")}, {"train", "data=" + at("train.txt"), "output_model=" + at("o")}} {
		err := aid.Peers(2, func(g peers.Group) error {
			var messages bytes.Buffer
			own := append(slices.Clip(args), "input_model="+at(fmt.Sprint("m", g.Rank())))
			if status := run(t.Context(), own, io.Discard, &messages, g); status != 0 {
				return errors.New(messages.String())
			}
			return nil
		})
		assert.ErrorContains(t, err, "do not see the same file", args[0])
	}
	assert.NoFileExists(t, at("o"))
}

// TestPeersFailTogether: an error on one peer, or in writing the output, ends all peers with its message.
func TestPeersFailTogether(t *testing.T) {
	dir := folderWithData(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	_, err := onPeers(t, 1, append([]string{"train", "data=" + at("train.txt"), "output_model=" + at("m"),
		"verbosity=0"}, fewRows...)...)
	require.NoError(t, err)
	text := readFile(t, dir, "test.txt")
	lines := strings.Count(text, "\n")
	writeFile(t, dir, "bad.txt", text+"1 qid:7 2:oops\n")
	writeFile(t, dir, "returns.txt", text+"1 qid:1000 2:1\n")
	writeFile(t, dir, "few", "1\n2\n")
	writeFile(t, dir, "many", strings.Repeat("1\n", lines+1))
	writeFile(t, dir, "text", strings.Repeat("1\n", lines-1)+"x\n")
	writeFile(t, dir, "empty.txt", "")
	writeFile(t, dir, "plain.txt", strings.Repeat("1 1:2\n", 40))
	model := "input_model=" + at("m")
	_, err = onPeers(t, 1, append([]string{"train", "query_context=rank", "data=" + at("train.txt"),
		"output_model=" + at("wide"), "verbosity=0"}, fewRows...)...)
	require.NoError(t, err)
	for want, args := range map[string][]string{
		fmt.Sprintf("bad.txt:%d", lines+1): {"predict", "data=" + at("bad.txt"), model, "output_result=" +
			at("o")},
		"parts of several peers":                   {"eval", "data=" + at("returns.txt"), model},
		fmt.Sprintf("2 scores for %d rows", lines): {"eval", "data=" + at("test.txt"), "scores=" + at("few")},
		fmt.Sprintf("%d scores for", lines+1):      {"eval", "data=" + at("test.txt"), "scores=" + at("many")},
		fmt.Sprintf("text:%d", lines):              {"eval", "data=" + at("test.txt"), "scores=" + at("text")},
		"no row": {"predict", "data=" + at("empty.txt"), model, "output_result=" +
			at("o")},
		"returns.txt: \"1000\"": {"predict", "data=" + at("returns.txt"), "input_model=" +
			at("wide"), "output_result=" + at("o")},
		"no row has a qid":      {"eval", "data=" + at("plain.txt"), model},
		"judged by one process": {"eval", "qrels=" + at("m"), "run=" + at("m")},
		"no space left": {"predict", "data=" + at("test.txt"), model,
			"output_result=/dev/full"},
		"no such file or directory": {"predict", "data=" + at("test.txt"), model, "output_result=" +
			at("absent/o")},
		"bin runs in one process":     {"bin", "data=" + at("test.txt"), "output=" + at("o")},
		"compare runs in one process": {"compare", "data=" + at("test.txt"), model, model},
		"predict_contrib exclude each other": {"predict", "data=" + at("test.txt"), model,
			"predict_contrib=true", "predict_leaf_index=true"},
	} {
		for _, size := range peerSizes() {
			_, err := onPeers(t, size, args...)
			assert.ErrorContains(t, err, want, "%d ranks", size)
		}
	}
	assert.NoFileExists(t, at("o"))
}
