package binned

import (
	"errors"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/querycontext"
)

// contextOf returns the columns with the numbers that [querycontext.Columns.Numbers] returns.
func contextOf(numbers []uint64) (*querycontext.Columns, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	kinds := querycontext.Kinds()
	c := &querycontext.Columns{Raw: int(min(numbers[0], math.MaxInt32))}
	for numbers = numbers[1:]; len(numbers) >= 2; numbers = numbers[2:] {
		if numbers[0] >= uint64(len(kinds)) || numbers[1] > math.MaxInt32 {
			return nil, fmt.Errorf("query context: kind %d of feature %d", numbers[0], numbers[1])
		}
		c.List = append(c.List, querycontext.Column{Kind: kinds[numbers[0]], Feature: int(numbers[1])})
	}
	if len(numbers) > 0 {
		return nil, errors.New("query context: a kind without a feature")
	}
	return c, c.Check()
}
