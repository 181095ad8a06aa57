#!/usr/bin/env bash
# Runs the tests of a change, in four to five minutes on two cores: those in Go, the golden outputs, and the checks against
# the real LightGBM and others, which need Python 3.11 or newer with pip. The Python packages are installed once, in a
# folder of their own in the user's cache folder. Without Python only the Go tests run, and a notice says what was left
# out; with CI=true that is a failure.
#
#   ./test.sh           the checks that find most for their time, and some cases of long tests: the same every time
#   ./test.sh all       every check and every case, as in .ci/run
#   ./test.sh long      the long forms of tests too, which take hours: see test/long.sh
#
# LAMBDAMART_SEED=n draws other random cases. LAMBDAMART_DATA=folder (default ../shared/data) has real data for more tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# No test may fail because the machine is slow: hours are a limit against hanging.
export GOFLAGS="-timeout=9h ${GOFLAGS-}"
export LAMBDAMART_SEED=${LAMBDAMART_SEED:-1}

scratch=$(mktemp -d) && touch "$scratch/left_out" "$scratch/counts"
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0 checks=()

# The checks that run in every form, the longest first, so that no core is idle at the end. The others check programs that
# read exports and pages, whose bytes the golden outputs already guard.
always=(python mpi golden growth shapes categories scores bins monotone random_parameters python_page differential tables trees report
	symmetric boosting explain context objectives serve training_data continue positions pairs public)

# Packages whose tests run the command or the compiler, which they would skip with -short.
programs='/(cmd/lambdamart|internal/compilercheck|io/model/internal/sourcecode|test(/.*)?)$'

main() {
	choose_checks "${1-}"
	echo "# seed $LAMBDAMART_SEED; building"
	go build ./...
	go_tests
	if python_packages; then
		python_checks "${checks[@]}"
	else
		leave_out_checks
	fi
	left_out
	echo "$passed passed, $failed failed, $skipped left out"
	[[ $failed == 0 ]]
}

# choose_checks sets checks to the checks of a form of this script, and tells tests which of their cases run.
choose_checks() {
	local file
	case $1 in
	'') checks=("${always[@]}") && return ;;
	all) export LAMBDAMART_ALL=1 ;;
	long) export LAMBDAMART_ALL=1 LAMBDAMART_LONG=1 ;;
	*) echo "usage: ./test.sh [all|long]" >&2 && exit 2 ;;
	esac
	for file in test/check_*.py; do
		file=${file#test/check_}
		[[ " ${always[*]} " == *" ${file%.py} "* ]] || checks+=("${file%.py}")
	done
	checks+=("${always[@]}")
}

# go_tests prints a line for each package, and the lines of tests that fail: see test/summary.
go_tests() {
	echo "# Go tests"
	local status=0 p f s
	go build -o "$scratch" ./test/summary
	if [[ -n ${LAMBDAMART_LONG-} ]]; then
		go_test ./... || status=$?
	else
		go_test -short $(go list ./... | grep -vE "$programs") || status=$?
		go_test $(go list ./... | grep -E "$programs") || status=$?
	fi
	while read -r p f s; do
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	done <"$scratch/counts"
	[[ $status == 0 || $failed != 0 ]] || failed=1 # the go command itself has failed
}

go_test() { # go vet is a step of its own, in .ci/run
	go test -vet=off -json "$@" 2>&1 | "$scratch/summary" -counts "$scratch/counts" -left-out "$scratch/left_out"
}

# python_packages sets $python to an interpreter that has the packages of the checks.
python_packages() {
	echo "# Python packages"
	if ! command -v python3 >/dev/null; then
		echo "no python3 here"
		return 1
	fi
	python=$(python3 test/environment.py test/requirements.txt)
}

python_checks() {
	export LAMBDAMART_BIN=$scratch/bin
	mkdir "$LAMBDAMART_BIN"
	go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen ./test/bins ./test/foreign
	# LightGBM's threads wait for each other in busy loops, which would take the cores from other checks.
	OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive "$python" test/checks.py "$scratch" "$@"
	local check
	for check in "$@"; do
		case $(cat "$scratch/$check.status") in
		0) passed=$((passed + 1)) ;;
		77) skipped=$((skipped + 1)) ;; # it cannot run on this machine, and has printed why
		*) failed=$((failed + 1)) && echo "FAILED: $check" ;;
		esac
	done
}

# left_out prints what tests have left out and why, each reason once.
left_out() {
	sort "$scratch/left_out" | uniq -c | sed -E 's/^ *([0-9]+) left out: (.*)/left out: \2 (\1 times)/; s/ \(1 times\)$//'
}

leave_out_checks() {
	echo "NOTICE: the checks against LightGBM and others were left out: ${checks[*]}"
	skipped=$((skipped + ${#checks[@]}))
	if [[ ${CI:-} == true ]]; then
		echo "FAILED: with CI=true they must run"
		failed=$((failed + 1))
	fi
}

main "$@"
