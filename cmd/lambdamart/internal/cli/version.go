package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// newVersion returns the command version, which has no parameters.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit it was built from, and the Go version",
		Example: "  lambdamart version",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usagef("version takes no arguments: leave %q out", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "lambdamart %s, commit %s, %s %s/%s\n", Release(), Commit(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// Release returns the version of the program.
func Release() string { return versionOf(buildInfo()) }

// Commit returns the commit from which the program was built, and notes uncommitted changes. It is "unknown"
// if the build did not record it.
func Commit() string { return commitOf(buildInfo()) }

// buildInfo returns what the go command recorded in this program, or nothing if it was built by other means.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return new(debug.BuildInfo)
}

// versionOf returns the module version that "go install module@version" recorded, or the release. Since Go
// 1.24 a build in a checkout records a version too, derived from the last tag and the commit, which is less
// useful than the release next to the commit.
func versionOf(info *debug.BuildInfo) string {
	switch {
	case setting(info, "vcs.revision") != "", info.Main.Version == "", info.Main.Version == "(devel)":
		return provenance.Release
	default:
		return info.Main.Version
	}
}

// commitOf returns the version control revision, and notes uncommitted changes.
func commitOf(info *debug.BuildInfo) string {
	revision := setting(info, "vcs.revision")
	switch {
	case revision == "":
		return "unknown"
	case setting(info, "vcs.modified") == "true":
		return revision + " with changes"
	default:
		return revision
	}
}

// setting returns the value of a build setting, or "".
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Identity returns the version and the commit, for people to read.
func Identity() string {
	return "lambdamart " + Release() + ", commit " + Commit()
}

// ProgramKey returns a name that identifies the program. Builds with uncommitted changes are distinguished by
// the hash of the executable.
func ProgramKey() (string, error) {
	identity := Identity()
	if c := Commit(); c != "unknown" && !strings.Contains(c, " ") {
		return identity, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	_, sum, err := stream.Checksum(context.Background(), path)
	if err != nil {
		return "", err
	}
	return identity + ", " + sum, nil
}
