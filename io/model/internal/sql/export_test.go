package sql

var ErrFormat = errFormat
