// Command corpora keeps the inputs that fuzzing has found in test/corpora.tar.zst, because Go's own cache of
// them is lost with the machine.
//
//	go run ./test/corpora unpack folder    adds the inputs of the archive to the folder
//	go run ./test/corpora pack folder      makes an archive of the inputs in the folder
//
// An input is a file in the format of Go's fuzzing, in the folder PACKAGE/TARGET. The same inputs give the
// same archive on every machine.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

const archive = "test/corpora.tar.zst" // in the root of the repository, where the command runs

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpora:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "unpack" {
		return unpack(archive, args[1])
	}
	if len(args) == 2 && args[0] == "pack" {
		return pack(archive, args[1])
	}
	return errors.New("want unpack or pack, and a folder")
}

// unpack writes the inputs of an archive below a folder.
func unpack(archive, folder string) error {
	text, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	content, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return err
	}
	defer content.Close()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for in := tar.NewReader(content); ; {
		header, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := write(root, header.Name, in); err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, content io.Reader) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return root.WriteFile(name, text, 0o666)
}

// window is the largest distance over which the compression finds repetitions: the
// inputs of a target are similar.
const window = 1 << 26

// pack makes an archive of the inputs below a folder, in the order of their names.
func pack(archive, folder string) error {
	var text bytes.Buffer
	compressed, err := zstd.NewWriter(&text, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	inputs := os.DirFS(folder)
	err = fs.WalkDir(inputs, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(out, inputs, path)
	})
	if err := errors.Join(err, out.Close(), compressed.Close()); err != nil {
		return err
	}
	return os.WriteFile(archive, text.Bytes(), 0o666)
}

// add adds a file to an archive, without metadata that differs from machine to machine.
func add(out *tar.Writer, inputs fs.FS, path string) error {
	content, err := fs.ReadFile(inputs, path)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: path, Size: int64(len(content)), Mode: 0o644, Format: tar.FormatUSTAR}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}
