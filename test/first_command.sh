#!/usr/bin/env bash
# The first training of a new user: on a fresh clone of this commit, with no
# module, no build cache and no data of ours, README.md's first command works and
# ends in under two minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
limit=120 # seconds

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone --quiet --no-hardlinks . "$scratch/clone"
cd "$scratch/clone"

# The first block of shell lines, without prompts.
command=$(awk '/^```/ { if (inside) exit; inside = /^```(sh|bash|console)$/; next } inside' README.md | sed 's/^\$ //')
if [[ -z $command ]]; then
	echo "README.md has no block of shell lines"
	exit 1
fi
echo "$command"

export GOMODCACHE=$scratch/modules GOCACHE=$scratch/build GOPATH=$scratch/go GOFLAGS=-modcacherw
unset LAMBDAMART_DATA
start=$SECONDS
timeout "$limit" bash -euo pipefail -c "$command" </dev/null
echo "$((SECONDS - start)) s, of $limit allowed"
