//go:build !wasip1

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "scorer: this is a module for WebAssembly: build it with GOOS=wasip1 "+
		"GOARCH=wasm and -buildmode=c-shared")
	os.Exit(1)
}
