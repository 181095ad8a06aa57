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
	assert.Equal(t, "0 queries", Count(0, "query", "queries"))
	assert.Equal(t, "1 query", Count(1, "query", "queries"))
	assert.Equal(t, "2,000 queries", Count(2000, "query", "queries"))
}
