package scored

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
)

// What can be wrong with a table. The texts say what to do. They come in a [*dataset.Error], which
// has the place. Those that package table has too are the same values.
var (
	ErrNoColumn     = tables.ErrNoColumn
	ErrRepeated     = tables.ErrRepeated
	ErrNoParts      = tables.ErrNoParts
	ErrSubfolder    = tables.ErrSubfolder
	ErrQuery        = tables.ErrQuery
	ErrCompressed   = tables.ErrCompressed
	ErrNoRows       = errors.New("the table is empty: the first line must name the columns")
	ErrNumber       = errors.New("not a number")
	ErrTarget       = errors.New("the target is infinite")
	ErrRecordLength = errors.New("the row has more or fewer cells than the first line")

	ErrNotParquet  = parquet.ErrNotParquet
	ErrDamaged     = parquet.ErrDamaged
	ErrUnsupported = parquet.ErrUnsupported
	ErrEncrypted   = parquet.ErrEncrypted
)
