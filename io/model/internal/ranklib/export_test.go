package ranklib

var ErrFormat = errFormat
