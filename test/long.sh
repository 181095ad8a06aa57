#!/usr/bin/env bash
# Runs the tests that take hours: see docs/testing.md.
#
#   test/long.sh                            all parts, with a random seed, which it prints
#   test/long.sh seed=7 kill                one part, with this seed
#   test/long.sh state=/var/tmp/long        keeps finished work in this folder
#   test/long.sh list                       the names of the parts
#
# A run that was stopped resumes if it is given the same seed: parts that are done for the seed are not repeated, and an unfinished part
# continues from its own folder, $state/PART-seedN. After a failure the other parts still run.
#
# $state/last.txt is one page of what the last run of each part printed at its end.
#
# To add a part, add its name to parts and write a function part_NAME. It is called in the root of the
# repository with the seed and its own folder, and prints its result, a table or
# a sentence, at the end. Status 77 means that it cannot run on this machine.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

parts=(emulated all clock kill mutants familywise serve differential parameters vulnerabilities fuzz)

seed="" state=${XDG_CACHE_HOME:-$HOME/.cache}/lambdamart/long

# All checks, and the long forms of tests: memory and time of 5,000 iterations, every CPU, every setting over MPI, archives of releases.
part_all() {
	LAMBDAMART_SEED=$1 ./test.sh long
}

# Models and scores of the golden sample on emulated arm64 and on s390x, whose bytes have the other order:
# test/same_bytes_test.go. As root on Debian it installs the emulators.
part_emulated() {
	local log name
	for name in aarch64 s390x; do
		emulator "$name" && continue
		[[ $(id -u) == 0 ]] && command -v apt-get >/dev/null &&
			log=$({ apt-get install -qq -y qemu-user || { apt-get update -qq && apt-get install -qq -y qemu-user; }; } 2>&1)
		emulator "$name" || { tail -5 <<<"${log-}" && echo "NOTICE: left out: no qemu-$name (Debian package qemu-user)" && return 77; }
	done
	LAMBDAMART_LONG=1 go test -v -timeout 9h ./test -run 'TestModelAndScoresAreTheSameOnEveryCPU/(arm64|s390x)' |
		grep -E '^ *--- |^(ok|FAIL)|_test.go|Error'
}

# Tests on 30 days, in their time zones: ends of months and years, leap days, changes of summer time, the first and last
# seconds of 32 bits, and years that nanoseconds or the monotonic clock of Go's package time do not reach: test/clock.sh. Linux
# takes no clock before 1970 in UTC, where net/http waits forever: what it uses as a time long ago is still to come. Each
# day has the packages whose tests, or programs that these start, ask for the day or the zone, and every tenth all of ./test.sh.
# When a program has begun, which metrics.init asks, is shown by the server only, whose tests ask for more.
part_clock() {
	local package day failed=0 asking=() days=(
		2026-07-20T20:17:00@Pacific/Pago_Pago 1969-12-31T23:59:50@America/New_York 1970-01-01T00:00:05@UTC
		1980-01-01T00:00:00@Asia/Tokyo 1999-12-31T23:59:50@Pacific/Kiritimati 2000-02-29T12:00:00@Europe/Berlin
		2001-09-09T01:46:35@UTC 2015-06-30T23:59:55@UTC 2024-02-29T23:59:50@Asia/Kathmandu 2025-03-30T01:59:55@Europe/Berlin 2026-01-01T00:00:00@Pacific/Auckland
		2026-11-01T01:59:55@America/New_York 2026-11-27T00:00:00@UTC 2026-11-30T23:59:50@America/St_Johns 2026-12-31T23:59:50@UTC
		2027-01-31T23:59:50@Asia/Kolkata 2027-02-28T23:59:50@UTC 2027-04-30T23:59:50@Australia/Lord_Howe
		2027-06-15T03:00:00@Africa/Cairo 2027-09-09T09:09:09@America/Sao_Paulo 2028-02-28T23:59:50@Asia/Tehran
		2028-02-29T00:00:00@Pacific/Apia 2028-12-31T23:59:50@Pacific/Chatham 2030-10-10T10:10:10@UTC 2038-01-19T03:14:02@UTC
		2038-01-20T00:00:00@America/Los_Angeles 2069-05-05T05:05:05@UTC 2100-02-28T23:59:50@UTC 2157-03-17T00:00:00@UTC
		2300-01-01T00:00:00@Europe/London
	)
	for package in $(go list ./...); do
		rm -f "$2/uses"
		test/clock.sh uses "$2/uses" go test "$package" || failed=1
		! grep -qv '/metrics\.init$' "$2/uses" || asking+=("$package")
	done
	echo "ask for the day: ${asking[*]}"
	for day in "${!days[@]}"; do
		on_day "${days[$day]}" go test "${asking[@]}" || failed=1
		[[ $((day % 10)) != 9 ]] || on_day "${days[$day]}" ./test.sh || failed=1
	done
	return $failed
}

# on_day DATE@ZONE COMMAND...
on_day() {
	test/clock.sh "${1%@*}" "${1#*@}" "${@:2}" || { echo "FAILED on $1: ${*:2}" && return 1; }
}

emulator() {
	command -v "qemu-$1" || command -v "qemu-$1-static"
}

# Known vulnerabilities of modules and of Go: test/vulnerabilities.sh.
part_vulnerabilities() {
	test/vulnerabilities.sh
}

# Commands are killed at random moments: test/kill.
part_kill() {
	go run ./test/kill -kills 200 -seed "$1" -state "$2"
}

# The recorded mutants, whose seed is 1, are tried on the tests of today: test/mutants. The new record is in the part's folder.
part_mutants() {
	local package failed=0
	[[ -e $2/record.tsv ]] || cp test/mutants/record.tsv "$2" || return
	ulimit -d 8000000
	for package in metric tree objective booster io/data io/model study nnbaseline; do
		go run ./test/mutants -package "./$package" -seed 1 -n 20 -record "$2/record.tsv" || failed=1
	done
	return $failed
}

# 50,000 requests by tritonclient to a server whose models are replaced all the time: test/check_serve.py.
part_serve() {
	python test/check_serve.py load requests=50000 clients=8
}

# The false positive rates of bench and tune, and the coverage of their intervals, in simulations.
part_familywise() {
	go test ./metric -run TestCoverage -v -coverage-samples 10000 | grep -E '\||^(ok|FAIL|---)' || return
	go test ./study -run 'TestFamily[wW]iseErrors' -v -timeout 9h -searches 20000 -experiments 10000 -simulation-seed "$1" |
		grep -E 'false alarms|^(ok|FAIL|---)'
}

# Random data, parameters and models in us and in other tools, for an hour: test/differential.py. LAMBDAMART_DIFFERENTIAL_SECONDS is another time.
part_differential() {
	python test/differential.py seed="$1" seconds="${LAMBDAMART_DIFFERENTIAL_SECONDS:-3600}" state="$2"
}

# 300 training runs with random parameters by us and by LightGBM: test/random_parameters.py. LAMBDAMART_PARAMETER_CASES is another number.
part_parameters() {
	python test/random_parameters.py seed="$1" cases="${LAMBDAMART_PARAMETER_CASES:-300}" state="$2"
}

# An hour for every fuzz target, all of them at a time: test/fuzz.sh. LAMBDAMART_FUZZ is another number of seconds, or of inputs (1600000x).
part_fuzz() {
	test/fuzz.sh "${LAMBDAMART_FUZZ:-3600}" "$2" all
}

# python runs a program by the interpreter that has the packages of the checks, with programs of this tree.
python() {
	local interpreter
	export LAMBDAMART_BIN=$state/bin
	mkdir -p "$LAMBDAMART_BIN" && go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen ./test/bins ./test/foreign || return
	interpreter=$(python3 test/environment.py test/requirements.txt) || return 77
	"$interpreter" "$@"
}

# --- the frame

main() {
	local part failed=0 chosen=()
	for part in "$@"; do
		case $part in
		seed=*) seed=${part#*=} ;;
		state=*) state=${part#*=} ;;
		list) printf '%s\n' "${parts[@]}" && return ;;
		*) [[ " ${parts[*]} " == *" $part "* ]] || { echo "long.sh: there is no part $part; there are ${parts[*]}" >&2 && return 2; } && chosen+=("$part") ;;
		esac
	done
	[[ -n $seed ]] || seed=$((1 + SRANDOM % 1000000000))
	[[ $seed =~ ^[0-9]+$ ]] || { echo "long.sh: seed=$seed: want a whole number" >&2 && return 2; }
	mkdir -p "$state" && state=$(cd "$state" && pwd) || return
	echo "seed $seed"
	[[ ${#chosen[@]} == 0 ]] && chosen=("${parts[@]}")
	for part in "${chosen[@]}"; do
		run_part "$part" || failed=1
	done
	echo "all results: $state/results.tsv"
	return $failed
}

# run_part runs a part if it is not done, and records its end: part, seed, date, commit, seconds, result.
run_part() {
	local part=$1 start=$SECONDS status=0 folder=$state/$1-seed$seed log result commit
	log=$folder.log
	commit=$(git rev-parse --short HEAD 2>/dev/null)
	if grep -qs "^$part	$seed	.*	passed$" "$state/results.tsv"; then
		echo "=== $part, seed $seed: done before; its log: $log"
		return
	fi
	echo "=== $part, seed $seed"
	mkdir -p "$folder"
	"part_$part" "$seed" "$folder" 2>&1 | tee -a "$log"
	status=${PIPESTATUS[0]}
	case $status in
	0) result=passed ;;
	77) result="cannot run here" ;;
	*) result="failed ($status)" ;;
	esac
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$part" "$seed" "$(date -u +%FT%TZ)" "$commit" $((SECONDS - start)) "$result" >>"$state/results.tsv"
	echo "--- $part: $result, $((SECONDS - start)) s"
	tail -n 8 "$log" >"$state/last-$part.txt"
	for log in "$state"/last-*.txt; do echo "=== $log" && cat "$log"; done >"$state/last.txt"
	[[ $status == 0 || $status == 77 ]]
}

main "$@"
