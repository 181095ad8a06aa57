package bench

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
)

// programIdentity names the program for people.
func programIdentity() string {
	return "lambdamart " + version.String() + ", commit " + version.Commit()
}

// programKey names the program so that no other has its name: builds that do not
// come from a commit as it is are told apart by their bytes.
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
