package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/study"
)

// Failed reports the error that ends the program, whatever the verbosity.
func (c *Console) Failed(err error) {
	const always = -1 << 31
	text := "lambdamart: " + strings.ReplaceAll(err.Error(), "\n", "\nlambdamart: ")
	c.SayAt(always, "error", text, "message", err.Error())
}

// fields are the facts of an event of a command: alternating names and values.
type fields []any

// MarshalJSON implements [json.Marshaler]: an object with the fields in their order, in which NaN is null.
func (f fields) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i := 0; i < len(f); i += 2 {
		value := f[i+1]
		if number, ok := value.(float64); ok {
			value = metric.Value(number)
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(fmt.Appendf(b, "%q:", f[i]), text...)
	}
	return append(b, '}'), nil
}

// Say emits an event. People see the text, and programs get the fields, alternating names and values.
func (c *Console) Say(kind, text string, fields ...any) { c.SayAt(1, kind, text, fields...) }

// SayAt is Say for an event that is shown from this verbosity on.
func (c *Console) SayAt(level int, kind, text string, facts ...any) {
	c.Emit(study.Event{Kind: kind, Level: level, Text: text, Fields: fields(facts)})
}

// Stopped reports why training, or the program, ended.
func (c *Console) Stopped(text string, fields ...any) {
	c.Say("stopped", text, append([]any{"message", text}, fields...)...)
}

// Wrote lists files with results.
func (c *Console) Wrote(paths []string) {
	c.Say("wrote", "wrote "+strings.Join(paths, ", "), "paths", paths)
}
