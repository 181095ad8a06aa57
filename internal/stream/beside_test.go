package stream

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beWriter is an environment variable. If it is set, the test binary writes a file until it is killed.
const beWriter = "LAMBDAMART_TEST_BE_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(beWriter); path != "" {
		_ = WriteFile(path, func(w io.Writer) error {
			_, _ = io.WriteString(w, strings.Repeat("half", 1<<17))
			os.Stdout.WriteString("writing\n")
			select {}
		})
	}
	os.Exit(m.Run())
}

// startWriter starts a process that writes path, and returns once it has begun.
func startWriter(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(binary)
	c.Env = append(os.Environ(), beWriter+"="+path)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	t.Cleanup(func() { kill(c) })
	return c
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// TestFilesOfKilledProcessesAreRemoved: temporary files of a killed process are removed by the next writer
// of the same output, even if that one fails. They stay while their own process lives.
func TestFilesOfKilledProcessesAreRemoved(t *testing.T) {
	for name, next := range map[string]func(string) error{
		"WriteFile":  func(path string) error { return WriteFile(path, say("new")) },
		"Probe":      Probe,
		"RemoveLeft": func(path string) error { RemoveLeft(path); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "m")
			var written []string
			if name == "WriteFile" {
				written = []string{"m"}
			}
			first, second := startWriter(t, path), startWriter(t, path)
			require.NoError(t, next(path))
			assert.Equal(t, append([]string{".m.0.tmp", ".m.1.tmp"}, written...), names(t, dir))
			kill(second)
			require.NoError(t, next(path))
			assert.Equal(t, append([]string{".m.0.tmp"}, written...), names(t, dir))
			kill(first)
			require.NoError(t, next(path))
			assert.Equal(t, written, names(t, dir))
		})
	}
}

// TestForeignFilesBeside: files that other programs gave such a name are left alone.
func TestForeignFilesBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	writeTo(t, filepath.Join(dir, "precious"), "content")
	require.NoError(t, os.Symlink("precious", filepath.Join(dir, ".m.0.tmp")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".m.1.tmp"), 0o777))
	require.NoError(t, WriteFile(path, say("new")))
	assert.Equal(t, []string{".m.0.tmp", ".m.1.tmp", "m", "precious"}, names(t, dir))
	b, err := os.ReadFile(filepath.Join(dir, "precious"))
	require.NoError(t, err)
	assert.Equal(t, "content", string(b))
}

// TestManyWritersOfOneFile: the file is always the complete output of one writer.
func TestManyWritersOfOneFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	require.NoError(t, WriteFile(path, say(strings.Repeat("0", 1000))))
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for range 100 {
				assert.NoError(t, WriteFile(path, say(strings.Repeat(string(rune('1'+w)), 1000))))
				b, err := os.ReadFile(path)
				assert.NoError(t, err)
				assert.Equal(t, strings.Repeat(string(b[:1]), 1000), string(b))
			}
		})
	}
	all.Wait()
	assert.Equal(t, []string{"m"}, names(t, dir))
}

// TestTemporary: the file can be written and read, and has no name on Linux.
func TestTemporary(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := Temporary()
	require.NoError(t, err)
	_, err = f.WriteString("text")
	require.NoError(t, err)
	b := make([]byte, 4)
	_, err = f.ReadAt(b, 0)
	require.NoError(t, err)
	assert.Equal(t, "text", string(b))
	if runtime.GOOS != "windows" {
		assert.Empty(t, names(t, dir))
	}
	require.NoError(t, f.Close())
	assert.Empty(t, names(t, dir))
	t.Setenv("TMPDIR", filepath.Join(dir, "absent"))
	t.Setenv("TMP", filepath.Join(dir, "absent")) // on Windows
	_, err = Temporary()
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func writeTo(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
}

// TestReserve: only one process holds an output at a time, under any of its paths, until it is released. No
// file remains.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	writeTo(t, path, "old")
	require.NoError(t, os.Symlink("m", filepath.Join(dir, "link")))
	release, err := Reserve(path)
	require.NoError(t, err)
	_, err = Reserve(filepath.Join(dir, "link"))
	assert.ErrorContains(t, err, "another run is writing "+filepath.Join(dir, "link")+": wait for it, or "+
		"name another output (if there is none, remove "+
		filepath.Join(dir, ".m.lock.0.tmp")+")")
	other, err := Reserve(dir)
	require.NoError(t, err)
	other()
	require.NoError(t, WriteFile(path, say("new")))
	release()
	assert.Equal(t, []string{"link", "m"}, names(t, dir))
	require.NoError(t, os.Remove(path)) // the link now leads to a file that does not exist yet
	again, err := Reserve(filepath.Join(dir, "link"))
	require.NoError(t, err)
	_, err = Reserve(path)
	assert.ErrorContains(t, err, "another run is writing "+path)
	again()
}

// TestReserveAfterAKill: the lock of a killed process does not count.
func TestReserveAfterAKill(t *testing.T) {
	dir := t.TempDir()
	holder := startWriter(t, filepath.Join(dir, "m.lock")) // holds .m.lock.0.tmp
	_, err := Reserve(filepath.Join(dir, "m"))
	require.ErrorContains(t, err, "another run")
	kill(holder)
	release, err := Reserve(filepath.Join(dir, "m"))
	require.NoError(t, err)
	release()
	assert.Empty(t, names(t, dir))
}

// TestNothingToReserve: reserving an output that cannot be locked succeeds; writing it will report any error.
func TestNothingToReserve(t *testing.T) {
	for _, path := range []string{"", "-", os.DevNull, filepath.Join(t.TempDir(), "none", "m")} {
		for range 2 {
			_, err := Reserve(path)
			require.NoError(t, err, path)
		}
	}
}
