package cli

import "io"

// Found is what a command has found. Its page is one file of HTML.
type Found interface {
	Write(page io.Writer) error
	Text(io.Writer) error
	JSON(io.Writer) error
}

// Show writes the results of a command: the page, if its path is not empty, and then text or JSON to standard
// output.
func Show(env *Env, found Found, page string, asJSON bool) error {
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
