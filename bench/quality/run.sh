#!/usr/bin/env bash
# Compares the quality of losses, mixes and query context with LightGBM, XGBoost, CatBoost and PerpetualBooster:
#
#	bench/quality/run.sh                                       # everything: a day or more, 15 GB of memory, 8 GB of disk
#	bench/quality/run.sh --sets "MSLR sample" --seeds 2        # one set: minutes
#	bench/quality/run.sh --report                              # the tables of what is done
#	bench/quality/run.sh --help
#
# A run that was stopped resumes: the result of each training run is kept (--state). Needs Python 3.11 or newer; packages
# go to a folder of their own in the user's cache folder. Real sets are read from $LAMBDAMART_DATA.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/quality/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen
"$python" bench/quality/peers.py "$@"
