package stream

import "io"

// ReadFile reads the file at path once, from its beginning, with read, which
// also gets the name that messages call the file by. The path "-" is standard
// input. Errors are those of [Open], of [Input.Reader] and of read, as they are.
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
