package studies

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/study"
)

// readSpace reads a file of a space.
func readSpace(path string) (space study.Space, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		space, err = study.ReadSpace(r, name)
		return err
	})
	return space, err
}

// resumedEvent is how much of a finished search an earlier run had done.
type resumedEvent struct {
	Trials int    `json:"trials"` // of which a step was taken from the folder
	Of     int    `json:"of"`     // all trials, the defaults included
	Folder string `json:"folder"`
}

func (e resumedEvent) Kind() string { return "resumed" }
func (e resumedEvent) Level() int   { return 1 }

func (e resumedEvent) String() string {
	return fmt.Sprintf("%d of %d trainings (trials and defaults) were taken, in whole or in part, from %s",
		e.Trials, e.Of, e.Folder)
}
