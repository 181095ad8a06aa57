package onnx

var ErrFormat = errFormat
