package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

func TestHelpHasWhatHasAnEffect(t *testing.T) {
	leaves := 31
	table := param.Table{
		{Name: "num_leaves", Aliases: []string{"max_leaves"}, Group: "Trees", Help: "Most leaves of a tree.",
			Value: bind.Int(&leaves, bind.AtLeast(2), bind.AtMost(131072))},
		{Name: "boosting", Group: groupInert, Inert: true, Value: bind.Text(new(string))},
	}
	help := helpOf(table)
	assert.Contains(t, help,
		"Trees:\n  num_leaves=31               Most leaves of a tree. [>= 2, <= 131072] (also max_leaves)\n")
	assert.NotContains(t, help, "boosting")
	for line := range strings.Lines(help) {
		assert.LessOrEqual(t, len(line), 101)
	}
}
