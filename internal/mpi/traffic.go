package mpi

import "time"

// Traffic is what a rank has exchanged with the others.
type Traffic struct {
	Collectives int
	Bytes       int64         // of the messages that this rank has contributed
	Waiting     time.Duration // in collectives: for the network, and for slower ranks
}

// Since returns the traffic since before was measured.
func (t Traffic) Since(before Traffic) Traffic {
	return Traffic{t.Collectives - before.Collectives, t.Bytes - before.Bytes, t.Waiting - before.Waiting}
}
