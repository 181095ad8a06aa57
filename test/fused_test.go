package test

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A product that the compiler fuses with a sum is not rounded, and so differs in
// the last bit from the same source on another CPU. That also happens to a product
// that an inlined function returns. A training may hide it, so the machine code is
// searched for such instructions.
func TestNoFusedArithmetic(t *testing.T) {
	for _, target := range []struct {
		name  string
		env   []string
		fused *regexp.Regexp
	}{
		{"amd64 v3", []string{"GOARCH=amd64", "GOAMD64=v3"}, regexp.MustCompile(`\bVFN?M(ADD|SUB)`)},
		{"arm64", []string{"GOARCH=arm64"}, regexp.MustCompile(`\bFN?M(ADD|SUB)[SD]`)},
	} {
		t.Run(target.name, func(t *testing.T) {
			folder := t.TempDir()
			for pkg, functions := range map[string]string{
				"cmd/lambdamart": `^github\.com/lambdamart/lambdamart/`, // not main, which draws pictures
				"bench/mslrgen":  `^(main|github\.com/lambdamart/lambdamart/.*)\.`,
			} {
				program := filepath.Join(folder, filepath.Base(pkg))
				build(t, program, pkg, target.env...)
				assert.Empty(t, linesWith(t, program, functions, target.fused), "write float64(a*b) + c, and return float64(a*b)")
			}
		})
	}
}

// linesWith lists the instructions that match, with their functions and source
// lines.
func linesWith(t *testing.T, program, functions string, instruction *regexp.Regexp) []string {
	t.Helper()
	code, err := exec.Command("go", "tool", "objdump", "-s", functions, program).Output()
	require.NoError(t, err)
	require.Contains(t, string(code), "internal/exact.Exp", "the functions that matter are not in the listing")
	var found []string
	function := ""
	for scanner := bufio.NewScanner(bytes.NewReader(code)); scanner.Scan(); {
		line := scanner.Text()
		if name, ok := strings.CutPrefix(line, "TEXT "); ok {
			function = strings.Fields(name)[0]
		} else if instruction.MatchString(line) {
			found = append(found, function+": "+strings.Join(strings.Fields(line), " "))
		}
	}
	return found
}
