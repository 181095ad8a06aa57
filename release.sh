#!/usr/bin/env bash
# Builds the published files of a version: for each system, an archive with a static program, its licenses and the
# list of its modules, and a wheel for Python; the source distribution; and SHA256SUMS, for sha256sum --check.
#
#   ./release.sh FOLDER                               # all systems, at the commit that is checked out
#   ./release.sh FOLDER linux/amd64 windows/arm64     # some, as GOOS/GOARCH, and no source distribution
#
# Each program and wheel is built twice, from two checkouts of the commit in folders with different names, and the script fails
# unless both have the same bytes: then nothing depends on the machine, and anyone with the Go version that modules.txt
# names can reproduce them. Files in archives have the time of the commit. Needs git, go, Python and GNU tar.
set -euo pipefail
[[ $# -ge 1 ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2; }
mkdir -p "$1" && dist=$(cd "$1" && pwd) && shift
systems=("$@")
export CGO_ENABLED=0 GOFLAGS= GOAMD64=v1 GOARM64=v8.0 GOTOOLCHAIN=local GOEXPERIMENT= GOWORK=off
[[ $# -gt 0 ]] || systems=({linux,darwin,windows}/{amd64,arm64})

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && git rev-parse --show-toplevel)
commit=$(git -C "$root" rev-parse --verify HEAD)
version=$(git -C "$root" describe --tags --always "$commit")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
# The go command records no commit in a git worktree, whose .git is a file.
for folder in "$scratch/a" "$scratch/another folder"; do
	git clone --quiet --shared --no-checkout "$root" "$folder"
	git -C "$folder" checkout --quiet --detach "$commit"
done

# build FOLDER OS CPU PROGRAM
build() (
	cd "$1"
	GOOS=$2 GOARCH=$3 go build -trimpath -buildvcs=true -ldflags='-s -w -buildid=' -o "$4" ./cmd/lambdamart
)

# record FILE adds a file of the release, which was built twice, to SHA256SUMS.
record() {
	(cd "$dist" && sha256sum "$1" >>SHA256SUMS)
	echo "$1: $(stat -c %s "$dist/$1") bytes, built twice with the same bytes"
}

rm -f "$dist/SHA256SUMS"
for system in "${systems[@]}"; do
	os=${system%/*} cpu=${system#*/}
	name=lambdamart_${version#v}_${os}_$cpu program=lambdamart
	[[ $os != windows ]] || program+=.exe
	files=$scratch/files/$name && mkdir -p "$files"
	build "$scratch/a" "$os" "$cpu" "$files/$program"
	build "$scratch/another folder" "$os" "$cpu" "$scratch/again"
	cmp "$files/$program" "$scratch/again" || { echo "$system: the program depends on the folder or the machine" >&2 && exit 1; }
	(cd "$files" && go version -m "$program") >"$files/modules.txt"
	python3 "$scratch/a/python/build_backend.py" --licenses "$files/$program" >"$files/LICENSES.txt"
	cp "$scratch/a/"{LICENSE,README.md,CHANGELOG.md} "$files"
	chmod 644 "$files"/* && chmod 755 "$files/$program"
	tar -C "$scratch/files" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
		--mtime="@$(git -C "$root" show -s --format=%ct "$commit")" -cf - "$name" | gzip -9n >"$dist/$name.tar.gz"
	record "$name.tar.gz"
done

for folder in a "another folder"; do
	(cd "$scratch/$folder" && python3 python/build_backend.py "$scratch/wheels of $folder" "$@" >/dev/null)
done
diff -r "$scratch/wheels of a" "$scratch/wheels of another folder" || { echo "wheels depend on the folder or the machine" >&2 && exit 1; }
for file in "$scratch/wheels of a/"*; do
	cp "$file" "$dist"
	record "${file##*/}"
done
