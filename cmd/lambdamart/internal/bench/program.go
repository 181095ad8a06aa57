package bench

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
)

// programIdentity returns the version and the commit, for people to read.
func programIdentity() string {
	return "lambdamart " + version.String() + ", commit " + version.Commit()
}

// programKey returns a name that no other program has. Builds with changes that are not committed are
// distinguished by the hash of the executable file.
func programKey() (string, error) {
	identity := programIdentity()
	if c := version.Commit(); c != "unknown" && !strings.Contains(c, " ") {
		return identity, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %x", identity, hash.Sum(nil)), nil
}
