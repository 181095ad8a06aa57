package sourcecode

var ErrFormat = errFormat
