#!/usr/bin/env bash
# Compares trees with all networks on three data sets; bench/rankers/README.md explains it:
#
#	bench/rankers/run.sh FOLDER                          # writes the results to FOLDER
#	bench/rankers/run.sh FOLDER seeds=1 num_iterations=2 epochs=2 # a quick run
#	CONTEXT=rank,zscore bench/rankers/run.sh FOLDER      # trees and networks on data with columns of query context
#
# Further arguments go to lambdamart bench. Data: LAMBDAMART_DATA (default
# ../shared/data) with mq2008/ and mslr-web30k-sample/; simulated data is made here.
# A comparison that was stopped resumes when it is started again.
set -euo pipefail
[[ $# -ge 1 ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2; }
mkdir -p "$1"
results=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
data=${LAMBDAMART_DATA:-../shared/data}

go build -o "$results" ./cmd/lambdamart ./bench/mslrgen

# make_part writes a part of the simulated data. Arguments: name, queries, seed, first id.
make_part() {
	mkdir -p "$results/mslr-shaped"
	[[ -s $results/mslr-shaped/$1.txt ]] || "$results/mslrgen" -queries "$2" -seed "$3" -first-qid "$4" >"$results/mslr-shaped/$1.txt"
}

# widened adds the columns of query context that $CONTEXT names to the data of a folder, writes it to another folder and
# prints that one; without $CONTEXT it prints the given folder.
widened() {
	local name=$1 from=$2 part to
	[[ -n ${CONTEXT:-} ]] || { echo "$from" && return; }
	while IFS= read -r part; do
		to=$results/$name-${CONTEXT//,/-}/${part#"$from"/}
		[[ -s $to ]] && continue
		mkdir -p "${to%/*}"
		"$results/lambdamart" transform data="$part" output="$to" query_context="$CONTEXT" verbosity=-1 1>&2 || return
	done < <(find -L "$from" -name '*.txt')
	echo "$results/$name-${CONTEXT//,/-}"
}

compare() {
	local name=$1 path=$2
	shift 2
	if [[ ! -d $path ]]; then
		echo "NOTICE: left out: no $path (LAMBDAMART_DATA)"
		return
	fi
	path=$(widened "$name" "$path")
	name+=${CONTEXT:+-${CONTEXT//,/-}}-results
	"$results/lambdamart" bench config=bench/rankers/rankers.conf data="$path" output="$results/$name" "$@" | tee "$results/$name.md"
}

make_part train 600 1 1
make_part vali 200 2 601
make_part test 200 3 801
compare mq2008 "$data/mq2008" "$@"
compare mslr-sample "$data/mslr-web30k-sample" "$@"
compare mslr-shaped "$results/mslr-shaped" "$@"
