package limits

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const second = "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"

const first = `32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
`

// system returns a file system with the given files. Names are paths such as /proc/self/cgroup without the
// leading slash.
func system(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, content := range files {
		root[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return root
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		cpus   float64 // 0: no limit
		memory int64   // 0: no limit
	}{
		"no control groups": {map[string]string{}, 0, 0},
		"version 2, a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": second,
			"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, 1.5, 1 << 30},
		"version 2, no limits": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": second,
			"sys/fs/cgroup/a/b/cpu.max": "max 100000\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 0, 0},
		"version 2, the group above has less": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": second,
			"sys/fs/cgroup/a/cpu.max": "50000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
			"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 0.5, 1000},
		"version 1": {map[string]string{
			"proc/self/cgroup": "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n", "proc/self/mountinfo": first,
			"sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us":  "200000\n",
			"sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":      "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us":     "100000\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes":  "2000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":      "9223372036854771712\n"}, 2, 2000},
		"version 1, a container that sees the path outside": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n",
			"proc/self/mountinfo": "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup " +
				"rw,cpu,cpuacct\n35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "3000"}, 1, 3000},
		"a path that is not mounted": {map[string]string{
			"proc/self/cgroup": "0::/elsewhere\n", "proc/self/mountinfo": "31 23 0:28 /pods/x /sys/fs/cgroup rw - " +
				"cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/memory.max": "4000\n"}, 0, 4000},
		"a mount point with a blank": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": `31 23 0:28 / /a\040b rw - cgroup2 cgroup2 rw` + "\n",
			"a b/memory.max": "5000\n"}, 0, 5000},
		"a machine": {map[string]string{"proc/meminfo": "MemTotal:       6000 kB\nMemFree: 1 kB\nSwapTotal:     " +
			" 1000 kB\n"}, 0, 7000 << 10},
		"a group with more than the machine": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": second, "proc/meminfo": "MemTotal: 6 kB\n",
			"sys/fs/cgroup/memory.max": "1073741824\n"}, 0, 6 << 10},
		"nonsense": {map[string]string{
			"proc/self/cgroup": "0::/\nx\n:::\n", "proc/self/mountinfo": second + "short\n - \n - cgroup2\n",
			"sys/fs/cgroup/cpu.max": "-5 0\n", "sys/fs/cgroup/memory.max": "many\n"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := system(c.files)
			cpus, limited := cpusOf(root)
			assert.Equal(t, c.cpus > 0, limited)
			if limited {
				assert.Equal(t, c.cpus, cpus)
			}
			memory, file, limited := memoryOf(root)
			assert.Equal(t, c.memory > 0, limited)
			if limited {
				assert.Equal(t, c.memory, memory)
				assert.Contains(t, c.files, file[1:])
			}
		})
	}
}

// TestRealGroups creates a control group with limits, if permitted, and reads the
// limits from a process in it.
func TestRealGroups(t *testing.T) {
	if where := os.Getenv("LAMBDAMART_TEST_LIMITS"); where != "" {
		cpus, _ := CPUs()
		memory, _, _ := Memory()
		fmt.Printf("found %v CPUs, %v bytes\n", cpus, memory)
		return
	}
	group := newGroup(t)
	c := exec.Command("sh", "-c", `for f in $GROUPS_OF; do echo $$ > $f/cgroup.procs; done; exec "$0" `+
		`-test.run TestRealGroups`, os.Args[0])
	c.Env = append(os.Environ(), "LAMBDAMART_TEST_LIMITS=1", "GROUPS_OF="+group)
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), fmt.Sprintf("found 0.75 CPUs, %d bytes", 512<<20))
}

// newGroup creates a control group with 0.75 CPUs and 512 MiB, and returns its folders.
func newGroup(t *testing.T) string {
	t.Helper()
	name := "lambdamart-test-" + strconv.Itoa(os.Getpid())
	limit := func(folder string, values map[string]string) {
		group := filepath.Join(folder, name)
		if err := os.Mkdir(group, 0o777); err != nil {
			t.Skip("no control group can be made here:", err)
		}
		t.Cleanup(func() { assert.NoError(t, os.Remove(group)) })
		for file, value := range values {
			if err := os.WriteFile(filepath.Join(group, file), []byte(value), 0); err != nil {
				t.Skip("a control group cannot be limited here:", err)
			}
		}
	}
	if words(os.DirFS("/"), "sys/fs/cgroup/cgroup.controllers") != nil {
		limit("/sys/fs/cgroup", map[string]string{"cpu.max": "75000 100000", "memory.max": "536870912"})
		return "/sys/fs/cgroup/" + name
	}
	limit("/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_quota_us": "75000", "cpu.cfs_period_us": "100000"})
	limit("/sys/fs/cgroup/memory", map[string]string{"memory.limit_in_bytes": "536870912"})
	return "/sys/fs/cgroup/cpu/" + name + " /sys/fs/cgroup/memory/" + name
}

// limitMemory sets the memory limit as the runtime does at startup from the environment variable.
func limitMemory(t *testing.T, variable string, bytes int64) {
	t.Helper()
	t.Setenv("GOMEMLIMIT", variable)
	before := debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

func TestCheck(t *testing.T) {
	limitMemory(t, "1000000000", 1e9)
	require.NoError(t, Check(9e8, "work", "do less"))
	err := Check(9e8+1, "work", "do less")
	assert.ErrorIs(t, err, ErrMemory)
	assert.EqualError(t, err, "not enough memory: work needs about 901 MB, and may use 900 MB, nine tenths "+
		"of GOMEMLIMIT: do less; the environment variable GOMEMLIMIT=off tries it all the same")
	limitMemory(t, "off", math.MaxInt64)
	assert.NoError(t, Check(math.MaxInt64/2, "work", "do less"))
}
