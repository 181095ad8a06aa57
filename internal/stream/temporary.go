package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Temporary makes an empty file for reading and writing in a folder ("" means os.TempDir). The file
// disappears when it is closed. Where the system allows it has no name, so not even a killed process leaves
// it.
func Temporary(folder string) (*os.File, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	if f, err := nameless(folder); !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	for {
		name := filepath.Join(folder, fmt.Sprintf("lambdamart-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|removeOnClose, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && removeOnClose == 0 {
			err = os.Remove(name)
		}
		return f, err
	}
}
