package metric

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoFusedMultiplyAdd reads the machine code for the targets on which the
// compiler fuses products and sums: metrics choose the best iteration.
func TestNoFusedMultiplyAdd(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other targets")
	}
	for _, env := range []string{"GOARCH=arm64", "GOARCH=amd64 GOAMD64=v3"} {
		cmd := exec.Command("go", "build", "-gcflags=-S", ".")
		cmd.Env = append(cmd.Environ(), strings.Fields(env)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "metric.(*dcg).sum STEXT")
		assert.NotRegexp(t, `\tV?FN?M(ADD|SUB)[A-Z0-9]*\t`, string(out), env)
	}
}
