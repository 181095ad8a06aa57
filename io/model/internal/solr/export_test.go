package solr

var ErrFormat = errFormat
