package main

import (
	"os"
	"strconv"
	"time"
)

// parentName is the environment variable by which the Python package gives its process number to the
// commands that it runs.
const parentName = "LAMBDAMART_PARENT"

// endWithParent ends the program when the process that the environment names is not its parent any more:
// nobody waits for the result then. Without the variable it does nothing.
func endWithParent() {
	parent, err := strconv.Atoi(os.Getenv(parentName))
	if err != nil {
		return
	}
	for os.Getppid() == parent {
		time.Sleep(500 * time.Millisecond)
	}
	os.Exit(exitFailure)
}
