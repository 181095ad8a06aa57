package stream

// ByteCount counts the bytes that are written to it.
type ByteCount int64

func (c *ByteCount) Write(p []byte) (int, error) {
	*c += ByteCount(len(p))
	return len(p), nil
}
