//go:build !amd64 || purego

package walk

// lanes is zero: there is no assembly.
var lanes kind

func kinds() []kind { return []kind{lanes} }
