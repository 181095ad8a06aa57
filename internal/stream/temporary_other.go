//go:build !windows

package stream

const removeOnClose = 0
