#!/usr/bin/env bash
# Runs every fuzz target, in turns of at most two minutes or 200,000 inputs, until each has had some seconds or some inputs.
#
#   test/fuzz.sh 2                 two seconds each
#   test/fuzz.sh 1600000x FOLDER   1.6 million inputs each, in all the runs that name the folder
#
# FOLDER/totals.tsv has a line for each turn: package, target, seconds with those of the build, inputs tried, how many of them reached
# new code, and after how many the last of those came (as Go says every three seconds). Targets that have had least come first.
#
# A run may be stopped at any moment; it ends after a turn of each when an input has failed. Go keeps the inputs that reach new code in
# its cache, and an input that fails in testdata/fuzz of the package.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

goal=${1:?test/fuzz.sh SECONDS|INPUTSx [FOLDER]} folder=${2:-$(mktemp -d)}
totals=$folder/totals.tsv
mkdir -p "$folder" && touch "$totals" || exit
[[ $# -gt 1 ]] || trap 'rm -rf "$folder"' EXIT

# Many targets write a file in each execution: in memory they do up to ten times as many. Programs may not run from there.
[[ -w /dev/shm ]] && export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=/dev/shm

# The goal is counted in a column of totals.tsv, and a turn in the unit that go test takes.
column=3 unit=s turn=120
[[ $goal == *x ]] && column=4 unit=x turn=200000
goal=${goal%x}

# targets lists the targets that have had less than the goal, the least first: seconds or inputs, package and name.
targets() {
	git grep -oE '^func Fuzz\w+' -- '*_test.go' | sed -E 's|(.*)/[^/]*:func |\1 |' |
		awk 'FILENAME != "-" { had[$1 " " $2] += $column; next } had[$0] < goal { print had[$0] + 0, $0 }' column=$column goal="$goal" "$totals" - | sort -sn
}

# run_turn runs a target, and prints what it did. Go tries only ten times to make an interesting input smaller; by default it may take
# a minute for each.
run_turn() {
	local package=$1 target=$2 most=$3 start=$SECONDS log status=0
	log=$(go test -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "$most" -fuzzminimizetime 10x "./$package" 2>&1) || status=$?
	if [[ $status != 0 ]] && ! ended_late "$log"; then
		echo "$log"
		return 1
	fi
	printf '%s\t%s\t%s\t%s\n' "$package" "$target" $((SECONDS - start)) "$(inputs <<<"$log")" | tee -a "$totals"
}

# inputs reads the log of a turn: inputs tried, how many reached new code, and after how many inputs the last of those came.
inputs() {
	sed -nE 's/.*execs: ([0-9]+) .*new interesting: ([0-9]+) .*/\1 \2/p' |
		awk '$2 > new { new = $2; last = $1 } { tried = $1 } END { print tried + 0 "\t" new + 0 "\t" last + 0 }'
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
		run_turn "$package" "$target" $((goal - had < turn ? goal - had : turn))$unit || failed+=("$package $target")
	done
done
[[ ${#failed[@]} == 0 ]] || { printf 'failed: %s\n' "${failed[@]}" && exit 1; }
