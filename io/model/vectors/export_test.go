package vectors

var ErrFormat = errFormat
