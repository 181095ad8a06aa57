package mpi

import "time"

// Traffic is what a rank has exchanged with the others.
type Traffic struct {
	Collectives int
	Bytes       int64         // of the messages that this rank has contributed
	Waiting     time.Duration // in collectives: for the network, and for slower ranks
}

// exchanged is what this process has exchanged so far.
var exchanged Traffic

// Exchanged returns what this process has exchanged with other ranks so far.
func Exchanged() Traffic { return exchanged }

// Since returns the traffic since before was measured.
func (t Traffic) Since(before Traffic) Traffic {
	return Traffic{t.Collectives - before.Collectives, t.Bytes - before.Bytes, t.Waiting - before.Waiting}
}
