package xgboost

var ErrFormat = errFormat
