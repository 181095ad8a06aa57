package lightgbm

var ErrFormat = errFormat
