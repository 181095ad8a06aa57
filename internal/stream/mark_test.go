package stream

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestMark: a byte order mark is skipped wherever text is read as a whole.
func TestMark(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "\ufeffabc": "abc", "\ufeff": "",
		"\xef\xbb":      "\xef\xbb",
		"\ufeff\ufeffx": "\ufeffx", "abcd": "abcd"} {
		got, err := io.ReadAll(WithoutMark(iotest.OneByteReader(strings.NewReader(text))))
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		path := aid.File(t, "a", text)
		for _, read := range []func(string, func(io.Reader, string) error) error{ReadFile, ReadChecked} {
			require.NoError(t, read(path, func(r io.Reader, _ string) error {
				got, err := io.ReadAll(r)
				assert.Equal(t, want, string(got))
				return err
			}))
		}
	}
	broken := errors.New("broken")
	_, err := io.ReadAll(WithoutMark(iotest.ErrReader(broken)))
	assert.ErrorIs(t, err, broken)
}

// TestForeign: the error about a file of another form says what it is.
func TestForeign(t *testing.T) {
	for begin, want := range map[string]string{"BZh91AY&SYxx": "bzip2", "BZh9\x17rE8P\x90": "bzip2",
		"\xfd7zXZ\x00\x00": "xz", "\x04\x22\x4d\x18d": "lz4", "PK\x03\x04\x14": "zip archive",
		"\xff\xfe1\x00": "UTF-16",
		"\xfe\xff\x001": "UTF-16", "7z\xbc\xaf\x27\x1c": "7z", "Rar!\x1a\x07\x01": "rar",
		"\x1f\x9d\x90":           "compress",
		"\xff\x06\x00\x00sNaPpY": "snappy"} {
		path := aid.File(t, "a", begin)
		for _, once := range []bool{false, true} {
			_, err := Open(path, Options{Once: once})
			assert.ErrorIs(t, err, ErrForeign)
			assert.ErrorContains(t, err, want)
			assert.ErrorContains(t, err, path)
		}
	}
	for _, text := range []string{"BZhang,2\n", "PK\n", "7z", "Rar!", ""} {
		path := aid.File(t, "a", text)
		in, err := Open(path, Options{})
		require.NoError(t, err, text)
		require.NoError(t, in.Close())
	}
}
