package cli

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
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

// StoppedEvent says why training, or the program, ended.
type StoppedEvent struct {
	Message    string `json:"message"`
	Iterations int    `json:"iterations,omitempty"`
	Reason     string `json:"reason,omitempty"` // of a run of training
	Kept       int    `json:"kept,omitempty"`   // round whose state the model has

	Evaluations []MetricValue `json:"evaluations,omitempty"` // of an ensemble as a whole
}

func (e StoppedEvent) Kind() string   { return "stopped" }
func (e StoppedEvent) Level() int     { return 1 }
func (e StoppedEvent) String() string { return e.Message }

// SavedEvent is a file that has been written.
type SavedEvent struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (e SavedEvent) Kind() string { return "saved" }
func (e SavedEvent) Level() int   { return 1 }

func (e SavedEvent) String() string {
	return fmt.Sprintf("wrote %s (%s bytes, sha256 %s)", e.Path, wording.Thousands(e.Bytes), e.SHA256)
}

// readingEvent tells how much of a file has been read. Of is below 1 if its size is not known.
type readingEvent struct {
	Path string `json:"path"`
	Read int64  `json:"read"`
	Of   int64  `json:"of"`
}

func (e readingEvent) Kind() string   { return "reading" }
func (e readingEvent) Level() int     { return 1 }
func (e readingEvent) String() string { return fmt.Sprintf("reading %s: %d bytes", e.Path, e.Read) }

// WroteEvent lists the files of results.
type WroteEvent struct {
	Paths []string `json:"paths"`
}

func (e WroteEvent) Kind() string   { return "wrote" }
func (e WroteEvent) Level() int     { return 1 }
func (e WroteEvent) String() string { return "wrote " + strings.Join(e.Paths, ", ") }
