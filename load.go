package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
)

// Load reads training data and validation sets, and bins all of them by what it finds in the training
// data. A path is a file of LETOR text, CSV, TSV or Parquet, perhaps compressed, a folder of parts of
// a table, data that "lambdamart bin" stored, or "-" for standard input. Close the result after
// training. What a person should know about the data is in [data.Set.Remarks]. Errors about the content
// of a file are a [*dataset.Error], which names file, line and column.
func Load(ctx context.Context, p Params, training string, validation ...string) (*data.Loaded, error) {
	return data.Load(ctx, p.BinParams(), p.loadOptions(), training, validation...)
}

// Bin is [Load] for data in memory or from a source of the caller's own: [dataset.FromRows] and
// [dataset.FromValues] make one of a matrix. The columns of all sources are the same features in the same order.
func Bin(ctx context.Context, p Params, training dataset.Source, validation ...dataset.Source) (*data.Loaded, error) {
	return data.Bin(ctx, p.BinParams(), p.loadOptions(), training, validation...)
}

func (p *Params) loadOptions() data.LoadOptions {
	return data.LoadOptions{Layout: p.Data, Workers: p.NumThreads}
}
