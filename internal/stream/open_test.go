package stream

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

var text = strings.Repeat("2 qid:1 1:0.5 2:17\n", 10_000)

// packed returns the same text in every format.
func packed(t testing.TB) map[format][]byte {
	var g, z bytes.Buffer
	gw := gzip.NewWriter(&g)
	_, err := io.WriteString(gw, text)
	require.NoError(t, err)
	require.NoError(t, gw.Close())
	zw, err := zstd.NewWriter(&z)
	require.NoError(t, err)
	_, err = io.WriteString(zw, text)
	require.NoError(t, err)
	require.NoError(t, zw.Close())
	return map[format][]byte{plain: []byte(text), gzipped: g.Bytes(), zstandard: z.Bytes()}
}

func readAll(t *testing.T, in *Input) string {
	r, err := in.Reader()
	require.NoError(t, err)
	defer r.Close()
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	if in.Size() >= 0 {
		assert.Equal(t, in.Size(), r.Consumed())
	}
	return string(got)
}

func TestReadTwice(t *testing.T) {
	for form, content := range packed(t) {
		in, err := Open(aid.File(t, "data", content), Options{})
		require.NoError(t, err)
		for range 2 {
			assert.True(t, text == readAll(t, in), form)
		}
		assert.EqualValues(t, len(content), in.Size())
		assert.Equal(t, form == plain, in.Seekable())
		require.NoError(t, in.Close())
	}
}

// TestConcatenated: files of both formats may be concatenated; zstd files may begin with a skippable frame.
func TestConcatenated(t *testing.T) {
	all := packed(t)
	all[zstandard] = append([]byte{0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'}, all[zstandard]...)
	for form, content := range all {
		in, err := Open(aid.File(t, "data", append(content, content...)), Options{})
		require.NoError(t, err)
		assert.True(t, text+text == readAll(t, in), form)
		in.Close()
	}
}

// pipe replaces standard input during the test by a pipe with the given content.
func pipe(t *testing.T, content []byte) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	stdin := os.Stdin
	os.Stdin = r
	go func() {
		_, _ = w.Write(content)
		w.Close()
	}()
	t.Cleanup(func() {
		os.Stdin = stdin
		r.Close()
	})
}

func TestPipe(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for form, content := range packed(t) {
		pipe(t, content)
		in, err := Open("-", Options{})
		require.NoError(t, err)
		for range 2 {
			assert.True(t, text == readAll(t, in), form)
		}
		assert.Equal(t, "standard input", in.Name())
		entries, err := os.ReadDir(temp)
		require.NoError(t, err)
		assert.Empty(t, entries, "the copy has no name")
		require.NoError(t, in.Close())
	}
}

func TestPipeOnce(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	for form, content := range packed(t) {
		pipe(t, content)
		in, err := Open("-", Options{Once: true})
		require.NoError(t, err)
		assert.EqualValues(t, -1, in.Size())
		assert.False(t, in.Seekable())
		assert.True(t, text == readAll(t, in), form)
		_, err = in.Reader()
		assert.ErrorIs(t, err, ErrOnce)
		require.NoError(t, in.Close())
	}
	pipe(t, nil)
	_, err := Open("-", Options{})
	assert.ErrorContains(t, err, "standard input: copying it to a temporary file")
}

// TestHead: looking at the first bytes does not consume them, even from a pipe.
func TestHead(t *testing.T) {
	for form, content := range packed(t) {
		for _, n := range []int{3, 100, len(text), len(text) + 1} {
			in, err := Open(aid.File(t, "data", content), Options{})
			require.NoError(t, err)
			checkHead(t, in, n, form)
			in.Close()

			pipe(t, content)
			in, err = Open("-", Options{Once: true})
			require.NoError(t, err)
			checkHead(t, in, 2, form)
			checkHead(t, in, n, form)
			assert.True(t, text == readAll(t, in), form)
			_, err = in.Head(1)
			assert.ErrorIs(t, err, ErrOnce)
		}
	}
}

func checkHead(t *testing.T, in *Input, n int, form format) {
	head, err := in.Head(n)
	require.NoError(t, err)
	assert.True(t, text[:min(n, len(text))] == string(head), "%v: %d of %d", form, len(head), n)
}

func TestDamaged(t *testing.T) {
	for form, content := range packed(t) {
		if form == plain {
			continue
		}
		cut := aid.File(t, "data", content[:len(content)/2])
		damaged := bytes.Clone(content)
		damaged[len(damaged)/2] ^= 0x55
		for path, want := range map[string]error{cut: ErrTruncated, aid.File(t, "data", damaged): ErrCorrupt} {
			in, err := Open(path, Options{})
			require.NoError(t, err)
			r, err := in.Reader()
			require.NoError(t, err)
			_, err = io.ReadAll(r)
			assert.ErrorIs(t, err, want, form)
			assert.ErrorContains(t, err, path)
			in.Close()
		}
	}
}

// TestCutWithinTheNameOfAMember: package gzip takes that for the end of the data.
func TestCutWithinTheNameOfAMember(t *testing.T) {
	const second = "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xffnam"
	in, err := Open(aid.File(t, "data", append(packed(t)[gzipped], second...)), Options{})
	require.NoError(t, err)
	defer in.Close()
	r, err := in.Reader()
	require.NoError(t, err)
	_, err = io.ReadAll(r)
	assert.ErrorIs(t, err, ErrTruncated)
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir, Options{})
	assert.ErrorIs(t, err, ErrDirectory)
	assert.ErrorContains(t, err, dir)
	_, err = Open(filepath.Join(dir, "missing"), Options{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, filepath.Join(dir, "missing")+": no such file or directory")
}

// TestDevices: a device that may have no end is refused, whoever reads it; the null device is an empty file.
func TestDevices(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the names of devices are those of Linux")
	}
	read := func(io.Reader, string) error { return nil }
	for _, path := range []string{"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"} {
		for _, o := range []Options{{}, {Once: true}} {
			_, err := Open(path, o)
			assert.ErrorIs(t, err, ErrDevice, path)
		}
		assert.ErrorIs(t, ReadFile(path, read), ErrDevice, path)
	}
	assert.NoError(t, ReadFile(os.DevNull, read))
}

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
