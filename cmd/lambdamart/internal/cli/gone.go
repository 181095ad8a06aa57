package cli

// goneCommands are the commands that earlier versions had: what they did, since when they are gone, and what
// to do instead.
var goneCommands = map[string]string{
	"plan": "it estimated training on several machines until 26 November 2026; docs/machines.md has a table of " +
		"memory, messages and time instead",
}
