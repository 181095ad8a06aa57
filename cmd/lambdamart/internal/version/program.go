package version

import (
	"context"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// Identity returns the version and the commit, for people to read.
func Identity() string {
	return "lambdamart " + String() + ", commit " + Commit()
}

// Key returns a name that identifies the program. Builds with uncommitted changes are distinguished by the
// hash of the executable.
func Key() (string, error) {
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
