#!/usr/bin/env bash
# Runs a command, for instance ./test.sh, with the clock set to another day:
#
#   test/clock.sh 2028-02-29T23:59:50 Asia/Kathmandu go test ./...
#
# or on this day, and lists in FILE what in Go programs asks for the day or the time zone. Programs that only measure how
# long something takes are not listed, and do on each day what they do today:
#
#   test/clock.sh uses FILE go test ./...
#
# Go programs ask the system for the time without the C library, where faketime works. So those that the command builds have
# another package time, which adds the seconds of LAMBDAMART_CLOCK. With Debian's packages faketime and gcc other programs see
# that day too, but for the browser. Times of files remain real.
set -euo pipefail
[[ $# -ge 3 ]] || { echo "usage: test/clock.sh (DATE ZONE | uses FILE) COMMAND..." >&2 && exit 2; }
export LAMBDAMART_CLOCK=0 LAMBDAMART_CLOCK_USES=
if [[ $1 == uses ]]; then
	touch "$2"
	LAMBDAMART_CLOCK_USES=$(realpath "$2")
else
	export TZ=$2
	LAMBDAMART_CLOCK=$(($(date -d "$1" +%s) - $(date +%s)))
fi
shift 2

overlay=${XDG_CACHE_HOME:-$HOME/.cache}/lambdamart/clock
source=$(go env GOROOT)/src/time
mkdir -p "$overlay"
made=$(mktemp -d "$overlay.XXXXXX") # and moved when complete: others may build with it meanwhile

# change FILE PATTERN REPLACEMENT: a line of package time.
change() {
	grep -qP "$2" "$made/$1" || { echo "clock.sh: $source/$1 has no line $2" >&2 && exit 1; }
	sed -i -E "s/$2/$3/" "$made/$1"
}

cp "$source/time.go" "$source/zoneinfo.go" "$made"
change time.go '^\tsec, nsec, mono := runtimeNow\(\)$' '&\n\tsec += clockOffset'
# The seconds of a time that Now has returned: differences of such times do not read them.
change time.go '^\t\treturn wallToInternal \+ ' '\t\tclockUsed()\n&'
change zoneinfo.go '^\t\tlocalOnce\.Do\(initLocal\)$' '\t\tclockUsed()\n&'
cat >"$made/clock.go" <<'END'
package time

import (
	"internal/stringslite"
	"runtime"
	"sync"
	"syscall"
)

var (
	clockOffset  = parseClock()
	clockUses, _ = syscall.Getenv("LAMBDAMART_CLOCK_USES")
	clockUsers   sync.Map
)

func parseClock() (seconds int64) {
	text, _ := syscall.Getenv("LAMBDAMART_CLOCK")
	sign := int64(1)
	for _, c := range text {
		if c == '-' {
			sign = -1
		} else {
			seconds = 10*seconds + int64(c-'0')
		}
	}
	return sign * seconds
}

// clockUsed records the folder, the program, and the function outside this package that asks for the day or the zone.
func clockUsed() {
	if clockUses == "" {
		return
	}
	var calls [16]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	user, more := frames.Next()
	for more && stringslite.HasPrefix(user.Function, "time.") {
		user, more = frames.Next()
	}
	if _, known := clockUsers.LoadOrStore(user.Function, true); known {
		return
	}
	var program [1024]byte
	n, _ := syscall.Readlink("/proc/self/exe", program[:])
	folder, _ := syscall.Getenv("PWD")
	file, _ := syscall.Open(clockUses, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_APPEND, 0o644)
	syscall.Write(file, []byte(folder+"\t"+string(program[:max(n, 0)])+"\t"+user.Function+"\n"))
	syscall.Close(file)
}
END
cat >"$made/overlay.json" <<END
{"Replace": {"$source/time.go": "$overlay/time.go", "$source/zoneinfo.go": "$overlay/zoneinfo.go",
"$source/clock.go": "$overlay/clock.go"}}
END
# faketime moves also the time of the monotonic clock until which Python sleeps: it would not sleep, or forever.
if [[ $LAMBDAMART_CLOCK != 0 ]] && command -v faketime >/dev/null && command -v cc >/dev/null; then
	cc -shared -fPIC -x c -o "$made/sleep.so" - <<-'END'
		#include <errno.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>

		int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
			return syscall(SYS_clock_nanosleep, clock, flags, until, left) == 0 ? 0 : errno;
		}
	END
	faketime=(faketime -f "$(printf %+ds "$LAMBDAMART_CLOCK")")
fi
mv "$made"/* "$overlay"
rmdir "$made"

# -count=1: the go command does not know that a result depends on LAMBDAMART_CLOCK.
export GOFLAGS="-overlay=$overlay/overlay.json -count=1 ${GOFLAGS-}"
if [[ ${faketime-} ]]; then
	export NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1 LD_PRELOAD=$overlay/sleep.so
	set -- "${faketime[@]}" "$@"
fi
exec "$@"
