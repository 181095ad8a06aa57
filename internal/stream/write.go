package stream

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoPath means that an output has no name.
var ErrNoPath = errors.New("the output has no name; name a file, or - for standard output")

// Stdout is where the path "-" leads if the standard output of the process has another use; nil: it has none.
var Stdout io.Writer

// WriteFile makes the file at path from what write writes: the whole file, or none. The bytes go to a new
// file in the same folder, are flushed to the disk, and get the name path at the end. On any error an
// existing file keeps its content, nothing new is left behind, and the error names path. A killed process
// leaves the new file, .NAME.0.tmp, which the next process that writes path removes.
//
// The path "-" is standard output; an empty path is [ErrNoPath]. A device or a pipe is written directly. A
// symbolic link stays, and its target is replaced or, if it does not exist, made, as by a shell's ">". An
// existing file keeps its permissions, and a read-only one is not replaced.
//
// write need not buffer.
func WriteFile(path string, write func(w io.Writer) error) error {
	if path == "-" {
		if Stdout != nil {
			return buffered(Stdout, "standard output", write)
		}
		return buffered(Waiting(os.Stdout), "standard output", write)
	}
	return output(path,
		func() error { return writeDevice(path, write) },
		func(target string, perm fs.FileMode) error { return replace(target, path, perm, write) })
}

// output calls device if path names a device or a pipe, and file if it names a regular file or does not
// exist. file gets the path with symbolic links resolved, and device uses path itself: the target of
// /dev/stdout may be "pipe:[1]". perm is 0 for a new file.
func output(path string, device func() error, file func(target string, perm fs.FileMode) error) error {
	if path == "" {
		return ErrNoPath
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("writing %s: it is a directory; name a file", path)
	case err == nil && !info.Mode().IsRegular():
		return device()
	case err == nil && info.Mode().Perm()&0o222 == 0: // replacing it would not ask for its permissions
		return fmt.Errorf("writing %s: it is read-only; make it writable, or name another file", path)
	case err == nil:
		return file(Target(path), info.Mode().Perm())
	case errors.Is(err, fs.ErrNotExist):
		return file(Target(path), 0)
	}
	return writeError(path, err)
}

// Target returns the path of the file that path names, which need not exist, without symbolic links. If
// links lead back to themselves or their folder does not exist, it returns a path that cannot be written.
func Target(path string) string {
	const mostLinks = 40 // as in Linux
	for range mostLinks {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target
		}
		folder, name := filepath.Split(path)
		folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
		if err != nil {
			return path
		}
		file := filepath.Join(folder, name)
		link, err := os.Readlink(file)
		if err != nil {
			return file
		}
		if path = link; !filepath.IsAbs(link) {
			path = folder + string(filepath.Separator) + link // not Join: "x/.." can lead elsewhere if x is a link
		}
	}
	return path
}

func writeDevice(path string, write func(w io.Writer) error) (err error) {
	f, err := waitToWrite(func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
	if err != nil {
		return writeError(path, err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = writeError(path, closeErr)
		}
	}()
	return buffered(Waiting(f), path, write)
}

// replace writes a file beside target and renames it. The new file has the given permissions, or the
// process's default ones if perm is 0.
func replace(target, path string, perm fs.FileMode, write func(w io.Writer) error) (err error) {
	f, err := createBeside(target)
	if err != nil {
		return writeError(path, err)
	}
	done := false
	defer func() { // also after a panic of write
		if !done {
			_ = discard(f)
		}
	}()
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return writeError(path, err)
		}
	}
	if err := buffered(f, path, write); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return writeError(path, err)
	}
	if err := publish(f, target); err != nil {
		return writeError(path, err)
	}
	done = true
	syncFolder(filepath.Dir(target))
	return nil
}

// syncFolder makes a rename durable. Some systems cannot do this; the file is complete in any case.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

func buffered(w io.Writer, path string, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(&namingWriter{w, path}, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// namingWriter adds the name of the output to the errors of a writer. The functions given to WriteFile return
// these errors, which then have the name once; errors from elsewhere do not get it.
type namingWriter struct {
	w    io.Writer
	path string
}

func (n *namingWriter) Write(b []byte) (int, error) {
	done, err := n.w.Write(b)
	if err != nil {
		err = writeError(n.path, err)
	}
	return done, err
}

// writeError names the file that the user asked for, not the one beside it.
func writeError(path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr):
		err = linkErr.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// ByteCount counts the bytes that are written to it.
type ByteCount int64

func (c *ByteCount) Write(p []byte) (int, error) {
	*c += ByteCount(len(p))
	return len(p), nil
}

// File is a file of a folder that WriteFolder writes.
type File struct {
	Name  string // in the folder
	Write func(w io.Writer) error
}

// WriteFolder writes files into a folder, each as WriteFile does, and returns their paths. It stops at the
// first error; the files before it are complete.
func WriteFolder(folder string, files ...File) (paths []string, err error) {
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		if err := WriteFile(path, file.Write); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Probe returns the error with which [WriteFile] would fail to write to path, as far as this can be known
// without writing. Call it before long work whose result goes there. It makes a file beside path and removes
// it. It does not check devices, pipes and standard output.
func Probe(path string) error {
	if path == "-" {
		return nil
	}
	nothing := func() error { return nil }
	return output(path, nothing, func(target string, _ fs.FileMode) error {
		f, err := createBeside(target)
		if err != nil {
			return writeError(path, err)
		}
		return discard(f)
	})
}

// Rescue writes output that could not be written to path to another file, and returns its path: a new name in
// the current folder or, if this fails too, in path's folder or the folder for temporary files. The error is
// that of the last attempt.
func Rescue(path string, write func(w io.Writer) error) (where string, err error) {
	folder, base := filepath.Split(path)
	if path == "-" || path == "" {
		base = "output"
	}
	for _, dir := range []string{"", folder, os.TempDir()} {
		where, err = freeName(filepath.Join(dir, base))
		if err != nil {
			continue
		}
		if err = WriteFile(where, write); err == nil {
			return where, nil
		}
	}
	return "", err
}

// freeName returns path with the least number at its end that makes it an unused name.
func freeName(path string) (string, error) {
	const most = 1000
	for i := 1; i <= most; i++ {
		name := fmt.Sprintf("%s.rescued%d", path, i)
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %d files were rescued before", path, most)
}
