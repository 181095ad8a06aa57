package aid

import (
	"slices"

	"github.com/lambdamart/lambdamart/objective"
)

// GradedObjectives returns the names of all objectives but pairs, which needs pairs and not only grades.
func GradedObjectives() []string {
	return slices.DeleteFunc(objective.Names(), func(name string) bool { return name == "pairs" })
}
