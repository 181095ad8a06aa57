package cli

import "io"

// Found is what a command has found. Its page is one file of HTML.
type Found interface {
	Write(page io.Writer) error
	Printed
}

// Show writes the results of a command: the page, if its path is not empty, and then text or JSON to standard
// output.
func Show(env *Env, found Found, page string, asJSON bool) error {
	if page != "" {
		if err := SaveFile(page, found.Write, env.Messages); err != nil {
			return err
		}
	}
	return Print(env, found, asJSON)
}

// Printed are results that can be printed as text or JSON.
type Printed interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

// Print writes results as text or JSON to standard output, and with JSON the text to a caller that wants it.
func Print(env *Env, found Printed, asJSON bool) error {
	if !asJSON {
		return found.Text(env.Stdout)
	}
	if env.Caller.Text != nil {
		if err := found.Text(env.Caller.Text); err != nil {
			return err
		}
	}
	return found.JSON(env.Stdout)
}
