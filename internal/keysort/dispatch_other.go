//go:build !amd64 || purego

package keysort

// hasNetwork reports whether this CPU and build have sorting networks in assembly.
const hasNetwork = false

// The functions below are never called, because there is no network.

func sort64(*uint64) { panic("keysort: no network") }

func sort128(*uint64) { panic("keysort: no network") }

func finish128(*uint64) { panic("keysort: no network") }

func fold(_, _ *uint64, _ int) { panic("keysort: no network") }

func split(_, _ *uint64, _ int) { panic("keysort: no network") }
