package cli

import (
	"github.com/lambdamart/lambdamart/internal/report"
)

// Show writes the results of a command: the page, if its path is not empty, and then text or JSON to standard
// output.
func Show(env *Env, found *report.Document, page string, asJSON bool) error {
	if page != "" {
		if err := SaveFile(page, found.Write, env.Messages); err != nil {
			return err
		}
	}
	if asJSON {
		return found.JSON(env.Stdout)
	}
	return found.Text(env.Stdout)
}
