package cli

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionAndCommit(t *testing.T) {
	checkout := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "3fb3d545"},
		{Key: "vcs.modified", Value: "false"}}
	edited := []debug.BuildSetting{{Key: "vcs.revision", Value: "3fb3d545"},
		{Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		module          string
		settings        []debug.BuildSetting
		version, commit string
	}{
		"go install module@version": {"v0.3.1", nil, "v0.3.1", "unknown"},
		"go install module@commit": {"v0.1.1-0.20261121232148-3fb3d545f77a", nil,
			"v0.1.1-0.20261121232148-3fb3d545f77a", "unknown"},
		"go build in a checkout": {"v0.0.0-20261121232148-3fb3d545f77a", checkout, provenance.Release,
			"3fb3d545"},
		"go build of changed files": {"v0.0.0-20261121232148-3fb3d545f77a+dirty", edited, provenance.Release,
			"3fb3d545 with changes"},
		"go run, go test":             {"(devel)", nil, provenance.Release, "unknown"},
		"no information in the build": {"", nil, provenance.Release, "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
		assert.Equal(t, c.version, versionOf(info), name)
		assert.Equal(t, c.commit, commitOf(info), name)
	}
}

func TestReleaseIsTheNewestOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile("../../../../CHANGELOG.md")
	require.NoError(t, err)
	newest := regexp.MustCompile(`(?m)^## (v\S+)`).FindSubmatch(text)
	require.NotNil(t, newest, "no section of a version")
	assert.Equal(t, provenance.Release, string(newest[1]))
}
