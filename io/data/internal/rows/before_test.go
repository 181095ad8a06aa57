package rows

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/internal/peers"
)

func TestSumBefore(t *testing.T) {
	for _, size := range []int{1, 2, 3} {
		assert.NoError(t, peers.Run(size, func(g peers.Group) error {
			before, all := sumBefore(g, g.Rank()+1)
			assert.Equal(t, g.Rank()*(g.Rank()+1)/2, before)
			assert.Equal(t, size*(size+1)/2, all)
			return nil
		}))
	}
}
