#!/usr/bin/env bash
# Compares the training of networks with PyTorch on this machine, one thread each:
#
#	bench/neural/run.sh                        # speed: three minutes
#	bench/neural/run.sh --quality              # nDCG of five seeds: five minutes
#	bench/neural/run.sh --queries 60 --rounds 1    # a quick run
#	bench/neural/run.sh --help
#
# Needs Python 3.11 or newer. PyTorch (5 GB) and data go to folders of their own in the
# user's cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/neural/requirements.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -o "$LAMBDAMART_BIN" ./bench/mslrgen ./bench/timed
"$python" bench/neural/compare.py "$@"
