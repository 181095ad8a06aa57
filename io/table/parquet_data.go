package table

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/stream"
)

func (o *DataOptions) openParquet(path string, inputs []*stream.Input) (Data, error) {
	return nil, errors.New("not yet")
}
