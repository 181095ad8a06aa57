package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
)

// ofAllCommands are parameters that every command accepts, in addition to those in its own table.
var ofAllCommands = []string{"config", "log_json", "verbosity", "num_threads", "task"}

// TestCommandsOfPages: every command line in the documentation names an existing command and its
// parameters, with valid values.
func TestCommandsOfPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	lines := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, line := range commandLines(string(text)) {
			lines++
			checkCommandLine(t, page, line)
		}
	}
	assert.Greater(t, lines, 80)
}

var (
	// commandLine matches what may precede the command in a line of code.
	commandLine = regexp.MustCompile(
		`(?m)^(?:    )?(?:\$ )?(?:mpirun -n \d+ (?:--\S+ \S+ )*)?(?:\./|go run \./cmd/)?lambdamart ([a-z].*)$`)
	comment = regexp.MustCompile(`\s+#.*$`)
	word    = regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`)
	literal = regexp.MustCompile(`^[\w.,:@*+=>-]+$`)
)

// commandLines returns the command lines of a page, without the name of the program.
func commandLines(text string) []string {
	var found []string
	for _, m := range commandLine.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
		found = append(found, strings.TrimSuffix(comment.ReplaceAllString(m[1], ""), " &"))
	}
	return found
}

func checkCommandLine(t *testing.T, page, line string) {
	t.Helper()
	words := word.FindAllString(line, -1)
	switch {
	case words[0] == "version":
		return
	case strings.Contains(words[0], "="):
		words = append([]string{"train"}, words...)
	}
	commands := program().Commands
	at := slices.IndexFunc(commands, func(c cli.Command) bool { return c.Name == words[0] })
	require.GreaterOrEqual(t, at, 0, "%s: there is no command %q", page, words[0])
	table := commands[at].New().Table()
	for _, argument := range words[1:] {
		name, value, named := strings.Cut(strings.Trim(argument, `"`), "=")
		name = strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_")
		if !named && !strings.HasPrefix(argument, "--") || slices.Contains(ofAllCommands, name) {
			continue // a file name
		}
		row := table.Find(name)
		if assert.NotNil(t, row, "%s: %s has no parameter %s: %s", page, words[0], name, line) &&
			literal.MatchString(value) {
			assert.NoError(t, row.Value.Set(value), "%s: %s", page, line)
			assert.NoError(t, row.Value.Check(), "%s: %s", page, line)
		}
	}
}

// TestDockerfile: docs/production.md shows the Dockerfile, which builds with the Go version of go.mod and
// runs an existing command.
func TestDockerfile(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		return string(text)
	}
	use, text, _ := strings.Cut(read("Dockerfile"), "\n")
	page := read("docs/production.md")
	assert.Contains(t, page, "\n```dockerfile\n"+text+"```\n", "copy Dockerfile into docs/production.md")
	assert.Contains(t, page, "\n    "+strings.TrimPrefix(use, "# Serves the models of a folder: ")+"\n")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read("go.mod"))
	assert.Contains(t, text, "FROM golang:"+version[1]+" AS build\n")
	entry := regexp.MustCompile(`(?m)^ENTRYPOINT \["/lambdamart", (.*)\]$`).FindStringSubmatch(text)
	require.NotNil(t, entry)
	checkCommandLine(t, "Dockerfile", strings.NewReplacer(`"`, "", ",", "").Replace(entry[1]))
}

// TestTasksOfTheGuide runs the commands of the sections of docs/guide.md on evaluation, labels, pairs,
// probabilities, full lists, categories and best quality, in the order of the page. A table of scores is CSV
// here and not Parquet.
func TestTasksOfTheGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	text, err := os.ReadFile("../../docs/guide.md")
	require.NoError(t, err)
	sections, lines := strings.Split(string(text), "\n## "), []string{}
	for _, title := range []string{"Evaluate and compare", "Several labels", "Pairs", "Probabilities",
		"Full lists", "Categories", "Best quality"} {
		at := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, title+"\n") })
		require.GreaterOrEqual(t, at, 0, title)
		found := commandLines(sections[at])
		require.NotEmpty(t, found, title)
		lines = append(lines, found...)
	}
	dir := folderOfTheGuide(t)
	for _, line := range lines {
		line = strings.ReplaceAll(line, "predictions.parquet", "predictions.csv")
		model := command(t, dir)
		shell := exec.Command("bash", "-c", `"$BINARY" `+line)
		shell.Dir, shell.Env = dir, append(model.Env, "BINARY="+model.Path)
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s\n%s", line, out)
	}
	assert.Contains(t, readFile(t, dir, "front.html"), "ndcg@10@click costs ndcg@10@purchase")
}

// folderOfTheGuide returns a folder with the files that the guide names.
func folderOfTheGuide(t *testing.T) string {
	dir := folderWithPairs(t)
	for from, to := range map[string]string{"pairs.tsv": "pairs.csv", "test.txt": "vali.txt"} {
		writeFile(t, dir, to, readFile(t, dir, from))
	}
	var held, qrels strings.Builder
	held.WriteString("qid,better_row,worse_row\n")
	predictions := "query,label,prediction,device\n"
	for q := 1000; q < 1010; q++ {
		fmt.Fprintf(&held, "%d,1,2\n", q)
		for d := range 12 {
			fmt.Fprintf(&qrels, "%d 0 doc-%d-%d %d\n", q, q, d, d%3)
			predictions += fmt.Sprintf("%d,%d,%d,%s\n", q, d%3, d*7%5, []string{"phone", "desktop"}[q%2])
		}
	}
	writeFile(t, dir, "held-out.csv", held.String())
	writeFile(t, dir, "qrels.txt", qrels.String())
	writeFile(t, dir, "predictions.csv", predictions)
	for name, rows := range map[string]int{"train.csv": 720, "vali.csv": 240, "shops.csv": 360} {
		table, shops := "purchase,click,query,price,stars\n", "click,query,price,shop\n"
		for row := range rows {
			a, b := row*7919%101, row*104729%37
			table += fmt.Sprintf("%d,%d,%d,%d,%d\n", a/60, b/25, row/12, a, b)
			shops += fmt.Sprintf("%d,%d,%d,%s\n", b/25, row/12, a, []string{"x", "y", "z"}[b%3])
		}
		if name == "shops.csv" {
			table = shops
		}
		writeFile(t, dir, name, table)
	}
	for _, name := range []string{"model.txt", "old.txt", "new.txt"} {
		succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=" + name}, fewRows...)...)
	}
	for _, name := range []string{"bm25.run", "neural.run"} {
		succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt", "format=trec", "output_result="+name)
	}
	return dir
}

// TestFirstHour runs the commands of docs/first-hour.md in order, except installation and the server.
func TestFirstHour(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	text, err := os.ReadFile("../../docs/first-hour.md")
	require.NoError(t, err)
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if !regexp.MustCompile(`(?m)^(go install|curl)|&$`).MatchString(block[1]) {
			script.WriteString(block[1])
		}
	}
	dir := t.TempDir()
	data, err := filepath.Abs("../../testdata")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(data, filepath.Join(dir, "testdata")))
	shell := exec.Command("bash", "-euo", "pipefail", "-c",
		"lambdamart() { \"$BINARY\" \"$@\"; }\n"+script.String())
	model := command(t, dir)
	shell.Dir, shell.Env = dir, append(model.Env, "BINARY="+model.Path)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, line := range regexp.MustCompile(`(?m)^    (ndcg@10 .*|model\.txt minus .*)$`).FindAllStringSubmatch(
		string(text), -1) {
		assert.Contains(t, string(out), line[1], "paste the new output into docs/first-hour.md")
	}
}
