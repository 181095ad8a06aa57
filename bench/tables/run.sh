#!/usr/bin/env bash
# Compares the reading of CSV with LightGBM's and of Parquet with pyarrow's on this
# machine:
#
#	bench/tables/run.sh                              # everything: three minutes
#	bench/tables/run.sh --queries 200 --rounds 2     # a quick run
#	bench/tables/run.sh --help
#
# Needs Python 3.11 or newer. Packages and data go to folders of their own in the
# user's cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/tables/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./bench/timed ./bench/mslrgen
"$python" bench/tables/run.py "$@"
