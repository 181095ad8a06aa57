package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableOfGoals writes the same data as a table with columns for second labels and positions, and as LETOR
// text with companion files.
func tableOfGoals(t *testing.T, dir string) {
	var csv, letor, second, places strings.Builder
	csv.WriteString("label,query,f1,f2,f3,bought,place\n")
	for row := range 600 {
		query, place := row/12, row%12%5
		a, b, c := row*7919%101, row*104729%37, row*1299709%17
		label, sold := (a/30+b/19)%4, (c/6+b/13)%3
		fmt.Fprintf(&csv, "%d,q%d,%d,%d,%d,%d,p%d\n", label, query, a, b, c, sold, place)
		fmt.Fprintf(&letor, "%d qid:%d 1:%d 2:%d 3:%d\n", label, query, a, b, c)
		fmt.Fprintln(&second, sold)
		fmt.Fprintf(&places, "p%d\n", place)
	}
	writeFile(t, dir, "goals.csv", csv.String())
	writeFile(t, dir, "goals.txt", letor.String())
	writeFile(t, dir, "goals.txt.label.bought", second.String())
	writeFile(t, dir, "goals.txt.position", places.String())
}

// TestWhatIsNotLearned: second labels without an objective, of networks, and positions without a column.
func TestWhatIsNotLearned(t *testing.T) {
	dir := t.TempDir()
	tableOfGoals(t, dir)
	table := []string{"data=goals.csv", "group_column=query"}
	got := succeed(t, dir, append([]string{"train", "num_iterations=2"},
		append(table, "label_columns=label,bought", "ignore_column=place")...)...)
	assert.Contains(t, got.stderr, "labels that are not trained on: bought")
	writeFile(t, dir, "goals.txt.label.bought", strings.Repeat("0\n", 12)+strings.Repeat("1\n0\n", 294))
	got = succeed(t, dir, "train", "data=goals.txt", "valid=goals.txt", "label_columns=label,bought",
		"metric=map@label,map@bought,mrr(rel=2)@label", "num_iterations=1")
	assert.Regexp(t, `
valid_1 \(goals.txt; 50 queries, 0 without a relevant document\)
  map@label 1.0000 mrr\(rel=2\)@label 1.0000
valid_1 \(goals.txt; 50 queries, 1 without a relevant document\)
  map@bought 0.\d+
$`, got.stdout)
	writeFile(t, dir, "goals.txt.label.none", strings.Repeat("0\n", 600))
	got = succeed(t, dir, "train", "data=goals.txt", "valid=goals.txt", "label_columns=label,none",
		"objective=lambdarank:1,lambdarank@none:1", "metric=ndcg@3@none", "num_iterations=1")
	assert.Contains(t, got.stderr, "in none of the queries does the label none of documents differ")
	for asked, place := range map[string]string{"objective=lambdarank@sold": "lambdarank@sold: goals.txt: ",
		"metric=ndcg@sold valid=goals.txt": "valid_1: goals.txt: "} {
		got = execute(t, dir, strings.Fields("train data=goals.txt label_columns=label,bought "+asked)...)
		assert.Contains(t, got.stderr, "lambdamart: "+place+"label sold: the data has no such label")
	}
	const otherLabel = "warning: the probabilities are of the label label, and the model was trained on " +
		"bought; calibration_label=bought>=1 chooses another event"
	for _, c := range []struct {
		objective string
		warned    bool
	}{{"lambdarank@bought", true}, {"lambdarank:1,lambdarank@bought:.01", false}} {
		got = execute(t, dir, "train", "data=goals.txt", "valid=goals.txt", "label_columns=label,bought",
			"objective="+c.objective, "calibration=platt", "num_iterations=5", "output_model=m.txt")
		assert.Equal(t, c.warned, strings.Contains(got.stderr, otherLabel), c.objective)
	}
	got = succeed(t, dir, "calibrate", "data=goals.txt", "label_columns=label,bought", "input_model=m.txt",
		"output_model=n.txt")
	assert.Contains(t, got.stderr, "probability of label>=1 from 600 documents")
	writeFile(t, dir, "scores.txt", strings.Repeat("0\n", 600))
	for command, word := range map[string]string{"cv": "objective=pairs:1,lambdarank:1",
		"tune": "metric=pair_agreement"} {
		got := execute(t, dir, command, word, "data=goals.txt")
		assert.Equal(t, 2, got.status)
		assert.Contains(t, got.stderr, word+": only train and eval read pairs of documents")
	}
	writeFile(t, dir, "twos.txt", strings.Repeat("2\n", 600))
	for asked, want := range map[string]string{
		"metric=map@sold": "goals.txt: label sold: the data has no such label",
		"metric=map@5@":   `cut-off "5@" of "map@5@"`,
		"metric=brier":    "twos.txt: query 0: score 2: ece, log_loss and brier judge probabilities"} {
		got = execute(t, dir,
			strings.Fields("eval data=goals.txt scores=twos.txt labels=label,bought "+asked)...)
		assert.Contains(t, got.stderr, "lambdamart: "+want)
	}
	got = succeed(t, dir, "eval", "data=goals.txt", "scores=scores.txt", "label_columns=label,bought,none",
		"metric=map@bought,mrr@bought,map,map@none")
	assert.Contains(t, got.stdout,
		": 1 without a relevant document (0 by the first label, 50 by none), 0 with one")
	got = succeed(t, dir, "train", "ranker=ranknet", "data=goals.txt", "labels=label,bought", "hidden_layers=3",
		"epochs=1")
	assert.Contains(t, got.stderr, "networks are trained on the first of the labels")
	require.NoError(t, os.Remove(filepath.Join(dir, "goals.txt.position")))
	got = succeed(t, dir, "train", "data=goals.txt", "num_iterations=2",
		"lambdarank_position_bias_regularization=1")
	assert.Contains(t, got.stderr, "name their column, position_column=name:NAME")
}

// TestPlaceOfAFurtherLabel: a label that cannot be used is shown where it stands, not in the text.
func TestPlaceOfAFurtherLabel(t *testing.T) {
	dir := t.TempDir()
	tableOfGoals(t, dir)
	writeFile(t, dir, "goals.txt", "# a comment\n"+readFile(t, dir, "goals.txt"))
	writeFile(t, dir, "goals.txt.label.bought", strings.Repeat("1\n0\n", 10)+"-1\n0\n"+
		strings.Repeat("0\n1\n", 289))
	writeFile(t, dir, "scores.txt", strings.Repeat("0\n", 600))
	const want = `goals.txt.label.bought: row 21: "-1": `
	for _, args := range []string{
		"train objective=lambdarank@bought",
		"train valid=goals.txt metric=ndcg@5@bought num_iterations=1",
		"eval scores=scores.txt metric=map@bought",
		"cv objective=lambdarank@bought folds=2 num_iterations=1",
	} {
		got := execute(t, dir, strings.Fields(args+" data=goals.txt label_columns=label,bought")...)
		assert.Contains(t, got.stderr, want, args)
	}
}

// TestProbabilitiesOfALabel: a model of one label predicts the same probabilities as if this were the only
// label, and is judged by its label.
func TestProbabilitiesOfALabel(t *testing.T) {
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("query,shown,bought,f1\n")
	for row := range 600 {
		fmt.Fprintf(&table, "q%d,%d,%d,%d\n", row/12, row%2, row*7919%101/60, row*7919%101)
	}
	writeFile(t, dir, "two.csv", table.String())
	do := func(command, labels string, more ...string) outcome {
		return succeed(t, dir, append([]string{command, "data=two.csv", "group_column=query", labels}, more...)...)
	}
	const both, alone, other = "label_columns=shown,bought", "label_column=bought", "ignore_column=shown"
	do("train", both, "num_iterations=3", "objective=binary@bought", "output_model=m.txt")
	do("train", alone, other, "num_iterations=3", "objective=binary", "output_model=n.txt")
	do("predict", both, "input_model=m.txt", "output_result=m.scores")
	do("predict", alone, other, "input_model=n.txt", "output_result=n.scores")
	assert.Equal(t, readFile(t, dir, "n.scores"), readFile(t, dir, "m.scores"))
	assert.NotContains(t, readFile(t, dir, "m.scores"), "-")
	got := do("eval", both, "input_model=m.txt", "metric=ece")
	assert.Contains(t, got.stdout, "ece     bought>=1")
	assert.NotContains(t, got.stderr, "warning")
	assert.Contains(t, do("eval", both, "input_model=m.txt", "metric=brier@shown").stderr, "warning: the "+
		"probabilities are judged by the label shown, and the model was trained on bought; "+
		"calibration_label=bought>=1 chooses another event")
	train := func(more ...string) string {
		more = append(more, "valid=two.csv", "objective=binary@bought", "num_iterations=3")
		return do("train", both, more...).stdout
	}
	own := do("train", alone, other, "valid=two.csv", "objective=binary", "num_iterations=3",
		"metric=ece,brier").stdout
	assert.Equal(t, own, train("metric=ece,brier"), "without a label, the metric is of the objective's")
	_, values, _ := strings.Cut(own, "\n")
	assert.Contains(t, train("metric=ECE@bought,brier@bought", "patience=2"),
		strings.NewReplacer("ece ", "ece@bought ", "brier ", "brier@bought ").Replace(values))
}

// TestEventOfALabel: probabilities of the event of a label are those of a model whose data has it alone.
func TestEventOfALabel(t *testing.T) {
	dir := t.TempDir()
	tableOfGoals(t, dir)
	const table, both = "data=goals.csv group_column=query ignore_column=place", " label_columns=label,bought"
	do := func(args string) outcome { return succeed(t, dir, strings.Fields(args)...) }
	calibration := func(path string) string {
		_, text, _ := strings.Cut(readFile(t, dir, path), "[calibration: ")
		return text
	}
	do("train num_iterations=5 objective=lambdarank@bought calibration=isotonic calibration_label=bought>=2 " +
		"valid=goals.csv output_model=m.txt " + table + both)
	got := do("calibrate calibration=isotonic calibration_label=bought>=2 input_model=m.txt " +
		"output_model=n.txt " + table + both)
	assert.Contains(t, got.stderr, "probability of bought>=2 from 600 documents")
	assert.Equal(t, calibration("m.txt"), calibration("n.txt"))
	do("calibrate calibration=isotonic calibration_label=grade>=2 input_model=m.txt output_model=alone.txt " +
		table + ",label label_column=bought")
	assert.Equal(t, calibration("n.txt"), strings.Replace(calibration("alone.txt"), ";2;", ";bought>=2;", 1))
	judged := do("eval metric=ece,brier input_model=n.txt " + table + both)
	assert.Contains(t, judged.stdout, "ece     bought>=2")
	assert.NotContains(t, judged.stderr, "judged by")
	for event, want := range map[string]string{"9": "no document is of bought>=9, and",
		"0": "all documents are of"} {
		got = do("eval metric=ece input_model=n.txt calibration_label=bought>=" + event + " " + table + both)
		assert.Contains(t, got.stderr, want)
	}
	ofAlone := do("eval metric=ece,brier input_model=alone.txt " + table + ",label label_column=bought").stdout
	words := func(text string) []string {
		return strings.Fields(strings.NewReplacer("bought>=2", "grade>=2", "@bought", "").Replace(text))
	}
	assert.Equal(t, words(ofAlone), words(judged.stdout))
	do("predict probability=true input_model=n.txt output_result=n.scores " + table + both)
	do("eval metric=brier calibration_label=bought>=2 scores=n.scores " + table + both)
	byIgnored := execute(t, dir, strings.Fields("eval by=place input_model=n.txt "+table+both)...)
	assert.Contains(t, byIgnored.stderr, "goals.csv:3 (query q0): by=place: query \"q0\" has rows of the "+
		"segments \"p0\" and \"p1\"")
	other := do("eval metric=ece@label input_model=n.txt " + table + both)
	assert.Contains(t, other.stderr,
		"the model's probabilities are of bought>=2, and they are judged by label>=2")
	do("export n.txt to=c output=m.c")
	assert.Contains(t, readFile(t, dir, "m.c"), "has at least the bought 2.")
	assert.Contains(t, do("model n.txt").stdout, "of bought>=2, by isotonic calibration")
	for args, want := range map[string]string{
		"calibrate calibration_label=cart>=1": "calibration_label=cart>=1: label_columns names no cart; " +
			"there are label, bought",
		"calibrate calibration_label=bought=1": "want a label, or grade for the first one, and the least " +
			"grade",
		"calibrate calibration_label=a@b>=1":    "want the name of a label before >=",
		"calibrate calibration_label=bought>=9": "0 documents of bought>=9, by weight, and 600 others",
		"calibrate labels=bought,grade": "grade stands for the first label, and another one has that " +
			"name",
		"eval metric=ece@label,brier@bought":              "the probabilities are of one label",
		"eval metric=ece@label calibration_label=cart>=1": "label_columns names no cart",
		"eval metric=ece@label calibration_label=bought>=1": "metric=ece@label and " +
			"calibration_label=bought>=1: leave one of the labels out",
	} {
		if !strings.Contains(args, "labels=") {
			args += both
		}
		got = execute(t, dir, strings.Fields(args+" input_model=n.txt "+table)...)
		assert.Contains(t, got.stderr, want, args)
		assert.NotContains(t, got.stderr, "warning", args)
	}
	got = execute(t, dir, strings.Fields("train calibration=platt valid=goals.csv "+table+both+
		" calibration_label=bought>=9 output_model=x.txt")...)
	assert.Contains(t, got.stderr, "0 of 600 documents with a weight are of bought>=9")
	assert.NotContains(t, got.stderr, "trees have", "what is said of training follows")
	assert.Contains(t, execute(t, dir, strings.Fields("calibrate calibration_label=bought>=1 input_model=m.txt "+
		table+",label label_column=bought")...).stderr, "label bought: the data has no such label")
}

// TestRefitByAnotherObjective: scores of a refitted model mean something else if its objective is forgotten.
func TestRefitByAnotherObjective(t *testing.T) {
	dir := t.TempDir()
	tableOfGoals(t, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "goals.txt.position")))
	succeed(t, dir, "train", "data=goals.txt", "objective=l2", "num_iterations=2", "output_model=m.txt")
	const another = "warning: m.txt was trained with objective=regression, and its leaves are fitted with " +
		"objective=lambdarank"
	got := succeed(t, dir, "refit", "data=goals.txt", "input_model=m.txt", "output_model=n.txt")
	assert.Contains(t, got.stderr, another)
	for _, chosen := range []string{"lambdarank", "regression"} {
		got = succeed(t, dir, "refit", "data=goals.txt", "input_model=m.txt", "output_model=n.txt",
			"objective="+chosen)
		assert.NotContains(t, got.stderr, "was trained with")
	}
	got = succeed(t, dir, "refit", "data=goals.txt", "label_columns=label,bought", "input_model=m.txt")
	assert.Contains(t, got.stderr, "warning: labels that are not trained on: bought")
	dir = folderWithPairs(t)
	for _, trained := range []string{"pairs", "pairs:1,lambdarank:0.5"} { // which refit cannot be given
		succeed(t, dir, "train", "data=train.txt", "pairs=pairs.tsv", "objective="+trained, "num_iterations=1",
			"min_data_in_leaf=2", "output_model=m.txt")
		got = succeed(t, dir, "refit", "data=train.txt", "input_model=m.txt", "output_model=n.txt")
		assert.Contains(t, got.stderr, "m.txt was trained with objective="+trained+", and its leaves")
		assert.NotContains(t, got.stderr, "give objective=")
	}
}

// TestConstraints: the label's objectives weigh more until the metric reaches its bound, whatever the number
// of threads is and where the run is interrupted; what is missed is said.
func TestConstraints(t *testing.T) {
	dir := t.TempDir()
	tableOfGoals(t, dir)
	train := func(args ...string) outcome {
		return execute(t, dir, append([]string{"train", "data=goals.csv", "valid=goals.csv",
			"label_columns=label,bought", "group_column=query",
			"ignore_column=name:place", "min_data_in_leaf=5", "num_leaves=7", "num_iterations=20", "metric=ndcg@5"},
			args...)...)
	}
	const sum = "objective=lambdarank@label:1,lambdarank@bought:0.01"
	require.Zero(t, train(sum, "output_model=old.txt").status)
	relative := train(sum, "constraint=ndcg@5@bought>=1.1*old.txt", "log_json=true")
	require.Zero(t, relative.status, relative.stderr)
	assert.Contains(t, relative.stdout+relative.stderr, `"constraints":[{"constraint":"ndcg@5@bought`)
	met := train(sum, "constraint=ndcg@5@bought>=0.7,map@bought>=0.2")
	require.Zero(t, met.status, met.stderr)
	assert.Contains(t, met.stderr, "constraint met: ndcg@5@bought>=0.7 on valid_1: 0.")
	model := readFile(t, dir, "model.txt")
	assert.Contains(t, model, `constraints="ndcg@5@bought>=0.7 met: 0.`)
	train(sum, "constraint=ndcg@5@bought>=0.7,map@bought>=0.2", "num_threads=3")
	assert.Equal(t, model, readFile(t, dir, "model.txt"))
	missed := train(sum, "constraint=ndcg@5@bought>=0.9999")
	require.Zero(t, missed.status)
	assert.Contains(t, missed.stderr,
		"warning: the model misses the constraint ndcg@5@bought>=0.9999: it has 0.")
	assert.Contains(t, readFile(t, dir, "model.txt"), `constraints="ndcg@5@bought>=0.9999 missed: 0.`)
	trained := succeed(t, dir, "train", "data=goals.csv", "label_columns=label,bought", "group_column=query",
		"ignore_column=name:place", sum, "min_data_in_leaf=5",
		"num_iterations=20", "constraint=ndcg@5@bought>=0.5", "is_provide_training_metric=true",
		"constraint_set=training")
	assert.Contains(t, trained.stderr, "constraint met: ndcg@5@bought>=0.5 on training: 0.",
		"of the best iteration, without valid")
	assert.Contains(t, train(sum, "constraint=map@bought>=0.2", "constraint_set=training").stderr, "there are: "+
		"valid_1 (is_provide_training_metric=true adds training)")
	idle := train(sum, "constraint_set=training", "calibration_label=grade>=2").stderr
	assert.Contains(t, idle, "constraint_set=training has no effect without constraint")
	assert.Contains(t, idle, "calibration_label=grade>=2 has no effect while calibration=none")
	sameOnPeers(t, dir, "train", "data=DIR/goals.csv", "valid=DIR/goals.csv", "label_columns=label,bought",
		"group_column=query", "ignore_column=name:place",
		"min_data_in_leaf=5", "num_iterations=6", sum, "constraint=ndcg@5@bought>=0.7", "output_model=OUT",
		"verbosity=0")
}
