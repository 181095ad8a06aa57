package stream

import (
	"errors"
	"fmt"
	"strings"
)

// ErrForeign means that an input is compressed or encoded in a way that is not read.
var ErrForeign = errors.New("it is not read in this form")

// foreign are the beginnings of files that are not read, and what to do with them.
var foreign = []struct{ begin, what string }{
	{"BZh", "compressed by bzip2: decompress it, or compress it by gzip or zstd"},
	{"\xfd7zXZ\x00", "compressed by xz: decompress it, or compress it by gzip or zstd"},
	{"\x04\x22\x4d\x18", "compressed by lz4: decompress it, or compress it by gzip or zstd"},
	{"\xff\x06\x00\x00sNaPpY", "compressed by snappy: decompress it, or compress it by gzip or zstd"},
	{"\x1f\x9d", "compressed by compress: decompress it, or compress it by gzip or zstd"},
	{"PK\x03\x04", "a zip archive, as .xlsx and .npz files are: unpack it, or save it as CSV"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"},
	{"Rar!\x1a\x07", "a rar archive: unpack it"},
	{"\xff\xfe", "text in UTF-16, as PowerShell writes it: save it in UTF-8"},
	{"\xfe\xff", "text in UTF-16: save it in UTF-8"},
}

// longestForeign is the length of the longest beginning, and of what checkForeign looks at.
const longestForeign = 10

// checkForeign returns an error if a file begins in a form that is not read.
func checkForeign(head string) error {
	for _, f := range foreign {
		if strings.HasPrefix(head, f.begin) && (f.begin != "BZh" || isBzip2(head)) {
			return fmt.Errorf("%w: it is %s", ErrForeign, f.what)
		}
	}
	return nil
}

// isBzip2 reports whether BZh, which may begin text, begins a file of bzip2.
func isBzip2(head string) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' &&
		(head[4:10] == "1AY&SY" || head[4:10] == "\x17rE8P\x90")
}
