#!/usr/bin/env bash
# Makes the data in mslr-small/ again: simulated, MSLR-shaped, 40 documents a
# query. bench/mslrgen tests that the files still hold what it makes.
set -euo pipefail
cd "$(dirname "$0")/mslr-small"

make_part() { # name queries seed first-qid
	go run ../../bench/mslrgen -queries "$2" -docs 40 -seed "$3" -first-qid "$4" | gzip -9n >"$1.txt.gz"
}
make_part train 60 1 1
make_part vali 20 2 61
make_part test 20 3 81
