package scoring

// BatchRows exports batchRows to the external tests, which read data with package io/data.
const BatchRows = batchRows

var (
	ErrNoOutput = errNoOutput
	AppendIDs   = appendIDs
)
