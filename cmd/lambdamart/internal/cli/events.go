package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
)

// ErrorEvent is the reason why the program ends with an error.
type ErrorEvent struct {
	Message string `json:"message"`
}

func (e ErrorEvent) Kind() string   { return "error" }
func (e ErrorEvent) Level() int     { return -1 << 31 }
func (e ErrorEvent) String() string { return prefixed(e.Message) }

// prefixed puts the program's name before each line.
func prefixed(message string) string {
	return "lambdamart: " + strings.ReplaceAll(message, "\n", "\nlambdamart: ")
}

// message is an event of a command.
type message struct {
	kind   string
	level  int
	text   string
	fields []any // names and values by turns
}

func (m message) Kind() string   { return m.kind }
func (m message) Level() int     { return m.level }
func (m message) String() string { return m.text }

// MarshalJSON implements [json.Marshaler]: an object with the fields in their order, in which NaN is null.
func (m message) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i := 0; i < len(m.fields); i += 2 {
		value := m.fields[i+1]
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
		b = append(fmt.Appendf(b, "%q:", m.fields[i]), text...)
	}
	return append(b, '}'), nil
}

// Say emits an event: people see the text, and programs get the fields, which are names and values by turns.
func (c *Console) Say(kind, text string, fields ...any) { c.SayAt(1, kind, text, fields...) }

// SayAt is Say of an event that is shown from this verbosity on.
func (c *Console) SayAt(level int, kind, text string, fields ...any) {
	c.Emit(message{kind, level, text, fields})
}

// Stopped says why training, or the program, ended.
func (c *Console) Stopped(text string, fields ...any) {
	c.Say("stopped", text, append([]any{"message", text}, fields...)...)
}

// Wrote lists the files of results.
func (c *Console) Wrote(paths []string) {
	c.Say("wrote", "wrote "+strings.Join(paths, ", "), "paths", paths)
}
