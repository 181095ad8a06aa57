package cli

import "strings"

// goneCommands are the commands that earlier versions had: what they did, since when they are gone, and what
// to do instead.
var goneCommands = map[string]string{
	"judgments": "it made training data from logs until 26 November 2026; docs/training-data.ipynb does this with " +
		"pandas instead",
	"plan": "it estimated training on several machines until 26 November 2026; docs/machines.md has a table of " +
		"memory, messages and time instead",
}

// goneYAML is the reason why the experiments in YAML that bench used to read are refused.
const goneYAML = "bench read YAML until 26 November 2026; write key = value lines, with rankers= and " +
	"ranker_settings= in place of the list of rankers (lambdamart help bench)"

func isYAML(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}
