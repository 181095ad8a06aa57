package data

import "github.com/lambdamart/lambdamart/io/data/internal/rows"

// Companions returns the endings of the files beside the data that are read with it, such as ".weight".
func Companions() []string { return rows.Endings() }
