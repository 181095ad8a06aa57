//go:build !amd64 || purego

package walk

// lanes says that there is no assembly.
var lanes kind

func kinds() []kind { return []kind{lanes} }
