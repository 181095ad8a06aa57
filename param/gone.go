package param

// gone explains the names of parameters that no longer exist, which were in versions until 2026-11-26.
var gone = map[string]string{
	"dialect":    forSQL,
	"table_name": forSQL,
}

const forSQL = "it was for SQL, which export no longer writes; to=c, to=go and to=java write code instead"
