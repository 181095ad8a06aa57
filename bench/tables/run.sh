#!/usr/bin/env bash
# Compares the reading of CSV with LightGBM's and of Parquet with pyarrow's on this
# machine:
#
#	bench/tables/run.sh                              # the whole: three minutes
#	bench/tables/run.sh --queries 200 --rounds 2     # a look at it
#	bench/tables/run.sh --help
#
# Needs Python 3.11 or newer; packages and data go to folders of their own under the
# user's cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/tables/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./bench/tables ./bench/mslrgen
"$python" bench/tables/run.py "$@"
