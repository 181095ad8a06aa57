#!/usr/bin/env bash
# Runs a command, for instance ./test.sh, with the clock set to another day:
#
#   test/clock.sh 2028-02-29T23:59:50 Asia/Kathmandu go test ./...
#
# Go programs ask the system for the time without the C library, where faketime works. So those that the command builds have
# another package time, which adds the seconds of LAMBDAMART_CLOCK. With Debian's package faketime other programs see that day
# too. Times of files remain real.
set -euo pipefail
[[ $# -ge 3 ]] || { echo "usage: test/clock.sh DATE ZONE COMMAND..." >&2 && exit 2; }
export TZ=$2
LAMBDAMART_CLOCK=$(($(date -d "$1" +%s) - $(date +%s)))
export LAMBDAMART_CLOCK
shift 2

overlay=${XDG_CACHE_HOME:-$HOME/.cache}/lambdamart/clock
source=$(go env GOROOT)/src/time
mkdir -p "$overlay"
sed 's/^\tsec, nsec, mono := runtimeNow()$/&\n\tsec += clockOffset/' "$source/time.go" >"$overlay/time.go"
if cmp -s "$source/time.go" "$overlay/time.go"; then
	echo "clock.sh: time.Now is not as expected in $source/time.go" >&2 && exit 1
fi
cat >"$overlay/clock.go" <<'END'
package time

import "syscall"

var clockOffset = func() (seconds int64) {
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
}()
END
cat >"$overlay/overlay.json" <<END
{"Replace": {"$source/time.go": "$overlay/time.go", "$source/clock.go": "$overlay/clock.go"}}
END

# -count=1: the go command does not know that a result depends on LAMBDAMART_CLOCK.
export GOFLAGS="-overlay=$overlay/overlay.json -count=1 ${GOFLAGS-}"
if command -v faketime >/dev/null; then
	export NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1
	set -- faketime -f "$(printf %+ds "$LAMBDAMART_CLOCK")" "$@"
fi
exec "$@"
