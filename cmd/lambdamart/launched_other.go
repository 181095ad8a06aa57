//go:build !unix

package main

import "os"

// notifyLaunched does nothing: there are no launchers on this system.
func notifyLaunched(chan<- os.Signal) {}
