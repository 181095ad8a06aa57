package rows

// Row is what a parser tells of the row at hand. Its slices are valid until the
// next row.
type Row struct {
	Number      int // in the data
	Line        int // in the file, from 1
	Label       float64
	Weight      float64 // where Options.Weights says that rows have one
	Query       []byte  // id; nil if the row has none
	QueryColumn int     // of the id's first byte, or of where it is missing, from 1
	Doc         string  // where Options.Docs asks for it
	Feature     []int32 // strictly ascending
	Value       []float64
	Last        int // largest feature number, -1 if there is none
}

// Parser reads the rows of blocks, one at a time. A worker has one.
type Parser interface {
	// Open begins with the rows of a block.
	Open(t *Text)

	// Next goes to the next row, after Features or Skip, and tells whether there is
	// one.
	Next() bool

	// Row returns where the parser writes: number and line after Next, label, weight
	// and query after Begin, the rest after Features.
	Row() *Row

	// Begin reads label, weight and query of the row.
	Begin() error

	// Features reads the features of the row, after Begin.
	Features() error

	// Skip passes over the features of the row, after Begin, without converting
	// them: of Feature and Value nothing is known then. What it must not fail for is a
	// wrong value.
	Skip() error
}
