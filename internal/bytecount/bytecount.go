// Package bytecount has a writer that counts bytes.
package bytecount

// Writer counts the bytes that are written to it. The zero value has counted none.
type Writer struct{ Bytes int64 }

func (w *Writer) Write(p []byte) (int, error) {
	w.Bytes += int64(len(p))
	return len(p), nil
}
