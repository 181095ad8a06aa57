package wording

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1: "-1", -999: "-999", -1000: "-1,000",
		-123456:       "-123,456",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		assert.Equal(t, want, Thousands(n))
	}
	assert.Equal(t, "12,345", Thousands(12345))
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", 1234: "1,234 rows"} {
		assert.Equal(t, want, Count(n, "row"))
	}
	assert.Equal(t, "1 validation query", Count(int64(1), "validation query"))
	for noun, many := range map[string]string{"query": "queries", "leaf": "leaves", "category": "categories",
		"training run": "training runs", "test entry": "test entries"} {
		assert.Equal(t, "2 "+many, Count(2, noun))
	}
	for n, want := range []string{"are", "is", "are"} {
		assert.Equal(t, want, Agree(n, "is", "are"))
	}
}
