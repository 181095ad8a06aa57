#!/usr/bin/env bash
# Runs every fuzz target until each has had some seconds or some inputs.
#
#   test/fuzz.sh 2 '' 2              two seconds each, two targets at a time (without numbers, one)
#   test/fuzz.sh 1600000x FOLDER     1.6 million inputs each, in all the runs that name the folder
#   test/fuzz.sh 3600 FOLDER all     an hour of wall time each, all targets at a time (or 8, or another number)
#
# It starts from the inputs of test/corpora.tar.zst (see test/corpora). FOLDER keeps them and those that reach new code, and totals.tsv,
# with a line for each turn: package, target, wall seconds, CPU seconds, inputs tried, how many of them reached new code, and after how
# many inputs the last of these came (as Go prints every three seconds).
#
# A turn is two minutes of a core, or 200,000 inputs. Targets with the least so far come first. A run may be stopped at any moment. After
# a failure, it ends when each target has had its turn; Go writes the failing input to testdata/fuzz of the package.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

goal=${1:?test/fuzz.sh SECONDS|INPUTSx [FOLDER [TARGETS AT A TIME]]} folder=${2:-$(mktemp -d)} at_once=${3:-1}
[[ $goal =~ ^[0-9]+x?$ && $at_once =~ ^([1-9][0-9]*|all)$ ]] || { sed -n '2,6s/^# \{0,1\}//p' test/fuzz.sh >&2; exit 2; }
mkdir -p "$folder/bin" "$folder/corpora" && folder=$(cd "$folder" && pwd) && touch "$folder/totals.tsv" || exit
[[ -n ${2:-} ]] || trap 'rm -rf "$folder"' EXIT

[[ $at_once != all ]] || at_once=$(git grep -hE '^func Fuzz\w+' -- '*_test.go' | wc -l)
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
workers=$((cores > at_once ? cores / at_once : 1))
[[ $workers != 1 ]] || export GOMAXPROCS=1 # one process is faster without threads that wait for each other

# The packages whose branches guide the search: ours and those that parse. By default Go counts branches in nearly all packages, and
# spends most of the time comparing them after each input.
guiding=("$(go list -m)/..." encoding/{csv,json,xml} compress/... github.com/klauspost/compress/...)

# The goal is counted in a column of totals.tsv, and a turn in the unit that the test takes.
column=3 unit=s turn=$((at_once > cores ? 120 * at_once / cores : 120))
[[ $goal == *x ]] && column=5 unit=x turn=200000
goal=${goal%x}

# targets lists the targets below the goal, the furthest behind first: seconds or inputs, package and name.
targets() {
	git grep -oE '^func Fuzz\w+' -- '*_test.go' | sed -E 's|(.*)/[^/]*:func |\1 |' |
		awk 'FILENAME != "-" { had[$1 " " $2] += $column; next } had[$0] < goal { print had[$0] + 0, $0 }' column=$column goal="$goal" "$folder/totals.tsv" - | sort -sn
}

# build_tests compiles the tests of each package that has a target, with counters of branches.
build_tests() {
	local package flags
	flags=("${guiding[@]/#/-gcflags=}")
	flags=("${flags[@]/%/=-d=libfuzzer}")
	for package in $(targets | awk '{ print $2 }' | sort -u); do
		go test -vet=off -c "${flags[@]}" -o "$(binary "$package")" "./$package" || return
	done
}

# binary prints the file of a package's tests.
binary() {
	echo "$folder/bin/${1//\//.}"
}

# Many targets write a file in each execution, which is up to ten times as fast in memory.
memory=${TMPDIR:-/tmp}
[[ -w /dev/shm ]] && memory=/dev/shm

# run_turn runs a target in the folder of its package, as go test does, and writes its line. Go tries only ten times to make an
# interesting input smaller; by default it may take a minute for each.
run_turn() {
	local package=$1 target=$2 most=$3 start=$SECONDS log status=0
	log=$({ cd "$package" && TIMEFORMAT='CPU: %U %S' && time env -u GOTMPDIR TMPDIR="$memory" "$(binary "$package")" \
		-test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$most" -test.parallel "$workers" \
		-test.fuzzcachedir "$folder/corpora/$package" -test.fuzzminimizetime 10x; } 2>&1) || status=$?
	if [[ $status != 0 ]] && ! ended_late "$package" "$log"; then
		grep -v ' new interesting: ' <<<"$log"
		echo "$package $target" >>"$folder/failed"
		return
	fi
	printf '%s\t%s\t%s\t%s\t%s\n' "$package" "$target" $((SECONDS - start)) "$(cpu_seconds <<<"$log")" "$(inputs <<<"$log")" | tee -a "$folder/totals.tsv"
}

# cpu_seconds reads the log of a turn: user and system seconds of the test and its workers.
cpu_seconds() {
	awk '$1 == "CPU:" { print int($2 + $3 + .5) }'
}

# inputs reads the log of a turn: inputs tried, how many reached new code, and after how many inputs the last of those came.
inputs() {
	sed -nE 's/.*execs: ([0-9]+) .*new interesting: ([0-9]+) .*/\1 \2/p' |
		awk '$2 > new { new = $2; last = $1 } { tried = $1 } END { print tried + 0 "\t" new + 0 "\t" last + 0 }'
}

# ended_late recognizes false failures. On a busy machine a worker can answer too late, at the end (go.dev/issue/75804, fixed in
# Go 1.27) or because an input had to wait for the processor for ten seconds. Such an input passes when it is run alone.
ended_late() {
	local package=$1 log=$2 input
	input=$(sed -nE 's/.*go test -run=(Fuzz.*)$/\1/p' <<<"$log")
	if [[ -z $input ]]; then
		grep -q 'context deadline exceeded' <<<"$log" && ! grep -q 'Failing input' <<<"$log"
	else
		grep -q 'fuzzing process hung or terminated' <<<"$log" && passes_alone "$package" "$input"
	fi
}

# passes_alone runs an input that was written to testdata/fuzz, and removes it if it passes.
passes_alone() {
	(cd "$1" && timeout 3600 "$(binary "$1")" -test.run "^$2\$" && rm "testdata/fuzz/$2") >/dev/null
}

# run_round gives each of the targets on standard input a turn, each in a process of its own.
run_round() {
	local had package target
	while read -r had package target; do
		while (($(jobs -rp | wc -l) >= at_once)); do wait -n; done
		run_turn "$package" "$target" $((goal - had < turn ? goal - had : turn))$unit </dev/null &
	done
	wait
}

rm -f "$folder/failed"
build_tests && go run ./test/corpora unpack "$folder/corpora" || exit
while [[ ! -e $folder/failed ]] && round=$(targets) && [[ -n $round ]]; do
	run_round <<<"$round"
done
[[ ! -e $folder/failed ]] || { sed 's/^/failed: /' "$folder/failed" && exit 1; }
