package stream

import "io"

// ReadFile opens the file at path, calls read with its decompressed content, and closes it. name is
// what messages call the file. The path "-" is standard input. Errors are those of [Open], of
// [Input.Reader] and of read, as they are.
func ReadFile(path string, read func(r io.Reader, name string) error) error {
	in, err := Open(path, Options{Once: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	return read(r, in.Name())
}
