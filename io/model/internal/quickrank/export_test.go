package quickrank

var ErrFormat = errFormat
