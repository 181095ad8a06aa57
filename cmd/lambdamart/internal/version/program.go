package version

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
)

// Identity returns the version and the commit, for people to read.
func Identity() string {
	return "lambdamart " + String() + ", commit " + Commit()
}

// Key returns a name that no other program has. Builds with changes that are not committed are
// distinguished by the hash of the executable file.
func Key() (string, error) {
	identity := Identity()
	if c := Commit(); c != "unknown" && !strings.Contains(c, " ") {
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
