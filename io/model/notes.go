package model

import (
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// notes returns remarks for the user about a file of the given size.
func (x *export) notes(e *tree.Ensemble, size int) []string {
	var list []string
	if own := x.target.entry.notes; own != nil {
		list = own(e, size)
	}
	return append(list, x.versionNotes(e)...)
}

// versionNotes lists the versions of engines that would treat missing values differently from the model, if
// no engine was given.
func (x *export) versionNotes(e *tree.Ensemble) []string {
	if x.NoMissing || !x.loader.IsZero() || x.target.entry.eras == nil {
		return nil
	}
	var list []string
	for _, era := range x.target.entry.eras() {
		c := engine.Everything(era.Last.String())
		c.Missing = era.Missing
		if x.target.checkEngine(era.Last) == nil && c.Check(e) != nil {
			list = append(list, fmt.Sprintf("%s sends missing values elsewhere than this model does: %v; engine=%v "+
				"checks for that version", era.Title, c.Missing, era.Last))
		}
	}
	return list
}
