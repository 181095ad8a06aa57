package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// names lists the names in a folder.
func names(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.txt")
	long := strings.Repeat("0123456789", 100_000)
	for _, text := range []string{"first", long, ""} {
		require.NoError(t, WriteFile(path, say(text)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, text == string(got))
		assert.Equal(t, []string{"model.txt"}, names(t, dir))
	}
}

// TestWriteFileFails: if anything fails, the old file stays and no temporary file remains.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.txt")
	require.NoError(t, WriteFile(path, say("old")))
	wrong := errors.New("wrong")
	check := func() {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "old", string(got))
		assert.Equal(t, []string{"model.txt"}, names(t, dir))
	}
	err := WriteFile(path, func(w io.Writer) error {
		fmt.Fprint(w, strings.Repeat("new", 100_000))
		return wrong
	})
	assert.Equal(t, wrong, err)
	check()
	assert.Panics(t, func() {
		_ = WriteFile(path, func(io.Writer) error { panic("lost") })
	})
	check()
}

func TestWriteFileNamesThePath(t *testing.T) {
	dir := t.TempDir()
	assert.ErrorContains(t, WriteFile(dir, say("x")), "writing "+dir+": it is a directory")
	missing := filepath.Join(dir, "missing", "model.txt")
	err := WriteFile(missing, say("x"))
	assert.EqualError(t, err, "writing "+missing+": no such file or directory")
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.Empty(t, names(t, dir))
}

// TestFullDisk uses /dev/full.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	for _, text := range []string{"short", strings.Repeat("long", 100_000)} {
		err := WriteFile("/dev/full", say(text))
		assert.ErrorIs(t, err, syscall.ENOSPC)
		assert.EqualError(t, err, "writing /dev/full: no space left on device")
	}
	assert.NoError(t, WriteFile(os.DevNull, say("x")))
}

func TestWriteFileKeepsLinkAndPermissions(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o640))
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, WriteFile(link, say("new")))
	got, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got))
	info, err := os.Stat(target)
	require.NoError(t, err)
	assert.EqualValues(t, 0o640, info.Mode().Perm())
	assert.Equal(t, []string{"link", "target"}, names(t, dir))
}

// TestLinkToANewFile: the file that a link leads to is made, through links in other folders and relative
// ones. Links to themselves and into folders that do not exist are errors, and stay.
func TestLinkToANewFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.MkdirAll(at("far/deep"), 0o777))
	for _, l := range []struct{ name, to string }{
		{"near", "new"}, {"folder", "far/deep"}, {"far/deep/up", "../second"}, {"chain", "folder/up"},
		{"absolute", at("third")}, {"climbs", "folder/../fourth"}, {"loop", "loop"}, {"lost", "absent/x"},
	} {
		require.NoError(t, os.Symlink(l.to, at(l.name)))
	}
	for link, made := range map[string]string{"near": "new", "chain": "far/second", "absolute": "third",
		"climbs": "far/fourth"} {
		require.NoError(t, Probe(at(link)))
		require.NoError(t, WriteFile(at(link), say(link)))
		got, err := os.ReadFile(at(made))
		require.NoError(t, err)
		assert.Equal(t, link, string(got))
	}
	assert.EqualError(t, WriteFile(at("loop"), say("x")),
		"writing "+at("loop")+": too many levels of symbolic links")
	assert.EqualError(t, WriteFile(at("lost"), say("x")), "writing "+at("lost")+": no such file or directory")
	assert.Equal(t, []string{"absolute", "chain", "climbs", "far", "folder", "loop", "lost", "near",
		"new", "third"},
		names(t, dir))
	assert.Equal(t, []string{"deep", "fourth", "second"}, names(t, at("far")))
}

func TestStandardOutput(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	require.NoError(t, WriteFile("-", say("text")))
	assert.ErrorIs(t, WriteFile("", say("more")), ErrNoPath, "standard output is asked for by name")
	got, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
}

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	require.NoError(t, os.WriteFile(old, []byte("content"), 0o666))
	for _, path := range []string{"-", os.DevNull, old, filepath.Join(dir, "new")} {
		assert.NoError(t, Probe(path), path)
	}
	assert.ErrorIs(t, Probe(""), ErrNoPath)
	for _, path := range []string{filepath.Join(dir, "absent", "x"), filepath.Join(old, "x"), dir,
		filepath.Join(dir, strings.Repeat("x", 300))} {
		assert.ErrorContains(t, Probe(path), "writing "+path+": ")
	}
	require.NoError(t, os.Chmod(old, 0o444))
	assert.ErrorContains(t, Probe(old), "writing "+old+": it is read-only")
	assert.ErrorContains(t, WriteFile(old, say("new")), "writing "+old+": it is read-only")
	assert.Equal(t, []string{"old"}, names(t, dir))
	content, err := os.ReadFile(old)
	require.NoError(t, err)
	assert.Equal(t, "content", string(content))
}

// TestRescue: a rescued file replaces no other file, and is written elsewhere if the current folder is gone.
func TestRescue(t *testing.T) {
	temp, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Chdir(dir)
	rescue := func(path, content string) string {
		where, err := Rescue(path, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		})
		require.NoError(t, err)
		got, err := os.ReadFile(where)
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
		return where
	}
	assert.Equal(t, "model.txt.rescued1", rescue("/absent/model.txt", "a"))
	assert.Equal(t, "model.txt.rescued2", rescue("model.txt", "b"))
	assert.Equal(t, "output.rescued1", rescue("-", "c"))
	require.NoError(t, os.RemoveAll(dir))
	assert.Equal(t, filepath.Join(temp, "model.txt.rescued1"), rescue("/absent/model.txt", "d"))
	_, err := Rescue("model.txt", func(io.Writer) error { return io.ErrShortWrite })
	assert.ErrorIs(t, err, io.ErrShortWrite)
}

func TestWriteFolder(t *testing.T) {
	folder, broken := t.TempDir(), errors.New("broken")
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	paths, err := WriteFolder(folder, File{Name: "a", Write: text},
		File{Name: "b", Write: text})
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, "a"), filepath.Join(folder, "b")}, paths)
	_, err = WriteFolder(folder, File{Name: "c", Write: text},
		File{Name: "d", Write: func(io.Writer) error { return broken }}, File{Name: "e", Write: text})
	assert.ErrorIs(t, err, broken)
	got, err := os.ReadFile(filepath.Join(folder, "c"))
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
	assert.NoFileExists(t, filepath.Join(folder, "d"))
	assert.NoFileExists(t, filepath.Join(folder, "e"))
}

// TestWaitingAfterTheEnd: after waiting has ended, writes follow the one in progress, and a reader gets all.
func TestWaitingAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer Until(ctx)()
	r, w := io.Pipe()
	out := Waiting(w)
	time.AfterFunc(time.Millisecond, cancel)
	_, err := out.Write([]byte("first, "))
	require.ErrorIs(t, err, context.Canceled)
	second := strings.Repeat("second", 1<<15) // several pieces
	go func() {
		n, err := io.WriteString(out, second)
		assert.NoError(t, err)
		assert.Len(t, second, n)
		w.Close()
	}()
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "first, "+second, string(got))
}
