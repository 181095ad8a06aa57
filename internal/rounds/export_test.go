package rounds

// SetMaxRows sets the largest number of rows of a set, and returns a function that sets it back.
func SetMaxRows(n int) func() {
	before := maxRows
	maxRows = n
	return func() { maxRows = before }
}
