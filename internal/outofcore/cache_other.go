//go:build unix && !linux

package outofcore

import "os"

// avoidCache does nothing: only Linux can turn off the cache for an open file.
func avoidCache(*os.File) bool { return false }

func useCache(*os.File) {}
