#!/usr/bin/env bash
# Compares training with LightGBM, XGBoost and CatBoost on this machine:
#
#	bench/run.sh                              # everything: hours, 4 GB of disk, 4 GB of memory
#	bench/run.sh --queries 600 --rounds 1     # a quick run: minutes
#	bench/run.sh seeds                        # quality over five draws of the data
#	bench/run.sh reach                        # seconds until each system has LightGBM's final nDCG
#	bench/run.sh reading                      # reading and binning, from a warm and a cold page cache
#	bench/run.sh predict                      # scoring a file from the command line
#	bench/run.sh --help
#	bench/shapes/run.sh                       # many shapes of data: what decides defaults
#
# Needs Python 3.11 or newer. Packages and data go to folders of their own in the
# user's cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$(python3 test/environment.py bench/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen
program=run
case ${1:-} in
seeds | reach | reading | predict)
	program=$1
	shift
	;;
esac
"$python" "bench/$program.py" "$@"
