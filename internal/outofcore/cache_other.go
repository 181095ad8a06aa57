//go:build unix && !linux

package outofcore

import "os"

// avoidCache is for systems where a file that is open can be read past the cache.
func avoidCache(*os.File) bool { return false }

func useCache(*os.File) {}
