#!/usr/bin/env bash
# Runs all tests: those in Go, and the checks against the real LightGBM and others, which
# need Python 3.11 or newer with pip. The Python packages are installed once, in a folder
# of their own in the user's cache folder. Without Python only the Go tests run, and a
# notice says what was left out; with CI=true that is a failure.
#
# LAMBDAMART_DATA=folder (default ../shared/data) has real data for more tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# No test may fail because the machine is slow: an hour is a limit against hanging.
export GOFLAGS="-timeout=1h ${GOFLAGS-}"

scratch=$(mktemp -d) && touch "$scratch/left_out"
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0
checks=(test/check_*.py)
checks_at_once=2 # most of a check is one thread

main() {
	echo "# building"
	go build ./...
	go_tests
	if python_packages; then
		python_checks
	else
		leave_out_checks
	fi
	left_out
	echo "$passed passed, $failed failed, $skipped left out"
	[[ $failed == 0 ]]
}

# go_tests prints a line for each package, and all output if a test fails.
go_tests() {
	echo "# Go tests"
	local log=$scratch/go-test.log status=0
	go test -v ./... >"$log" 2>&1 || status=$?
	if [[ $status != 0 ]]; then
		grep -vE '^=== |^ *--- (PASS|SKIP)|^PASS$' "$log" || true
	else
		grep -E '^ok' "$log" || true
	fi
	awk '/^ *--- SKIP/ { print "left out: " $3 ":" reason } { reason = $0; sub(/^ *[^ ]+:[0-9]+:/, "", reason) }' "$log" >>"$scratch/left_out"
	passed=$(grep -cE '^ *--- PASS' "$log" || true)
	failed=$(grep -cE '^ *--- FAIL' "$log" || true)
	skipped=$(grep -cE '^ *--- SKIP' "$log" || true)
	if [[ $status != 0 && $failed == 0 ]]; then # a package that does not build, or a crash
		failed=1
	fi
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
	# Threads of LightGBM that wait for each other in loops take the cores of other checks: on a busy machine, a training of
	# half a CPU second took seven.
	export python scratch OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
	export -f python_check
	printf '%s\0' "${checks[@]}" | xargs -0 -n 1 -P "$checks_at_once" bash -c 'python_check "$1"' _
	local check
	for check in "${checks[@]}"; do
		case $(cat "$scratch/$(basename "$check").status") in
		0) passed=$((passed + 1)) ;;
		77) skipped=$((skipped + 1)) ;; # it cannot run on this machine, and has printed why
		*) failed=$((failed + 1)) && echo "FAILED: $check" ;;
		esac
	done
}

# python_check runs one check, keeps its status in a file, and prints its output when it has ended, so that
# outputs of checks that run at the same time are not mixed.
python_check() {
	local output=$scratch/$(basename "$1") status=0 start=$SECONDS
	"$python" "$1" >"$output.log" 2>&1 || status=$?
	echo "$status" >"$output.status"
	until mkdir "$scratch/printing" 2>/dev/null; do sleep 0.1; done # a lock
	echo "# $1: $((SECONDS - start)) s"
	grep '^left out: ' "$output.log" >>"$scratch/left_out" || true
	grep -v '^left out: ' "$output.log" || true
	rmdir "$scratch/printing"
}

# left_out prints once what one or more tests have left out, and why.
left_out() {
	sort "$scratch/left_out" | uniq -c | sed -E 's/^ *([0-9]+) left out: (.*)/left out: \2 (\1 times)/; s/ \(1 times\)$//'
}

leave_out_checks() {
	echo "NOTICE: the ${#checks[@]} checks against real LightGBM and others were left out: ${checks[*]}"
	skipped=$((skipped + ${#checks[@]}))
	if [[ ${CI:-} == true ]]; then
		echo "FAILED: with CI=true they must run"
		failed=$((failed + 1))
	fi
}

main "$@"
