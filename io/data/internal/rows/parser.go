package rows

// Row is what a parser has read of the current row. Its slices are valid until the next row; the slices of
// its features are valid until [Parser].Forget.
type Row struct {
	Number      int // in the data
	Line        int // in the file, from 1
	Label       float64
	Weight      float64 // if Options.Weights says that rows have one
	Second      float64 // second label, if Options.Second says that rows have one
	Place       []byte  // where the document was shown, if Options.Places says that rows have it
	Query       []byte  // id; nil if the row has none
	QueryColumn int     // of the id's first byte, or of the place where it is missing, from 1
	Doc         string  // if Options.Docs asks for it
	Feature     []int32 // strictly ascending
	Value       []float64
	Last        int // largest feature number, -1 if there is none
}

// Parser reads the rows of blocks, one at a time. Every worker has its own.
type Parser interface {
	// Open starts with the rows of a block.
	Open(t *Text)

	// Next goes to the next row, after Features or Skip, and reports whether there is one.
	Next() bool

	// Row returns the Row that the parser fills: number and line in Next, labels, weight, place
	// and query in Begin, the rest in Features.
	Row() *Row

	// Forget allows the memory of the features of all rows so far to be reused. So does Open.
	Forget()

	// Begin reads labels, weight, place and query of the row.
	Begin() error

	// Features reads the features of the row, after Begin.
	Features() error

	// Skip skips the features of the row, after Begin, without converting them: Feature and
	// Value are undefined then, and a wrong value is not an error.
	Skip() error
}
