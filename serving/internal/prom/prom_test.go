package prom

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestText expects the examples of Prometheus's format description; test/check_serve.py parses the output
// with Prometheus's own parser.
func TestText(t *testing.T) {
	requests := Counter("requests_total", "Requests\nby \\ code.", "path", "code")
	requests.Add(2, `C:\DIR "x"`+"\n", "200")
	requests.Add(1, `C:\DIR "x"`+"\n", "200")
	up := Gauge("up", "Whether it is up.")
	up.Set(0.5)
	seconds := Histogram("seconds", "Time.", []float64{0.1, 1}, "kind")
	for _, v := range []float64{0.05, 0.1, 0.5, 7} {
		seconds.Observe(v, "a")
	}
	bare := Histogram("bare", "Time.", []float64{1})
	bare.Observe(2)
	var b strings.Builder
	require.NoError(t, Write(&b, requests, up, seconds, bare))
	assert.Equal(t, `# HELP requests_total Requests\nby \\ code.
# TYPE requests_total counter
requests_total{path="C:\\DIR \"x\"\n",code="200"} 3
# HELP up Whether it is up.
# TYPE up gauge
up 0.5
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{kind="a",le="0.1"} 2
seconds_bucket{kind="a",le="1"} 3
seconds_bucket{kind="a",le="+Inf"} 4
seconds_sum{kind="a"} 7.65
seconds_count{kind="a"} 4
# HELP bare Time.
# TYPE bare histogram
bare_bucket{le="1"} 0
bare_bucket{le="+Inf"} 1
bare_sum 2
bare_count 1
`, b.String())
	up.Clear()
	b.Reset()
	require.NoError(t, Write(&b, up))
	assert.Equal(t, "# HELP up Whether it is up.\n# TYPE up gauge\n", b.String())
}
