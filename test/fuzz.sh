#!/usr/bin/env bash
# Runs every fuzz target, in turns of two minutes, until each has had some seconds.
#
#   test/fuzz.sh 2             two seconds each
#   test/fuzz.sh 3600 FOLDER   an hour each, in all the runs that name the folder: its totals.tsv has target, seconds, executions
#
# A run may be stopped at any moment; it ends after a turn of each when an input has failed. Go keeps the inputs that reach new code in
# its cache, and an input that fails in testdata/fuzz of the package.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

turn=120 goal=${1:?test/fuzz.sh SECONDS [FOLDER]} folder=${2:-$(mktemp -d)}
totals=$folder/totals.tsv
mkdir -p "$folder" && touch "$totals" || exit
[[ $# -gt 1 ]] || trap 'rm -rf "$folder"' EXIT

# Many targets write a file in each execution: in memory they do up to ten times as many. Programs may not run from there.
[[ -w /dev/shm ]] && export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=/dev/shm

# targets lists the targets that have had less than the goal, the shortest time first: seconds, package and name.
targets() {
	git grep -oE '^func Fuzz\w+' -- '*_test.go' | sed -E 's|(.*)/[^/]*:func |\1 |' |
		awk 'FILENAME != "-" { had[$1 " " $2] += $3; next } had[$0] < goal { print had[$0] + 0, $0 }' goal="$goal" "$totals" - | sort -sn
}

# run_turn runs a target for some seconds, and prints what it did. Go tries only ten times to make an interesting input smaller; by
# default it may take a minute for each.
run_turn() {
	local package=$1 target=$2 seconds=$3 log status=0 executions
	log=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" -fuzzminimizetime 10x "./$package" 2>&1) || status=$?
	if [[ $status != 0 ]] && ! ended_late "$log"; then
		echo "$log"
		return 1
	fi
	executions=$(grep -oE 'execs: [0-9]+' <<<"$log" | tail -1 | grep -oE '[0-9]+')
	printf '%s\t%s\t%s\t%s\n' "$package" "$target" "$seconds" "${executions:-0}" | tee -a "$totals"
}

# ended_late recognizes one kind of failure that is none: on a busy machine the time can end before a worker has answered, which go
# reports as a failure although no input failed (go.dev/issue/75804, fixed in Go 1.27).
ended_late() {
	grep -q 'context deadline exceeded' <<<"$1" && ! grep -q 'Failing input' <<<"$1"
}

failed=()
while [[ ${#failed[@]} == 0 ]] && mapfile -t round < <(targets) && [[ ${#round[@]} != 0 ]]; do
	for next in "${round[@]}"; do
		read -r had package target <<<"$next"
		run_turn "$package" "$target" $((goal - had < turn ? goal - had : turn)) || failed+=("$package $target")
	done
done
[[ ${#failed[@]} == 0 ]] || { printf 'failed: %s\n' "${failed[@]}" && exit 1; }
