package scoring

// What tests of the package see, which read data with package io/data.
const BatchRows = batchRows

var (
	ErrNoOutput = errNoOutput
	AppendIDs   = appendIDs
)
