package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResumeWithoutCheckpoint(t *testing.T) {
	dir := folderWithData(t)
	args := []string{"train", "data=train.txt", "output_model=m", "num_iterations=3", "min_data_in_leaf=2"}
	got := execute(t, dir, append(args, "resume=true")...)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "m.checkpoint: there is no checkpoint to continue from")
	assert.Contains(t, succeed(t, dir, append(args, "resume=auto")...).stderr,
		"there is no m.checkpoint; training starts from the beginning")

	writeFile(t, dir, "m.checkpoint", "x")
	for _, resume := range []string{"true", "auto"} {
		got = execute(t, dir, append(args, "resume="+resume)...)
		assert.Equal(t, 1, got.status)
		assert.Regexp(t, "m.checkpoint: the checkpoint is damaged: .*; remove it to start from the beginning",
			got.stderr)
	}
	got = succeed(t, dir, args...)
	assert.Contains(t, got.stderr, "warning: m.checkpoint exists, from a training run that was interrupted")
	assert.NoFileExists(t, filepath.Join(dir, "m.checkpoint"))
}

// folderWithPairs returns a folder with data, and with pairs of the documents of train.txt.
func folderWithPairs(t *testing.T) string {
	dir := folderWithData(t)
	var pairs strings.Builder
	pairs.WriteString("qid\tbetter\tworse\n")
	for q := 1; q <= 40; q++ {
		for d := range 11 {
			fmt.Fprintf(&pairs, "%[1]d\tdoc-%[1]d-%[2]d\tdoc-%[1]d-%[3]d\n", q, d*5%12, (d+1)*5%12)
		}
	}
	writeFile(t, dir, "pairs.tsv", pairs.String())
	return dir
}

// TestPairsJudge: pairs of validation data end training, and eval judges the model by them alike. A sum of
// objectives that is without pairs, or a file of scores, is judged as well.
func TestPairsJudge(t *testing.T) {
	dir := folderWithPairs(t)
	writeFile(t, dir, "held.tsv",
		"qid\tbetter_row\tworse_row\tweight\n1001\t1\t2\t3\n1002\t2\t1\t1\n1002\t3\t1\t1\n")
	args := []string{"train", "data=train.txt", "valid=test.txt", "valid_pairs=held.tsv",
		"metric=pair_agreement", "patience=5", "min_data_in_leaf=2"}
	got := succeed(t, dir, append(args, "output_model=m", "objective=pairs", "pairs=pairs.tsv")...)
	assert.Contains(t, got.stderr, "held.tsv: 3 pairs")
	found := regexp.MustCompile(
		`best iteration: \d+ \(pair_agreement on valid_1 (\d\.\d{4})`).FindStringSubmatch(got.stderr)
	require.NotNil(t, found, got.stderr)
	value := found[1]
	judged := []string{"eval", "data=test.txt", "metric=pair_agreement", "pairs=held.tsv"}
	assert.Regexp(t, "pair_agreement +"+value, succeed(t, dir, append(judged, "input_model=m")...).stdout)
	succeed(t, dir, append(args, "output_model=n")...)
	writeFile(t, dir, "held.tsv", "qid\tbetter\tworse\tweight\n1001\tdoc-1001-0\tdoc-1001-1\t3\n"+
		"1002\tdoc-1002-1\tdoc-1002-0\t1\n1002\tdoc-1002-2\tdoc-1002-0\t1\n")
	succeed(t, dir, append(args, "output_model=ids")...)
	assert.Equal(t, readFile(t, dir, "n"), readFile(t, dir, "ids"), "pairs by the ids of documents")
	succeed(t, dir, "predict", "data=test.txt", "input_model=m", "output_result=scores")
	assert.Regexp(t, "pair_agreement +"+value, succeed(t, dir, append(judged, "scores=scores")...).stdout)

	writeFile(t, dir, "held.tsv", "qid\tbetter_row\tworse_row\tweight\n1001\t1\t2\t0\n")
	none := "no value, since none of the queries counts; check the labels, the weights"
	assert.Contains(t, succeed(t, dir, append(judged, "scores=scores")...).stderr, "pair_agreement: "+none)
	writeFile(t, dir, "test.txt.weight", strings.Repeat("0\n", 120))
	writeFile(t, dir, "half", strings.Repeat("0.5\n", 120))
	got = succeed(t, dir, "eval", "data=test.txt", "scores=half", "metric=ece,ndcg@5")
	assert.Contains(t, got.stderr, "ndcg@5: "+none)
	assert.NotContains(t, got.stderr, "document is of")
	got = succeed(t, dir, "eval", "data=test.txt", "scores=half", "metric=ece", "interval=0.9")
	assert.Contains(t, got.stderr, "by, interval and per_query are of rankings")
	for unused, model := range map[string]string{"num_iteration_predict=2": "scores=half",
		"feature_base=1": "scores=half", "target_field=grade": "input_model=m"} {
		got = execute(t, dir, "eval", "data=test.txt", model, unused)
		assert.Regexp(t, unused+" has no effect without a (model|table)", got.stderr)
	}
	got = execute(t, dir, "compare", "m", "n", "data=test.txt", "churn_at=0", "churn_persistence=0.5")
	assert.Contains(t, got.stderr, "churn_persistence=0.5 has no effect with churn_at=0")
}
