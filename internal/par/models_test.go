package par

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAtOnce(t *testing.T) {
	for _, c := range []struct{ trainings, rows, threads, atOnce, each int }{
		{4, 1000, 1, 1, 1}, {4, 1000, 2, 2, 1}, {4, 1000, 8, 4, 2}, {4, 200_000, 16, 4, 4}, {3, 1000, 8, 3, 2},
		{4, 200_001, 8, 1, 8}, {1, 1000, 8, 1, 8},
	} {
		atOnce, each := AtOnce(c.trainings, c.rows, c.threads)
		assert.Equal(t, [2]int{c.atOnce, c.each}, [2]int{atOnce, each}, c)
	}
}
